import { EventEmitter } from "node:events";
import { isMainThread } from "node:worker_threads";
import { everyBeat } from "../../base/clock.ts";
import { endedChild, waitForChild } from "../native/libc.ts";
import { type ChildExit, decodeWaitStatus } from "../native/wait-status.ts";
import { ownChildrenText, pidsOf } from "../proc/proc.ts";

/** Polling interval besides SIGCHLD, milliseconds. Worker threads receive no signals. */
const LOOK_MS = isMainThread ? 2_000 : 20;
/** At every so many of these, each child is asked for: one that other code has reaped is not among the ended ones. */
const LOOKS_PER_FULL_LOOK = isMainThread ? 60 : 1;
/** After a SIGCHLD that no ended child explains, missing children are looked for, once for many signals, milliseconds later. */
const LOOK_SOON_MS = 20;

/** Children started by us, not by Node, whose end was not yet observed. */
const living = new Map<number, Child>();
let leave: (() => void) | null = null;

/** Whether `pid` is a child that is waited for here: no other code may reap its zombie. */
export function isOwnChild(pid: number): boolean {
  return living.has(pid);
}

/** The child of this pid that is waited for here, and has not been yet: until then no other process can have its pid. */
export function ownChild(pid: number): Child | null {
  return living.get(pid) ?? null;
}

/** A child that `start` has forked. `exit` is emitted once, and never in the turn in which the child was created. */
export class Child extends EventEmitter<{ exit: [code: number | null, signal: string | null, exit: ChildExit] }> {
  readonly pid: number;

  /** `start` forks and returns the pid, or a negative number if it could not; null then. */
  static start(start: () => number): { child: Child; error: null } | { child: null; error: number } {
    // Watched from before the fork.
    watch();
    try {
      const pid = start();
      return pid > 0 ? { child: new Child(pid), error: null } : { child: null, error: -pid };
    } finally {
      unwatchIfIdle();
    }
  }

  private constructor(pid: number) {
    super();
    this.pid = pid;
    living.set(pid, this);
  }

  /** Harmless once it has ended: until then no other process can have its pid. */
  kill(signal: NodeJS.Signals): void {
    if (living.get(this.pid) === this) process.kill(this.pid, signal);
  }

  /** If it has ended, reports it. */
  look(): void {
    const status = waitForChild(this.pid);
    if (status === "alive") return;
    living.delete(this.pid);
    // Reaped by other code: a program that embeds us and waits for every child.
    const exit = status === "unknown" ? { code: null, signal: null, dumpedCore: false } : decodeWaitStatus(status);
    this.emit("exit", exit.code, exit.signal, exit);
  }
}

/**
 * Asks the kernel which children have ended: to ask for each of a thousand living ones at each end took a millisecond. It names them in
 * the order of their starts, so a child that is not ours hides those behind it: then each is asked for.
 */
function lookAtEnded(): "some" | "none" {
  let last = 0;
  for (let pid = endedChild(); pid !== 0; pid = endedChild()) {
    // Not ours: it stays.
    if (pid === last) {
      lookAtAll();
      return "some";
    }
    last = pid;
    living.get(pid)?.look();
  }
  unwatchIfIdle();
  return last === 0 ? "none" : "some";
}

function signalled(): void {
  if (lookAtEnded() === "none" && leave !== null) lookSoon();
}

/** A program that embeds us may have reaped our child. */
function lookSoon(): void {
  soon ??= setTimeout(lookAtUnlisted, LOOK_SOON_MS).unref();
}

let soon: NodeJS.Timeout | null = null;

/** Looks at the children that the kernel does not list any more: to ask for each of a thousand living ones takes 2 ms. */
function lookAtUnlisted(): void {
  const children = ownChildrenText();
  if (children === null) {
    lookAtAll();
    return;
  }
  soon = null;
  const listed = new Set(pidsOf(children));
  for (const child of [...living.values()]) if (!listed.has(child.pid)) child.look();
  unwatchIfIdle();
}

function lookAtAll(): void {
  if (soon !== null) clearTimeout(soon);
  soon = null;
  for (const child of [...living.values()]) child.look();
  unwatchIfIdle();
}

function watch(): void {
  if (leave !== null) return;
  const ignoreSignals = holdSignal();
  let looks = 0;
  const endLooks = everyBeat(LOOK_MS, () => {
    if (++looks % LOOKS_PER_FULL_LOOK === 0) lookAtAll();
    else lookAtEnded();
  });
  leave = () => {
    ignoreSignals();
    endLooks();
    if (soon !== null) clearTimeout(soon);
    soon = null;
  };
}

function unwatchIfIdle(): void {
  if (leave === null || living.size > 0) return;
  leave();
  leave = null;
}

const signalListeners = new Set<() => void>();
const tellOfSignal = () => {
  if (leave !== null) signalled();
  for (const listener of signalListeners) listener();
};

/** Calls back on SIGCHLD, after the ends of our children have been reported; returns the way to stop. */
export function onChildSignal(listener: () => void): () => void {
  const release = holdSignal();
  signalListeners.add(listener);
  return () => {
    signalListeners.delete(listener);
    release();
  };
}

let signalHolders = 0;

/** One handler for all hosts of this program: Node warns of the eleventh. */
function holdSignal(): () => void {
  if (signalHolders++ === 0) process.on("SIGCHLD", tellOfSignal);
  return () => {
    if (--signalHolders === 0) process.off("SIGCHLD", tellOfSignal);
  };
}
