import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { mkdir, opendir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { quoteWords } from "../../../base/shell-words.ts";
import type { Config } from "../../../config/definition.ts";
import { isTrustedOwner } from "../../../files/owners.ts";
import { foreignWriters, ownerAndMode } from "../../../files/permissions.ts";
import { writeFileAtomically } from "../../../files/replace-file.ts";
import { isMissing } from "../../../files/state-file.ts";
import { MAX_PRESET_BYTES, MAX_PRESETS } from "../limits.ts";
import { PRESET_NAME, PRESET_NAME_RULE } from "../preset-name.ts";
import { type PresetContent, parsePreset, presetText } from "./preset-text.ts";

const EXTENSION = ".yaml";
const DEFAULT_FOLDER = "presets";
/** Opening with these flags never waits for the other end of a named pipe and follows no link out of the folder. */
const SAFE_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The folder of a configuration's presets; null: the configuration is no file, and names none. */
export function presetFolderOf({
  file,
  base_dir,
  instance,
}: Pick<Config, "file" | "base_dir"> & { instance: PresetSettings }): string | null {
  if (instance.presets_dir !== null) return resolve(base_dir, instance.presets_dir);
  return file === null ? null : join(dirname(file), DEFAULT_FOLDER);
}

type PresetSettings = Pick<Config["instance"], "presets_dir">;

/** A file of the folder: its content, or why it cannot be used. */
export interface PresetFile {
  readonly name: string;
  readonly content: PresetContent | null;
  readonly problem: string | null;
}

/** The files of presets in one folder. Each is read when it is needed: people change them in editors and by git. */
export class PresetFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** All presets by name, the unusable ones with the reason; none if there is no folder. */
  async list(): Promise<PresetFile[]> {
    const names = await this.#names();
    const files: PresetFile[] = [];
    for (const name of names) {
      // Other work comes first: a file may have a megabyte.
      await setImmediate();
      try {
        files.push({ name, content: this.#read(name), problem: null });
      } catch (error) {
        // Removed since the folder was read.
        if (!isMissing(error)) files.push({ name, content: null, problem: messageOf(error) });
      }
    }
    return files;
  }

  /** Throws `not_found`, and `conflict` for a file that cannot be used. */
  read(name: string): PresetContent {
    this.#checkThatItCanExist(name);
    try {
      return this.#read(name);
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw this.#missing(name);
    }
  }

  has(name: string): boolean {
    return existsSync(this.#path(name));
  }

  async write(name: string, content: PresetContent): Promise<void> {
    const path = this.#path(name);
    const text = presetText(name, content);
    if (Buffer.byteLength(text) > MAX_PRESET_BYTES)
      throw new MgrError("too_large", `the preset would have more than ${MAX_PRESET_BYTES} bytes: save fewer parameters`);
    try {
      await mkdir(this.path, { recursive: true });
      await writeFileAtomically(path, text);
    } catch (error) {
      throw failed(`${path} cannot be written`, error);
    }
  }

  /** Rejects with `not_found`. */
  async remove(name: string): Promise<void> {
    this.#checkThatItCanExist(name);
    try {
      await rm(this.#path(name));
    } catch (error) {
      if (isMissing(error)) throw this.#missing(name);
      throw failed(`${this.#path(name)} cannot be removed`, error);
    }
  }

  #checkThatItCanExist(name: string): void {
    if (!PRESET_NAME.test(name)) throw this.#missing(name);
  }

  #missing(name: string): MgrError {
    return new MgrError("not_found", `there is no preset '${name}' in ${this.path}; 'mgr preset list' lists all`);
  }

  #path(name: string): string {
    if (!PRESET_NAME.test(name)) throw new MgrError("bad_field", `the name of a preset ${PRESET_NAME_RULE}; found '${name.slice(0, 100)}'`);
    return join(this.path, `${name}${EXTENSION}`);
  }

  async #names(): Promise<string[]> {
    const names: string[] = [];
    try {
      for await (const { name } of await opendir(this.path)) {
        if (!name.endsWith(EXTENSION) || !PRESET_NAME.test(name.slice(0, -EXTENSION.length))) continue;
        names.push(name.slice(0, -EXTENSION.length));
        if (names.length > MAX_PRESETS)
          throw new MgrError("too_large", `${this.path} has more than ${MAX_PRESETS} presets: move some away`);
      }
    } catch (error) {
      if (isMissing(error)) return [];
      throw error instanceof MgrError ? error : failed(`${this.path} cannot be read`, error);
    }
    return names.sort();
  }

  #read(name: string): PresetContent {
    const path = this.#path(name);
    const fd = opened(path);
    try {
      const refusal = refusalOf(path, fstatSync(fd));
      if (refusal !== null) throw new MgrError("conflict", refusal);
      return parsePreset(readFileSync(fd, "utf8"), path);
    } finally {
      closeSync(fd);
    }
  }
}

/** Throws the system's error for a missing file. */
function opened(path: string): number {
  try {
    return openSync(path, SAFE_READ);
  } catch (error) {
    if (isMissing(error)) throw error;
    const isLink = (error as NodeJS.ErrnoException).code === "ELOOP";
    throw isLink
      ? new MgrError("conflict", `${path} is a symbolic link: put the file itself there`)
      : failed(`${path} cannot be read`, error);
  }
}

/** Why a file is not used: its values change what programs do, so only trusted users may have written it (docs/decisions/0049). */
function refusalOf(path: string, stats: Stats): string | null {
  if (!stats.isFile()) return `${path} is not a regular file`;
  if (stats.size > MAX_PRESET_BYTES) return `${path} has more than ${MAX_PRESET_BYTES} bytes`;
  if (!isTrustedOwner(stats.uid)) return `${path} belongs to another user (${ownerAndMode(stats)}), who can change it`;
  const writers = foreignWriters(stats);
  if (writers === null) return null;
  return `${path} can be written by ${writers} (${ownerAndMode(stats)}). Check what is in it, then run: ${quoteWords(["chmod", "go-w", path])}`;
}

const failed = (what: string, error: unknown): MgrError => new MgrError("conflict", `${what}: ${messageOf(error)}`, { cause: error });
