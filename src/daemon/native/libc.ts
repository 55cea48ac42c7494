import { createRequire } from "node:module";
import { constants } from "node:os";
import type * as Koffi from "koffi";
import { MgrError } from "../../base/errors.ts";

// Loaded once, at start: replacing node_modules must not break a running daemon. A bundler does not rewrite require() of a created require,
// so that native files are found where npm has put them.
const require = createRequire(import.meta.url);
export const koffi = require("koffi") as typeof Koffi;

/** The C library that this process runs with. */
export const libc = koffi.load(null);
const fcntl = libc.func("int fcntl(int fd, int command, ...)") as (fd: number, command: number, ...typed: unknown[]) => number;
const dup3 = libc.func("int dup3(int from, int to, int flags)") as (from: number, to: number, flags: number) => number;
const prctl = libc.func("int prctl(int option, ...)") as (option: number, ...typed: unknown[]) => number;
const flock = libc.func("int flock(int fd, int operation)") as (fd: number, operation: number) => number;
export const prlimit = libc.func("int prlimit(int pid, int resource, const void *limit, void *old)") as (
  pid: number,
  resource: number,
  limit: Buffer | null,
  old: Buffer | null,
) => number;
const waitpid = libc.func("int waitpid(int pid, void *status, int options)") as (
  pid: number,
  status: Buffer | null,
  options: number,
) => number;

const wait4 = libc.func("int wait4(int pid, void *status, int options, void *usage)") as (
  pid: number,
  status: Buffer,
  options: number,
  usage: Buffer,
) => number;

const waitid = libc.func("int waitid(int type, int id, void *info, int options)") as (
  type: number,
  id: number,
  info: Buffer,
  options: number,
) => number;

/** Node has no name for it. */
export const O_CLOEXEC = 0o2000000;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const PR_SET_CHILD_SUBREAPER = 36;
const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const WNOHANG = 1;
const WEXITED = 4;
const WNOWAIT = 0x0100_0000;
const P_ALL = 0;
/** `siginfo_t`. Its union, which begins with the pid, is aligned like a pointer. */
const SIGINFO_BYTES = 128;
const SIGINFO_PID_AT = koffi.sizeof("void *") === 8 ? 16 : 12;
/** `struct rusage`: two times of two words each, then fourteen words. */
const LONG_BYTES = koffi.sizeof("long");
const RUSAGE_WORDS = 18;
const RLIMIT_LOCKS = 10;
/** `struct rlimit`: the soft and the hard limit, 64 bits each. */
const RLIMIT_BYTES = 16;

/** Keeps `fd` from being inherited by children. */
export function setCloseOnExec(fd: number): void {
  if (fcntl(fd, F_SETFD, "int", FD_CLOEXEC) === -1) throw systemError("fcntl(F_SETFD)");
}

/** Makes `to` a descriptor of the open file of `from`, in one step; what it was before is closed. Children do not inherit it. */
export function replaceDescriptor(to: number, from: number): void {
  if (dup3(from, to, O_CLOEXEC) === -1) throw systemError("dup3");
}

/** Whether orphaned descendants become children of this process instead of init's. */
export function setChildSubreaper(on: boolean): void {
  if (prctl(PR_SET_CHILD_SUBREAPER, "unsigned long", on ? 1 : 0, "unsigned long", 0, "unsigned long", 0, "unsigned long", 0) === -1) {
    throw systemError("prctl(PR_SET_CHILD_SUBREAPER)");
  }
}

/** Takes the exclusive lock of an open file without waiting; false if another open file holds it. Released by closing. */
export function tryLockExclusive(fd: number): boolean {
  return tryLock(fd, LOCK_EX);
}

/** Takes a shared lock without waiting: any number of open files may hold one, but none beside an exclusive lock. */
export function tryLockShared(fd: number): boolean {
  return tryLock(fd, LOCK_SH);
}

function tryLock(fd: number, operation: number): boolean {
  if (flock(fd, operation | LOCK_NB) === 0) return true;
  if (errnoName() === "EAGAIN") return false;
  throw systemError("flock");
}

/**
 * Sets this process's soft limit on file locks, which forked processes inherit. Returns the previous limit; null if the hard limit does not
 * allow the new one.
 */
export function swapFileLocksLimit(soft: bigint): bigint | null {
  const limits = Buffer.alloc(RLIMIT_BYTES);
  if (prlimit(0, RLIMIT_LOCKS, null, limits) === -1) throw systemError("prlimit");
  const values = new BigUint64Array(limits.buffer, limits.byteOffset, 2);
  const [before = 0n] = values;
  values[0] = soft;
  return prlimit(0, RLIMIT_LOCKS, limits, null) === 0 ? before : null;
}

/**
 * Reaps the zombie `pid`, an orphan that was reparented to this process as its subreaper. Returns false if it is still alive or not a child
 * of this process. Never use it for children that Node has started: libuv waits for those itself and would miss their exit.
 */
export function reapOrphan(pid: number): boolean {
  const reaped = waitpid(pid, null, WNOHANG);
  if (reaped === -1 && errnoName() !== "ECHILD") throw systemError("waitpid");
  return reaped === pid;
}

/**
 * Reaps an ended child. Returns its raw wait status, and the words of its `struct rusage`: what it used, with its descendants that it had waited
 * for. `unknown`: other code has reaped it. Never use it for children of Node.
 */
export function reapChild(pid: number): { status: number; usage: number[] } | "alive" | "unknown" {
  const status = Buffer.alloc(4);
  const usage = Buffer.alloc(RUSAGE_WORDS * LONG_BYTES);
  const found = wait4(pid, status, WNOHANG, usage);
  const word = (at: number) => (LONG_BYTES === 8 ? Number(usage.readBigInt64LE(8 * at)) : usage.readInt32LE(4 * at));
  if (found === pid) return { status: status.readInt32LE(), usage: Array.from({ length: RUSAGE_WORDS }, (_, at) => word(at)) };
  if (found === 0 || errnoName() === "EINTR") return "alive";
  return "unknown";
}

/** Returns the pid of a child that has ended and is not reaped yet, also of one that other code has started; 0: there is none. Does not reap it. */
export function endedChild(): number {
  const info = Buffer.alloc(SIGINFO_BYTES);
  return waitid(P_ALL, 0, info, WEXITED | WNOHANG | WNOWAIT) === 0 ? info.readInt32LE(SIGINFO_PID_AT) : 0;
}

/** Name of the error of the last call, such as EPERM. */
export function errnoName(): string {
  const errno = koffi.errno();
  return Object.entries(constants.errno).find(([, number]) => number === errno)?.[0] ?? `errno ${errno}`;
}

export function systemError(call: string): MgrError {
  return new MgrError("internal", `the system call ${call} failed with ${errnoName()}`);
}
