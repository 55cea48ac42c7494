import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, fstatSync } from "node:fs";
import { join } from "node:path";
import { MgrError, messageOf } from "../../base/errors.ts";
import { isHolder, readLockInfo } from "../../daemon/session/lock-info.ts";
import { openStateFile } from "../../files/state-file.ts";
import { stateFileTail } from "../../files/state-file-tail.ts";
import { makeStateFolder } from "../../files/state-folder.ts";
import { packageFile, VERSION } from "../../http/package-files.ts";

/** The built daemon: one file, whether this module runs from src/ or from dist/. */
const BUNDLE = packageFile("dist/daemon.cjs");
/** Exit code of the daemon if another daemon has the lock (daemon/main.ts). */
const EXIT_LOCKED = 3;
/**
 * Node options for our long-running programs: the size of one semi-space of the young generation, MiB (V8's default: 16). Right after 1,000
 * starts, manager and daemon together have 30 to 40 MiB less resident (bench/NOTES.md, "Memory with 1,000 processes").
 */
export const NODE_OPTIONS = ["--max-semi-space-size=4"] as const;
/** Maximum length of the last output in an error, bytes. */
const MAX_LAST_OUTPUT_BYTES = 2_048;

/**
 * The program of a daemon, which loads and then waits until it receives the address of the bus. It ends if its starter ends first or cancels it.
 * Loading takes as long as the start of a manager, so both happen at the same time.
 */
export class PreparedDaemon {
  /** Rejects with the program's last output when it ends, unless another daemon has the lock. Never resolves. */
  readonly death: Promise<never>;
  readonly #child: ChildProcess;
  readonly #spawned: Promise<number>;
  #hasBegun = false;

  /** Throws if the state folder cannot be written to. */
  constructor({ stateDir, host }: { stateDir: string; host: string }) {
    makeStateFolder(stateDir);
    const words = openStateFile(join(stateDir, "daemon.stderr"), constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
    try {
      const silence = fstatSync(words).size;
      // Detached: it and its children outlive this manager, however the manager ends.
      const options = JSON.stringify({ state_dir: stateDir, host, bus: "stdin", version: VERSION });
      this.#child = spawn(process.execPath, [...NODE_OPTIONS, BUNDLE, options], {
        detached: true,
        stdio: ["pipe", "ignore", words],
        cwd: "/",
      });
      this.#spawned = pidOf(this.#child);
      this.death = deathOf(this.#child, () => lastWords(join(stateDir, "daemon.stderr"), silence));
    } finally {
      closeSync(words);
    }
    // Both rejections are handled where the hello is awaited, and can be ignored elsewhere.
    this.#spawned.catch(() => {});
    this.death.catch(() => {});
    // The program has ended, which `death` reports.
    this.#child.stdin?.on("error", () => {});
    this.#child.unref();
  }

  /** Sends the address of the bus, on which the daemon begins. Resolves with its pid. */
  async begin(bus: { socket: string }): Promise<number> {
    this.#hasBegun = true;
    const pid = await this.#spawned;
    this.#child.stdin?.end(JSON.stringify(bus));
    return pid;
  }

  /** Ends the program unless it has begun. */
  cancel(): void {
    // The program may still be loading; it has done nothing that would have to be undone.
    if (!this.#hasBegun) this.#child.kill("SIGKILL");
  }
}

/** Prepares a daemon unless one seems to run. Null: there is one, or it cannot be prepared; the manager will have the same problem and report it. */
export function prepareDaemon(place: { stateDir: string; host: string }): PreparedDaemon | null {
  const known = readLockInfo(join(place.stateDir, "daemon.lock"));
  if (known !== null && isHolder(known)) return null;
  try {
    return new PreparedDaemon(place);
  } catch {
    return null;
  }
}

function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0));
    child.once("error", (cause) => reject(new MgrError("internal", `cannot start the host daemon: ${cause.message}`, { cause })));
  });
}

function deathOf(child: ChildProcess, words: () => string): Promise<never> {
  return new Promise((_, reject) => {
    child.once("exit", (code, signal) => {
      if (code === EXIT_LOCKED) return;
      const how = signal === null ? `exit code ${code}` : String(signal);
      reject(new MgrError("host_unavailable", `the host daemon ended (${how}) before it was ready: ${words()}`));
    });
  });
}

/** The end of the text in `path` after `from`. Never throws: it is called by the listener of an exit. */
function lastWords(path: string, from: number): string {
  try {
    const text = stateFileTail(path, from, MAX_LAST_OUTPUT_BYTES);
    return text === "" ? "it printed nothing; see daemon.log in its state folder" : text;
  } catch (error) {
    return `its last output cannot be read: ${messageOf(error)}`;
  }
}
