import { MgrError } from "../../base/errors.ts";
import { policyName, REAL_TIME_POLICIES } from "../../base/scheduling-policies.ts";
import { LIMIT_NAMES, type Limit, type RunSpec, type Scheduling } from "../../contract/run.ts";
import { asAccount, NativeError, setAffinity, setLimit, setNice, setPolicy } from "../native/process-calls.ts";
import { readStat } from "../proc/proc.ts";
import type { Account } from "./accounts.ts";

/** What a process is given while it waits to become its program. */
export type Restrictions = Pick<RunSpec, "limits" | "scheduling">;

const REASONS: Readonly<Record<string, string>> = {
  EPERM: "it is not permitted to this daemon's user",
  EACCES: "it is not permitted to this daemon's user",
  EINVAL: "the value is not valid on this machine",
};

export function isUnrestricted({ limits, scheduling }: Restrictions): boolean {
  return scheduling === null && Object.keys(limits).length === 0;
}

/** Applies limits, then scheduling, to a process of `account` that waits. Throws `spawn_failed` with the kernel's reason. */
export function restrict(pid: number, { limits, scheduling }: Restrictions, account: Account | null): void {
  const attempt = (what: string, apply: () => void) => attemptAs(account, what, { pid, apply });
  if (limits.stack !== undefined) untilItSleeps(pid);
  for (const name of LIMIT_NAMES) {
    const limit = limits[name];
    if (limit === undefined) continue;
    attempt(`the limit '${name}' of ${describe(limit)}`, () => setLimit(pid, name, limit.soft, limit.hard));
  }
  if (scheduling !== null) schedule(pid, scheduling, attempt);
}

/** An exec takes about a millisecond; on a suspended machine the limit may still be the old one. Milliseconds. */
const EXEC_MS = 100;
const LOOK_MS = 0.5;

/**
 * The parent of a vfork goes on in the middle of the child's exec. At its end the kernel writes the stack limit of its
 * beginning back: what was set in between is lost. And only then is the saved user id that of the account: until it is,
 * the account may not set the limits of its own process. A process that sleeps is past it: it waits to be released.
 */
function untilItSleeps(pid: number): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < EXEC_MS; waited += LOOK_MS) {
    const state = readStat(pid)?.state;
    if (state === "S" || state === undefined) return;
    Atomics.wait(cell, 0, 0, LOOK_MS);
  }
}

type Attempt = (what: string, apply: () => void) => void;

function schedule(pid: number, { policy, prio, affinity, nice }: Scheduling, attempt: Attempt): void {
  if (affinity !== null) attempt(`the affinity to CPU ${affinity.join(",")}`, () => setAffinity(pid, affinity));
  if (nice !== null) attempt(`the nice value ${nice}`, () => setNice(pid, nice));
  const wanted = policyOf({ policy, prio });
  if (wanted === null) return;
  const what = `the scheduling policy '${policyName(wanted.policy)}' with priority ${wanted.prio}`;
  attempt(what, () => setPolicy(pid, wanted.policy, wanted.prio));
}

/** What the kernel is told; null: nothing. Real-time policies have no priority 0. */
export function policyOf({ policy, prio }: Pick<Scheduling, "policy" | "prio">): { policy: number; prio: number } | null {
  if (policy === null && prio === null) return null;
  const number = policy ?? 0;
  return { policy: number, prio: prio ?? (REAL_TIME_POLICIES.has(number) ? 1 : 0) };
}

function attemptAs(account: Account | null, what: string, { pid, apply }: { pid: number; apply: () => void }): void {
  try {
    try {
      apply();
    } catch (error) {
      // A root without CAP_SYS_RESOURCE or CAP_SYS_NICE, as in many containers, may not do for others what they may do for themselves.
      if (account === null || !(error instanceof NativeError) || error.message !== "EPERM") throw error;
      untilItSleeps(pid);
      asAccount(account, apply);
    }
  } catch (cause) {
    if (!(cause instanceof NativeError)) throw cause;
    const reason = REASONS[cause.message];
    throw new MgrError("spawn_failed", `the kernel refuses ${what}: ${cause.message}${reason === undefined ? "" : ` (${reason})`}`, {
      cause,
    });
  }
}

function describe({ soft, hard }: Limit): string {
  const show = (value: number | null) => (value === null ? "unlimited" : String(value));
  return soft === hard ? show(soft) : `${show(soft)} (hard ${show(hard)})`;
}
