import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, readSync } from "node:fs";
import { ReadStream } from "node:tty";
import { type Clock, systemClock } from "../base/clock.ts";
import { MgrError, messageOf } from "../base/errors.ts";
import { openTerminalPair, resizeTerminal } from "./native.ts";
import { startTimeOf } from "./proc.ts";
import { checkProgram } from "./spawn-check.ts";
import { TerminalWriter } from "./terminal-writer.ts";

/** A session leader that opens a terminal gets it as its controlling one: that is what the shell does before it becomes the program. */
const TAKE_TERMINAL = (path: string): string => `exec "$@" <>${path} >&0 2>&1`;

/**
 * Most bytes read at once when the child has ended. A terminal's buffers in the kernel hold far less, so whatever lies
 * beyond is not the child's, but of somebody who goes on writing and must not hold back the exit.
 */
const DRAIN_BYTES = 256 * 1024;
const READ_BYTES = 64 * 1024;

export interface TerminalExit {
  /** Null if a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface TerminalOptions {
  argv: readonly string[];
  /** Absolute. */
  cwd: string;
  environment: Readonly<Record<string, string>>;
  rows: number;
  cols: number;
  clock?: Clock;
  /** The bytes belong to the receiver. */
  onData: (bytes: Buffer) => void;
  /** Everything that the child wrote has come before. Called once. */
  onExit: (exit: TerminalExit) => void;
}

/** A child under a pseudo terminal of its own: one PTY and nothing else. */
export class Terminal {
  /** Path of the terminal, `/dev/pts/N`. */
  readonly path: string;
  readonly pid: number;
  /** Kernel's start time of the child (`/proc/PID/stat`, field 22): with the pid it names the process for good. */
  readonly startTime: string;
  readonly #master: number;
  /** Ours is held until `close`, so that the terminal neither ends before nor becomes somebody else's. */
  readonly #slave: number;
  readonly #stream: ReadStream;
  readonly #writer: TerminalWriter;
  readonly #options: TerminalOptions;
  #hasExited = false;
  #isClosed = false;

  /** Starts the child, before it returns (run-tag.ts). Rejects with `spawn_failed` and a sentence, and then nothing is left behind. */
  static async start(options: TerminalOptions): Promise<Terminal> {
    checkProgram(options);
    const pair = openPair(options);
    try {
      const child = startChild(options, pair.path);
      const pid = child.pid ?? (await startFailure(child, options));
      return new Terminal({ ...pair, child, pid, options });
    } catch (error) {
      closeSync(pair.slave);
      closeSync(pair.master);
      throw error;
    }
  }

  private constructor(parts: { master: number; slave: number; path: string; child: ChildProcess; pid: number; options: TerminalOptions }) {
    const { master, slave, path, child, pid, options } = parts;
    this.path = path;
    this.pid = pid;
    // Its exit is noticed on this thread only, so the entry is still there, be it a zombie's.
    this.startTime = startTimeOf(pid) ?? "";
    this.#master = master;
    this.#slave = slave;
    this.#options = options;
    this.#writer = new TerminalWriter(master, options.clock ?? systemClock);
    this.#stream = new ReadStream(master);
    this.#stream.on("data", options.onData);
    // A privileged child may hang its terminal up (vhangup(2), as getty does): EIO, and the stream has closed the master.
    this.#stream.on("error", () => this.#end());
    child.once("exit", (code, signal) => this.#exited({ code, signal }));
  }

  /** Queues bytes for the child; throws `busy` when too many wait. Ignored once it is closed. */
  write(bytes: Buffer): void {
    if (!this.#hasExited) this.#writer.write(bytes);
  }

  /** Sets the size; the kernel tells the child (SIGWINCH). */
  resize(rows: number, cols: number): void {
    if (!this.#isClosed) resizeTerminal(this.#master, rows, cols);
  }

  /** Whether to leave output in the kernel's buffers, where a full one makes the child wait. Ends with the child. */
  hold(held: boolean): void {
    if (this.#hasExited || this.#stream.destroyed) return;
    if (held) this.#stream.pause();
    else this.#stream.resume();
  }

  /**
   * Reads what is there and hangs up: whoever still holds the terminal gets SIGHUP and end of file. To be called when
   * the whole tree is gone, and not before: from then on the kernel gives the terminal's number to strangers.
   */
  close(): void {
    if (this.#isClosed) return;
    if (this.#hasExited && !this.#stream.destroyed) this.#drain();
    this.#end();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#writer.close();
    closeSync(this.#slave);
    this.#stream.destroy();
  }

  #exited(exit: TerminalExit): void {
    this.#writer.close();
    this.#hasExited = true;
    if (!this.#isClosed && !this.#stream.destroyed) {
      this.#stream.pause();
      // What the stream holds comes as `data`, also from read().
      while (this.#stream.read() !== null);
      this.#drain();
      // Others may hold the terminal and go on writing.
      this.#stream.resume();
    }
    this.#options.onExit(exit);
  }

  /**
   * Reads without waiting until nothing is there: before it says so, the kernel brings along what is still on its way
   * through the terminal (n_tty_read, tty_buffer_flush_work), so all that the child wrote is read.
   */
  #drain(): void {
    for (let left = DRAIN_BYTES; left > 0; ) {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const length = this.#readNow(buffer);
      if (length === 0) return;
      left -= length;
      this.#options.onData(buffer.subarray(0, length));
    }
  }

  #readNow(buffer: Buffer): number {
    try {
      return readSync(this.#master, buffer);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EAGAIN" || code === "EIO") return 0;
      throw error;
    }
  }
}

function openPair(options: TerminalOptions): { master: number; slave: number; path: string } {
  try {
    return openTerminalPair(options.rows, options.cols);
  } catch (cause) {
    throw new MgrError(
      "spawn_failed",
      `no terminal could be opened (${messageOf(cause)}); check the limits on open files and on terminals (kernel.pty.max)`,
      { cause },
    );
  }
}

function startChild(options: TerminalOptions, path: string): ChildProcess {
  const argv = withOddVariables(options.argv, options.environment);
  try {
    return spawn("/bin/sh", ["-c", TAKE_TERMINAL(path), "sh", ...argv], {
      cwd: options.cwd,
      env: options.environment,
      detached: true,
      stdio: "ignore",
    });
  } catch (cause) {
    throw startError(cause, options);
  }
}

/** The shell in between drops variables whose names it could not write (`a.b`); env(1) gives them back. */
function withOddVariables(argv: readonly string[], environment: Readonly<Record<string, string>>): readonly string[] {
  const odd = Object.entries(environment).filter(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return odd.length === 0 ? argv : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`), ...argv];
}

async function startFailure(child: ChildProcess, options: TerminalOptions): Promise<never> {
  const cause = await new Promise<Error>((resolve) => child.once("error", resolve));
  throw startError(cause, options);
}

function startError(cause: unknown, options: TerminalOptions): MgrError {
  const code = (cause as NodeJS.ErrnoException).code;
  const reason =
    code === "E2BIG"
      ? "its arguments and environment are longer than the kernel allows"
      : code === "EAGAIN"
        ? "the limit on processes is reached"
        : messageOf(cause);
  return new MgrError("spawn_failed", `'${options.argv[0]}' could not be started: ${reason}`, { cause });
}
