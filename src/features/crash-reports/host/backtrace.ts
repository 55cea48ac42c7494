import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";

/** Limits of one backtrace: wall clock and processor time, memory, output. */
const MAX_MS = 30_000;
const MAX_CPU_SECONDS = 20;
const MAX_MEMORY_KIB = 2 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 128 * 1024;
/** Backtraces that wait for the one in progress. */
const MAX_WAITING = 8;

const FOLDERS = ["/usr/bin", "/usr/local/bin", "/bin"];

/**
 * Runs a debugger with limits that hold although the core dump is not trusted: it may be made to exploit the debugger. `timeout` ends it if this
 * daemon does not. It gets a network namespace without interfaces where the kernel permits that to users.
 */
const SCRIPT = `ulimit -t ${MAX_CPU_SECONDS} && ulimit -v ${MAX_MEMORY_KIB} && ulimit -c 0 && ulimit -f 0 || exit 126
if unshare --user --net true 2>/dev/null; then set -- unshare --user --net "$@"; fi
exec nice -n 19 timeout -s KILL ${MAX_MS / 1_000 + 5} "$@"`;

export interface TracedCore {
  readonly executable: string;
  readonly core: string;
  readonly uid: number;
  readonly gid: number;
}

export interface Backtrace {
  readonly backtrace: { readonly text: string; readonly truncated: boolean } | null;
  readonly backtrace_problem: string | null;
}

const none = (backtrace_problem: string): Backtrace => ({ backtrace: null, backtrace_problem });

/** Makes backtraces of core dumps with gdb, one at a time, as the user of the process. */
export class Backtraces {
  readonly #gdb: string | null;
  readonly #queue = new SerialQueue({ max: 1 + MAX_WAITING, busy: "too many backtraces were being made on this host" });
  #running: ChildProcess | null = null;
  #isClosed = false;

  /** `gdb`: path of the debugger; by default it is searched in the folders of the system. */
  constructor(gdb: string | null = findGdb()) {
    this.#gdb = gdb;
  }

  /** Why no backtrace of this core dump can be made; null: it can. */
  obstacle({ executable, uid }: { executable: string | null; uid: number }): string | null {
    if (this.#gdb === null) return "gdb is not installed on this host";
    if (executable === null) return "the program of the process is not known";
    if (uid === 0) return "the process ran as root, and gdb is not run as root on a core dump: run it by hand if you trust the program";
    const own = process.geteuid?.() ?? 0;
    return own === 0 || own === uid ? null : "the host daemon cannot run gdb as the user of the process";
  }

  /** Never rejects. */
  async of(core: TracedCore): Promise<Backtrace> {
    const obstacle = this.obstacle(core);
    const gdb = this.#gdb;
    if (obstacle !== null || gdb === null) return none(obstacle ?? "");
    return this.#queue.run(() => this.#run(gdb, core)).catch((error: unknown) => none(messageOf(error)));
  }

  /** Ends what runs. */
  close(): void {
    this.#isClosed = true;
    end(this.#running);
  }

  #run(gdb: string, { executable, core, uid, gid }: TracedCore): Promise<Backtrace> {
    if (this.#isClosed) return Promise.resolve(none("the host daemon ended"));
    const options = ["-batch", "-nx", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off", "-ex", "thread apply all bt"];
    const identity = process.geteuid?.() === 0 ? { uid, gid } : {};
    const child = spawn("/bin/sh", ["-c", SCRIPT, "sh", gdb, ...options, "--", executable, core], {
      cwd: "/",
      env: { PATH: FOLDERS.join(":"), HOME: "/nonexistent", LC_ALL: "C.UTF-8", TERM: "dumb" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      ...identity,
    });
    this.#running = child;
    return new Promise((resolve) => {
      const pieces: Buffer[] = [];
      let length = 0;
      let errors = "";
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        end(child);
      }, MAX_MS);
      child.stdout.on("data", (bytes: Buffer) => {
        if (length >= MAX_OUTPUT_BYTES) return end(child);
        pieces.push(bytes);
        length += bytes.length;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (errors.length < 1_000) errors += text;
      });
      child.on("error", (error) => resolve(none(`gdb could not be started: ${messageOf(error)}`)));
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        this.#running = null;
        const text = new TextDecoder().decode(Buffer.concat(pieces).subarray(0, MAX_OUTPUT_BYTES)).trim();
        const truncated = length >= MAX_OUTPUT_BYTES;
        if (isLate) return resolve(none(`gdb did not end within ${MAX_MS / 1_000} s`));
        // It prints the name of the core dump before it fails to read it.
        if (/^#\d/m.test(text)) return resolve({ backtrace: { text, truncated }, backtrace_problem: null });
        resolve(none(`gdb found no backtrace (${signal ?? `code ${code}`}): ${errors.trim().slice(0, 500)}`));
      });
    });
  }
}

/** Kills the debugger with everything that it has started. */
function end(child: ChildProcess | null): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

function findGdb(): string | null {
  for (const folder of FOLDERS) {
    try {
      accessSync(join(folder, "gdb"), constants.X_OK);
      return join(folder, "gdb");
    } catch {
      // The next folder may have it.
    }
  }
  return null;
}
