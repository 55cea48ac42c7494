import { EventEmitter } from "node:events";
import { isMainThread } from "node:worker_threads";
import { everyBeat } from "../../base/timing/clock.ts";
import { endedChild, reapChild } from "../native/libc.ts";
import { type ChildExit, decodeUsage, decodeWaitStatus } from "../native/wait-status.ts";
import { ownChildrenText, pidsOf } from "../proc/proc.ts";

/** Polling interval besides SIGCHLD, milliseconds. Worker threads receive no signals. */
const CHECK_INTERVAL_MS = isMainThread ? 2_000 : 20;
/** Number of polls after which each child is checked: a child that other code has reaped is not among the ended ones. */
const LOOKS_PER_FULL_LOOK = isMainThread ? 60 : 1;
/** Delay after a SIGCHLD that no ended child explains, milliseconds: then missing children are checked, once for many signals. */
const CHECK_SOON_MS = 20;

/** Children started here, not by Node, whose end was not yet observed. */
const living = new Map<number, Child>();
let unsubscribe: (() => void) | null = null;

/** Whether `pid` is a child that is waited for here: no other code may reap its zombie. */
export function isOwnChild(pid: number): boolean {
  return living.has(pid);
}

/** Returns the child of this pid whose end was not yet observed: until then no other process can have its pid. */
export function ownChild(pid: number): Child | null {
  return living.get(pid) ?? null;
}

/** A child that `start` has forked. `exit` is emitted once, and never in the turn in which the child was created. */
export class Child extends EventEmitter<{ exit: [code: number | null, signal: string | null, exit: ChildExit] }> {
  readonly pid: number;

  /** `start` forks and returns the pid, or the negative errno of a failure; `child` is null then. */
  static start(start: () => number): { child: Child; error: null } | { child: null; error: number } {
    // SIGCHLD is watched from before the fork.
    watch();
    try {
      const pid = start();
      return pid > 0 ? { child: new Child(pid), error: null } : { child: null, error: -pid };
    } finally {
      unwatchIfIdle();
    }
  }

  /** A child that this process had before its program was replaced. An end in the meantime is reported in the next turn. */
  static adopt(pid: number): Child {
    watch();
    const child = new Child(pid);
    setImmediate(() => {
      if (isOwnChild(pid)) child.check();
      unwatchIfIdle();
    });
    return child;
  }

  private constructor(pid: number) {
    super();
    this.pid = pid;
    living.set(pid, this);
  }

  /** Sends a signal; harmless once the end was observed. Until then no other process can have its pid. */
  kill(signal: NodeJS.Signals): void {
    if (living.get(this.pid) === this) process.kill(this.pid, signal);
  }

  /** Reports its end if it has ended. */
  check(): void {
    const ended = reapChild(this.pid);
    if (ended === "alive") return;
    living.delete(this.pid);
    // Reaped by other code: an embedding program that waits for every child.
    const exit: ChildExit =
      ended === "unknown"
        ? { code: null, signal: null, dumpedCore: false }
        : { ...decodeWaitStatus(ended.status), usage: decodeUsage(ended.usage) };
    this.emit("exit", exit.code, exit.signal, exit);
  }
}

/**
 * Asks the kernel which children have ended: checking each of a thousand living ones at each end took a millisecond. It lists them in the
 * order of their starts, so an ended child of other code hides those behind it: then each is checked.
 */
function checkEnded(): "some" | "none" {
  let last = 0;
  for (let pid = endedChild(); pid !== 0; pid = endedChild()) {
    // The same child again: other code has to reap it.
    if (pid === last) {
      checkAll();
      return "some";
    }
    last = pid;
    living.get(pid)?.check();
  }
  unwatchIfIdle();
  return last === 0 ? "none" : "some";
}

function signalled(): void {
  if (checkEnded() === "none" && unsubscribe !== null) checkSoon();
}

/** Schedules a check for children that an embedding program has reaped. */
function checkSoon(): void {
  soon ??= setTimeout(checkUnlisted, CHECK_SOON_MS).unref();
}

let soon: NodeJS.Timeout | null = null;

/** Checks the children that the kernel no longer lists: checking each of a thousand living ones takes 2 ms. */
function checkUnlisted(): void {
  const children = ownChildrenText();
  if (children === null) {
    checkAll();
    return;
  }
  soon = null;
  const listed = new Set(pidsOf(children));
  for (const child of [...living.values()]) if (!listed.has(child.pid)) child.check();
  unwatchIfIdle();
}

function checkAll(): void {
  if (soon !== null) clearTimeout(soon);
  soon = null;
  for (const child of [...living.values()]) child.check();
  unwatchIfIdle();
}

function watch(): void {
  if (unsubscribe !== null) return;
  const ignoreSignals = holdSignal();
  let checks = 0;
  const stopChecks = everyBeat(CHECK_INTERVAL_MS, () => {
    if (++checks % LOOKS_PER_FULL_LOOK === 0) checkAll();
    else checkEnded();
  });
  unsubscribe = () => {
    ignoreSignals();
    stopChecks();
    if (soon !== null) clearTimeout(soon);
    soon = null;
  };
}

function unwatchIfIdle(): void {
  if (unsubscribe === null || living.size > 0) return;
  unsubscribe();
  unsubscribe = null;
}

const signalListeners = new Set<() => void>();
const reportSignal = () => {
  if (unsubscribe !== null) signalled();
  for (const listener of signalListeners) listener();
};

/** Calls back on SIGCHLD, after the ends of children have been reported. Returns a function that stops it. */
export function onChildSignal(listener: () => void): () => void {
  const release = holdSignal();
  signalListeners.add(listener);
  return () => {
    signalListeners.delete(listener);
    release();
  };
}

let signalHolders = 0;

/** Installs one handler for all hosts of this program: Node warns of the eleventh. */
function holdSignal(): () => void {
  if (signalHolders++ === 0) process.on("SIGCHLD", reportSignal);
  return () => {
    if (--signalHolders === 0) process.off("SIGCHLD", reportSignal);
  };
}
