import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { opendir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { quoteWords } from "../../../base/text/shell-words.ts";
import type { Config } from "../../../config/definition.ts";
import { makeFolders } from "../../../files/make-folders.ts";
import { isTrustedOwner } from "../../../files/owners.ts";
import { foreignWriters, ownerAndMode } from "../../../files/permissions.ts";
import { writeFileAtomically } from "../../../files/replace-file.ts";
import { isMissing } from "../../../files/state-file.ts";
import { MAX_KEPT_BYTES, MAX_PRESET_BYTES, MAX_PRESETS } from "../limits.ts";
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

/** The content of a file, and which file it was. */
interface KeptFile {
  readonly version: string;
  readonly content: PresetContent;
  readonly bytes: number;
}

/**
 * The files of presets in one folder. Each is opened when it is needed, because people change them in editors and by git, and parsed again if it has
 * changed: parsing the largest one takes 0.2 s.
 */
export class PresetFolder {
  readonly path: string;
  /** By name, those that were read last at the end. */
  readonly #kept = new Map<string, KeptFile>();

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
    // A link that leads nowhere has the name, too.
    return lstatSync(this.#path(name), { throwIfNoEntry: false }) !== undefined;
  }

  async write(name: string, content: PresetContent): Promise<void> {
    const path = this.#path(name);
    const text = presetText(name, content);
    if (Buffer.byteLength(text) > MAX_PRESET_BYTES)
      throw new MgrError("too_large", `the preset would have more than ${MAX_PRESET_BYTES} bytes: save fewer parameters`);
    // Programs may have longer names and values than a file.
    parsePreset(text, path);
    this.#kept.delete(name);
    try {
      await makeFolders(this.path, 0o777);
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
      const stats = fstatSync(fd);
      const refusal = refusalOf(path, stats);
      if (refusal !== null) throw new MgrError("conflict", refusal);
      const version = versionOf(fstatSync(fd, { bigint: true }));
      const kept = this.#kept.get(name);
      this.#kept.delete(name);
      const content = kept?.version === version ? kept.content : parsePreset(textOf(fd, stats.size, path), path);
      this.#keep(name, { version, content, bytes: stats.size });
      return content;
    } finally {
      closeSync(fd);
    }
  }

  #keep(name: string, file: KeptFile): void {
    this.#kept.set(name, file);
    let bytes = 0;
    for (const kept of this.#kept.values()) bytes += kept.bytes;
    for (const [oldest, kept] of this.#kept) {
      if (bytes <= MAX_KEPT_BYTES) return;
      this.#kept.delete(oldest);
      bytes -= kept.bytes;
    }
  }
}

/** Differs if the content differs: a write changes the times, and another file has another number. */
const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs, ctimeNs].join(" ");

/** At most `size` bytes: the file may grow meanwhile. */
function textOf(fd: number, size: number, path: string): string {
  const bytes = Buffer.alloc(size);
  const length = readSync(fd, bytes, 0, size, 0);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length));
  } catch (error) {
    throw new MgrError("conflict", `${path} is not UTF-8: save it as UTF-8`, { cause: error });
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
