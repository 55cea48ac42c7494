import { createHash } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { hasShape, isFlag, isText, isWhole, type Shape } from "../../base/shape.ts";
import { stateHome } from "../../config/default-paths.ts";
import type { Config, InstanceSettings } from "../../config/definition.ts";
import { hashOf } from "../../config/edit-file.ts";
import { MAX_FILE_BYTES } from "../../config/load/read-file.ts";
import { assertPrivate, makePrivate, runtimeFolders } from "../../daemon/session/sockets.ts";
import { openStateFile } from "../../files/state-file.ts";

/** Name of the socket for commands, in the folder of the bus socket, whose path is in the manager's lock file. */
export const CONTROL_SOCKET = "control.sock";

/** The settings that commands need to reach a manager and to end it. */
export type RunningInstance = Pick<InstanceSettings, "name" | "manager" | "state_dir" | "webui_auth_file" | "https_only">;

interface Written extends RunningInstance {
  /** Hash of the configuration file as the manager read it, and the folder on which the default `state_dir` depended. */
  readonly hash: string;
  readonly state_home: string;
}

const ADDRESS: Shape<RunningInstance["manager"]> = { host: isText, port: isWhole };
const WRITTEN: Shape<Written> = {
  name: isText,
  manager: (value): value is RunningInstance["manager"] => hasShape(value, ADDRESS),
  state_dir: isText,
  webui_auth_file: (value): value is string | null => value === null || isText(value),
  https_only: isFlag,
  hash: isText,
  state_home: isText,
};

type NotedConfig = Pick<Config, "file" | "instance" | "hashes">;

/**
 * A note of the manager that runs with this configuration, for commands. They need not load the file while it is as the manager read it, and still
 * find the manager if the file cannot be loaded. Nothing here throws: nothing else depends on the note.
 */
export class RunningNote {
  readonly #config: NotedConfig;
  #path: string | null = null;

  constructor(config: NotedConfig) {
    this.#config = config;
  }

  /** Writes the note, again if it was removed. */
  keep(): void {
    const { file, instance, hashes } = this.#config;
    if (file === null || (this.#path !== null && existsSync(this.#path))) return;
    for (const folder of noteFolders()) {
      try {
        mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
        makePrivate(folder);
        const path = join(folder, nameOf(file));
        const written: Written = { ...onlyInstance(instance), hash: hashes.get(file) ?? "", state_home: stateHome() };
        const fd = openStateFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
        try {
          writeFileSync(fd, `${JSON.stringify(written)}\n`);
        } finally {
          closeSync(fd);
        }
        this.#path = path;
        return;
      } catch {
        // The next folder is tried: other users can create this name in /tmp.
      }
    }
  }

  remove(): void {
    try {
      if (this.#path !== null) rmSync(this.#path, { force: true });
    } catch {
      // A note that stays is harmless: its manager no longer runs.
    }
  }
}

/** The note of the newest manager of this configuration that has not ended properly; null: none. */
export function runningInstance(file: string): RunningInstance | null {
  return newestNote(file)?.instance ?? null;
}

/**
 * Returns the same note if the file would give the same instance again: its content is the same, and nothing in it depends on the environment.
 * Saves a command the loading of the configuration. Problems of included files, which do not define the instance, are not found.
 */
export function unchangedInstance(file: string): RunningInstance | null {
  const newest = newestNote(file);
  if (newest === null || newest.state_home !== stateHome()) return null;
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return null;
    const content = readFileSync(file);
    // YAML can write a dollar sign as an escape.
    const isFixed = !content.includes("$") && !content.includes("\\");
    return isFixed && hashOf(content) === newest.hash ? newest.instance : null;
  } catch {
    return null; // Loading it reports the problem.
  }
}

function newestNote(file: string): Note | null {
  const notes = noteFolders().flatMap((folder) => readNote(folder, nameOf(file)) ?? []);
  const [newest = null] = notes.sort((a, b) => b.written - a.written);
  return newest;
}

/** Returns every folder that may have a note: a command may have another environment than the manager, and so prefer another folder. */
function noteFolders(): string[] {
  return [...runtimeFolders(), join(stateHome(), ".run")];
}

interface Note {
  readonly instance: RunningInstance;
  readonly hash: string;
  readonly state_home: string;
  /** Modification time of the note, milliseconds since the epoch. */
  readonly written: number;
}

function readNote(folder: string, name: string): Note | null {
  try {
    // A note written by another user could name any process as the one to end.
    assertPrivate(folder);
    const fd = openStateFile(join(folder, name), constants.O_RDONLY);
    try {
      const written: unknown = JSON.parse(readFileSync(fd, "utf8"));
      if (!hasShape(written, WRITTEN)) return null;
      const { hash, state_home } = written;
      return { instance: onlyInstance(written), hash, state_home, written: fstatSync(fd).mtimeMs };
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** Drops the settings that a note does not need. */
function onlyInstance({ name, manager, state_dir, webui_auth_file, https_only }: RunningInstance): RunningInstance {
  return { name, manager, state_dir, webui_auth_file, https_only };
}

function nameOf(file: string): string {
  return `${createHash("sha256").update(resolve(file)).digest("hex").slice(0, 16)}.json`;
}
