import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { stateHome } from "../../config/default-paths.ts";
import type { Config, InstanceSettings } from "../../config/definition.ts";
import { assertPrivate, makePrivate, runtimeFolders } from "../../daemon/session/sockets.ts";

/** Name of the socket for commands, in the folder of the bus socket, whose path is in the manager's lock file. */
export const CONTROL_SOCKET = "control.sock";

/** What commands need to reach a manager and to end it. */
export type RunningInstance = Pick<InstanceSettings, "name" | "manager" | "state_dir" | "webui_auth_file" | "https_only">;

const note = z.object({
  name: z.string(),
  manager: z.object({ host: z.string(), port: z.number().int() }),
  state_dir: z.string(),
  webui_auth_file: z.string().nullable(),
  https_only: z.boolean(),
});

/**
 * A note of the manager that runs with this configuration, for commands when its file cannot be read: a broken
 * file must not prevent stopping what runs. Nothing here throws: nothing else depends on it.
 */
export class RunningNote {
  readonly #config: Pick<Config, "file" | "instance">;
  #path: string | null = null;

  constructor(config: Pick<Config, "file" | "instance">) {
    this.#config = config;
  }

  /** Writes the note, again if it was removed. */
  keep(): void {
    const { file, instance } = this.#config;
    if (file === null || (this.#path !== null && existsSync(this.#path))) return;
    for (const folder of noteFolders()) {
      try {
        mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
        makePrivate(folder);
        const path = join(folder, nameOf(file));
        writeFileSync(path, `${JSON.stringify(note.parse(instance))}\n`, { mode: 0o600 });
        this.#path = path;
        return;
      } catch {
        // The next one: other users can take the name in /tmp.
      }
    }
  }

  remove(): void {
    try {
      if (this.#path !== null) rmSync(this.#path, { force: true });
    } catch {
      // The manager does not run.
    }
  }
}

/** The note of the newest manager of this configuration that has not ended properly; null: none. */
export function runningInstance(file: string): RunningInstance | null {
  const notes = noteFolders().flatMap((folder) => readNote(folder, nameOf(file)) ?? []);
  const [newest = null] = notes.sort((a, b) => b.written - a.written);
  return newest?.instance ?? null;
}

/** A command may have another environment than the manager, and so prefer another folder. */
function noteFolders(): string[] {
  return [...runtimeFolders(), join(stateHome(), ".run")];
}

function readNote(folder: string, name: string): { instance: RunningInstance; written: number } | null {
  try {
    // A note written by another user could name any process as the one to end.
    assertPrivate(folder);
    const path = join(folder, name);
    return { instance: note.parse(JSON.parse(readFileSync(path, "utf8"))), written: statSync(path).mtimeMs };
  } catch {
    return null;
  }
}

function nameOf(file: string): string {
  return `${createHash("sha256").update(resolve(file)).digest("hex").slice(0, 16)}.json`;
}
