import { once } from "node:events";
import { closeSync, fchownSync, readSync } from "node:fs";
import type { OnReadOpts, SocketConstructorOpts } from "node:net";
import { ReadStream } from "node:tty";
import { z } from "zod";
import { MgrError, messageOf } from "../../base/errors.ts";
import { type Clock, systemClock } from "../../base/timing/clock.ts";
import { descriptorBudget } from "../../bus/carriers/descriptor-budget.ts";
import { bootTicks } from "../native/boot-clock.ts";
import { openTerminalPair, resizeTerminal } from "../native/terminal-pair.ts";
import type { ChildExit } from "../native/wait-status.ts";
import { Child } from "../process/child.ts";
import { type Program, startProgram } from "../process/program.ts";
import { isUnrestricted, type Restrictions, restrict } from "../process/restrictions.ts";
import { startTimeBetween } from "../process/start-time.ts";
import { ReadTurns, type TurnReader } from "./read-turns.ts";
import { TerminalWriter } from "./terminal-writer.ts";

/**
 * Maximum number of bytes read when the child has ended. A terminal's buffers in the kernel hold far less, so any further output comes from
 * another process that keeps writing and must not delay the exit.
 */
const DRAIN_BYTES = 256 * 1024;
/**
 * Has the capacity of the kernel's terminal, so that a read of a flooding program is full: then libuv continues to read (32 times) before
 * it polls again. Each read is processed before the next, so one buffer serves all terminals.
 */
const readBuffer = Buffer.allocUnsafeSlow(4_095);
/** A read of at least this many bytes is part of a flood. */
const FLOOD_READ_BYTES = 2_048;
const drainBuffer = Buffer.allocUnsafeSlow(64 * 1024);
/** All terminals of this program take turns. */
const allTurns = new ReadTurns();

export type TerminalExit = ChildExit;

export interface TerminalOptions extends Pick<Program, "argv" | "cwd" | "environment">, Partial<Pick<Program, "account" | "umask">> {
  /** Limits and scheduling, in effect from the program's first instruction on. */
  restrictions?: Restrictions;
  rows: number;
  cols: number;
  clock?: Clock;
  /** Default: the turns of all terminals of this program. */
  turns?: ReadTurns;
  /** Receives output. The bytes are borrowed: copy those that you keep. */
  onData: (bytes: Buffer) => void;
  /** Called once, after all output of the child was delivered. */
  onExit: (exit: TerminalExit) => void;
}

export type TerminalListener = Pick<TerminalOptions, "clock" | "turns" | "onData" | "onExit">;

interface TerminalParts {
  master: number;
  slave: number;
  path: string;
  pid: number;
  /** Null: it has ended. */
  child: Child | null;
  startTime: string;
  options: TerminalListener;
  /** Bytes for the child that it has not accepted yet. */
  unwritten?: Buffer;
}

/** A terminal of a daemon that replaces its program. Its descriptors are handed over beside it. */
export const terminalState = z.object({
  pid: z.int().min(1),
  start_time: z.string(),
  path: z.string(),
  has_exited: z.boolean(),
  /** Base64. */
  unwritten: z.string(),
});
export type TerminalState = z.infer<typeof terminalState>;
/** Descriptors of a terminal; null: it is closed. */
export type TerminalEnds = { readonly master: number; readonly slave: number } | null;

/** A child under a pseudo terminal of its own: one PTY and nothing else. */
export class Terminal implements TurnReader {
  /** Path of the terminal, `/dev/pts/N`. */
  readonly path: string;
  readonly pid: number;
  /** Kernel's start time of the child (`/proc/PID/stat`, field 22): with the pid it identifies the process uniquely. */
  readonly startTime: string;
  readonly #master: number;
  /** Kept open until `close`, so that the terminal neither ends early nor is reused by another process. */
  readonly #slave: number;
  readonly #stream: ReadStream;
  readonly #writer: TerminalWriter;
  readonly #options: TerminalListener;
  readonly #turns: ReadTurns;
  /** Whether output stays in the kernel's buffers, also when it is this terminal's turn. */
  #isPaused = false;
  #hasExited = false;
  #isClosed = false;

  /** Starts the child before it returns (run-tag.ts). Rejects with `spawn_failed` and a sentence, and then leaves nothing behind. */
  static async start(options: TerminalOptions): Promise<Terminal> {
    const program = { account: null, umask: null, ...options };
    const { limits, scheduling } = options.restrictions ?? { limits: {}, scheduling: null };
    const isFree = isUnrestricted({ limits, scheduling });
    const pair = openPair(options);
    try {
      // A program run by another user may open /dev/tty and /proc/self/fd/0 only if the terminal is that user's. -1: the group stays.
      if (program.account !== null) fchownSync(pair.slave, program.account.uid, -1);
      const from = bootTicks();
      const { child, release } = startProgram(program, { standard: pair.path, isHeld: !isFree });
      const until = bootTicks();
      if (!isFree) await begin(child, release, () => restrict(child.pid, { limits, scheduling }, program.account));
      const startTime = startTimeBetween(child.pid, from, until);
      return manageOrKill(child, () => new Terminal({ ...pair, pid: child.pid, child, startTime, options }));
    } catch (error) {
      closeSync(pair.slave);
      closeSync(pair.master);
      throw error;
    }
  }

  /** Takes over a terminal that this process had before its program was replaced. Nothing is read from it before the next turn. */
  static adopt(state: TerminalState, ends: TerminalEnds, options: TerminalListener): Terminal {
    const { pid, start_time: startTime, path, has_exited: hasExited } = state;
    const child = hasExited ? null : Child.adopt(pid);
    // A child that has hung up its terminal gets one that it never sees, for its end.
    const { master, slave } = ends ?? openTerminalPair(1, 1);
    return new Terminal({ master, slave, path, pid, child, startTime, options, unwritten: Buffer.from(state.unwritten, "base64") });
  }

  private constructor(parts: TerminalParts) {
    const { master, slave, path, child, startTime, options } = parts;
    this.path = path;
    this.pid = parts.pid;
    this.startTime = startTime;
    this.#master = master;
    this.#slave = slave;
    this.#options = options;
    this.#writer = new TerminalWriter(master, options.clock ?? systemClock);
    this.#turns = options.turns ?? allTurns;
    this.#stream = openStream(master, (bytes) => this.#received(bytes));
    // A privileged child may hang up its terminal (vhangup(2), as getty does): reading fails with EIO, and the stream has closed the
    // master.
    this.#stream.on("error", () => this.#end());
    this.#hasExited = child === null;
    child?.once("exit", (_code, _signal, exit) => this.#exited(exit));
    if (parts.unwritten !== undefined) this.write(parts.unwritten);
  }

  /** Stops reading, so that output stays in the kernel's buffers. `ends`: its descriptors; null: it is closed. */
  handOver(): { state: TerminalState; ends: TerminalEnds } {
    const state = {
      pid: this.pid,
      start_time: this.startTime,
      path: this.path,
      has_exited: this.#hasExited,
      unwritten: this.#writer.queued.toString("base64"),
    };
    if (this.#isClosed) return { state, ends: null };
    this.#pause(true);
    return { state, ends: { master: this.#master, slave: this.#slave } };
  }

  /** Reads again after `handOver`. */
  resume(): void {
    if (!this.#stream.destroyed) this.#pause(false);
  }

  readOn(): void {
    if (!this.#isPaused && !this.#stream.destroyed) this.#stream.resume();
  }

  /** Queues bytes for the child; throws `busy` if too many wait. Ignored once the child has ended. */
  write(bytes: Buffer): void {
    if (this.#hasExited) return;
    this.#writer.write(bytes);
    this.#turns.wrote(this);
  }

  /** Sets the size; the kernel sends SIGWINCH to the child. */
  resize(rows: number, cols: number): void {
    if (!this.#isClosed) resizeTerminal(this.#master, rows, cols);
  }

  /** Leaves output in the kernel's buffers while `held`; when they are full, the child has to wait. Ends with the child. */
  hold(held: boolean): void {
    if (this.#hasExited || this.#stream.destroyed) return;
    this.#pause(held);
  }

  /**
   * Reads the remaining output and hangs up: processes that still hold the terminal get SIGHUP and end of file. Call only when
   * the whole tree is gone: from then on the kernel may give the terminal's number to unrelated programs.
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
    this.#turns.forget(this);
    closeSync(this.#slave);
    this.#stream.destroy();
  }

  #exited(exit: TerminalExit): void {
    this.#writer.close();
    this.#hasExited = true;
    if (!this.#isClosed && !this.#stream.destroyed) {
      this.#pause(true);
      this.#drain();
      // Other processes may hold the terminal and keep writing.
      this.#pause(false);
    }
    this.#options.onExit(exit);
  }

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#stream.pause();
    else this.#stream.resume();
  }

  /** Returns whether to read on. */
  #received(bytes: Buffer): boolean {
    this.#options.onData(bytes);
    return bytes.length < FLOOD_READ_BYTES || this.#turns.read(this, bytes.length);
  }

  /** Reads all output of the child: before the kernel reports that nothing is left, it delivers what is in flight (n_tty_read, tty_buffer_flush_work). */
  #drain(): void {
    for (let left = DRAIN_BYTES; left > 0; ) {
      const length = this.#readNow();
      if (length === 0) return;
      left -= length;
      this.#options.onData(drainBuffer.subarray(0, length));
    }
  }

  #readNow(): number {
    try {
      return readSync(this.#master, drainBuffer);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EAGAIN" || code === "EIO") return 0;
      throw error;
    }
  }
}

/** Every socket's constructor accepts `onread`; the types declare it for connect() only. */
function openStream(master: number, received: (bytes: Buffer) => boolean): ReadStream {
  // The stream stops reading when the callback returns false.
  const callback = (length: number) => received(readBuffer.subarray(0, length));
  const options: SocketConstructorOpts & { onread: OnReadOpts } = { onread: { buffer: readBuffer, callback } };
  return new ReadStream(master, options).resume();
}

function openPair(options: TerminalOptions): { master: number; slave: number; path: string } {
  try {
    const pair = openTerminalPair(options.rows, options.cols);
    if (descriptorBudget.allowsStart(Math.max(pair.master, pair.slave))) return pair;
    closeSync(pair.slave);
    closeSync(pair.master);
    throw new Error("too many open files: the rest is kept for what runs already");
  } catch (cause) {
    throw new MgrError(
      "spawn_failed",
      `no terminal could be opened (${messageOf(cause)}); check the limits on open files and on terminals (kernel.pty.max)`,
      { cause },
    );
  }
}

/** Kills a child that cannot be managed. */
function manageOrKill(child: Child, make: () => Terminal): Terminal {
  try {
    return make();
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** Restricts a waiting child, then lets it execute its program. Rejects with `spawn_failed` after the child has ended. */
async function begin(child: Child, release: () => void, applyRestrictions: () => void): Promise<void> {
  try {
    applyRestrictions();
  } catch (error) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    throw error;
  } finally {
    release();
  }
}
