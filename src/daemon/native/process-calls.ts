import { MgrError, messageOf } from "../../base/errors.ts";
import type { LimitName } from "../../contract/run-settings.ts";
import { errnoName, libc, prlimit } from "./libc.ts";

// Calls about other processes, or about this thread on behalf of one. A failed call throws the name of the kernel's error.

const schedSetscheduler = libc.func("int sched_setscheduler(int pid, int policy, const void *parameters)") as (
  pid: number,
  policy: number,
  parameters: Buffer,
) => number;
const schedSetaffinity = libc.func("int sched_setaffinity(int pid, size_t length, const void *mask)") as (
  pid: number,
  length: number,
  mask: Buffer,
) => number;
const schedGetaffinity = libc.func("int sched_getaffinity(int pid, size_t length, void *mask)") as (
  pid: number,
  length: number,
  mask: Buffer,
) => number;
const schedGetscheduler = libc.func("int sched_getscheduler(int pid)") as (pid: number) => number;
const setpriority = libc.func("int setpriority(int which, uint32_t who, int nice)") as (which: number, who: number, nice: number) => number;
const syscall = libc.func("long syscall(long number, ...)") as (number: number, ...typed: unknown[]) => number;
const prctl = libc.func("int prctl(int option, ...)") as (option: number, ...typed: unknown[]) => number;

const RLIMITS: Readonly<Record<LimitName, number>> = {
  cpu: 0,
  fsize: 1,
  data: 2,
  stack: 3,
  core: 4,
  rss: 5,
  nproc: 6,
  nofile: 7,
  memlock: 8,
  as: 9,
  sigpending: 11,
  msgqueue: 12,
  nice: 13,
  rtprio: 14,
  rttime: 15,
};
const RLIM_INFINITY = 0xffff_ffff_ffff_ffffn;
/** Maximum number of CPUs in a mask: the most that the kernel supports. */
const MAX_CPUS = 8_192;
const PRIO_PROCESS = 0;
const PR_SET_DUMPABLE = 4;

/** System calls setgroups, setresgid, setresuid: they change one thread only, and the C library does not export them. */
const CREDENTIAL_CALLS: Readonly<Record<string, readonly [groups: number, gid: number, uid: number]>> = {
  x64: [116, 119, 117],
  arm64: [159, 149, 147],
};

/** Sets a resource limit; null is unlimited. */
export function setLimit(pid: number, name: LimitName, soft: number | null, hard: number | null): void {
  const values = Buffer.alloc(16);
  values.writeBigUInt64LE(soft === null ? RLIM_INFINITY : BigInt(soft), 0);
  values.writeBigUInt64LE(hard === null ? RLIM_INFINITY : BigInt(hard), 8);
  check(prlimit(pid, RLIMITS[name], values, null));
}

/** Sets the scheduling policy; `policy` is Linux's number. */
export function setPolicy(pid: number, policy: number, priority: number): void {
  const parameters = Buffer.alloc(4);
  parameters.writeInt32LE(priority);
  check(schedSetscheduler(pid, policy, parameters));
}

export function setAffinity(pid: number, cpus: readonly number[]): void {
  const mask = Buffer.alloc(MAX_CPUS / 8);
  for (const cpu of cpus) {
    if (cpu >= MAX_CPUS) throw new NativeError("EINVAL");
    mask[cpu >> 3] = (mask[cpu >> 3] ?? 0) | (1 << (cpu & 7));
  }
  check(schedSetaffinity(pid, mask.length, mask));
}

/** Returns the affinity mask, in a buffer that the next call reuses; null: there is no such task. */
export function readAffinity(tid: number): Buffer | null {
  // The smallest buffer that this kernel accepts: masks are read for thousands of tasks.
  while (schedGetaffinity(tid, affinityMask.length, affinityMask) === -1) {
    if (errnoName() !== "EINVAL" || affinityMask.length >= MAX_CPUS / 8) return null;
    affinityMask = Buffer.alloc(2 * affinityMask.length);
  }
  return affinityMask;
}

let affinityMask = Buffer.alloc(8);

/** Returns the scheduling policy with its flags (SCHED_RESET_ON_FORK). */
export function readPolicy(tid: number): number {
  const policy = schedGetscheduler(tid);
  check(policy);
  return policy;
}

export function setNice(pid: number, nice: number): void {
  check(setpriority(PRIO_PROCESS, pid, nice));
}

/** A failed call; `message` is the name of the kernel's error, such as EPERM. */
export class NativeError extends Error {}

function check(result: number): void {
  if (result === -1) throw new NativeError(errnoName());
}

interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/**
 * Runs `work`, and all that it forks, as another user with that user's groups; only for root. The kernel then permits what that user may
 * do, on this thread only: the C library would change all threads, and Node's own `uid` option drops the supplementary groups. `work` has
 * to fork before it returns.
 */
export function asAccount<T>(account: User | null, work: () => T): T {
  if (account === null) return work();
  const calls = CREDENTIAL_CALLS[process.arch];
  if (calls === undefined) throw new MgrError("spawn_failed", `'user' is not supported on ${process.arch}`);
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, groups: process.getgroups?.() ?? [] };
  const [setgroups, setresgid, setresuid] = calls;
  const become = (groups: readonly number[]) => {
    const list = Buffer.from(Uint32Array.from(groups).buffer);
    check(syscall(setgroups, "long", groups.length, "void *", list));
  };
  // The saved ids stay root's: they are needed to switch back, and the executed program does not inherit them.
  const setIds = (uid: number, gid: number) => {
    check(syscall(setresgid, "long", gid, "long", gid, "long", own.gid));
    check(syscall(setresuid, "long", uid, "long", uid, "long", own.uid));
  };
  const goBack = () => {
    check(syscall(setresuid, "long", own.uid, "long", own.uid, "long", own.uid));
    check(syscall(setresgid, "long", own.gid, "long", own.gid, "long", own.gid));
    become(own.groups);
    // Changing ids has disabled tracing and core dumps of this process.
    prctl(PR_SET_DUMPABLE, "unsigned long", 1, "unsigned long", 0, "unsigned long", 0, "unsigned long", 0);
  };
  try {
    try {
      become(account.groups);
      setIds(account.uid, account.gid);
    } catch (cause) {
      throw new MgrError("spawn_failed", `the kernel refuses to run anything as '${account.name}' (${messageOf(cause)})`, { cause });
    }
    return work();
  } finally {
    goBack();
  }
}
