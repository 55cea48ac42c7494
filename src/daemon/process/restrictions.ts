import { MgrError } from "../../base/errors.ts";
import { policyName, REAL_TIME_POLICIES } from "../../base/scheduling-policies.ts";
import type { RunSpec } from "../../contract/run.ts";
import { LIMIT_NAMES, type Limit, type Scheduling } from "../../contract/run-settings.ts";
import { asAccount, NativeError, setAffinity, setLimit, setNice, setPolicy } from "../native/process-calls.ts";
import { readStat } from "../proc/proc.ts";
import type { Account } from "./accounts.ts";

/** Limits and scheduling that a process gets before it executes its program. */
export type Restrictions = Pick<RunSpec, "limits" | "scheduling">;

const REASONS: Readonly<Record<string, string>> = {
  EPERM: "it is not permitted to this daemon's user",
  EACCES: "it is not permitted to this daemon's user",
  EINVAL: "the value is not valid on this machine",
};

export function isUnrestricted({ limits, scheduling }: Restrictions): boolean {
  return scheduling === null && Object.keys(limits).length === 0;
}

/** Applies limits, then scheduling, to a waiting process of `account`. Throws `spawn_failed` with the kernel's reason. */
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

/** Maximum wait for an exec, milliseconds. It takes about one; on a suspended machine the limit may still be the old one. */
const EXEC_MS = 100;
const CHECK_INTERVAL_MS = 0.5;

/**
 * Waits until the exec of a child is over. The parent of a vfork continues in the middle of the child's exec, at whose end the kernel
 * restores the stack limit of its beginning: a limit set in between is lost. Only then does the saved user id become that of the account,
 * which until then may not set the limits of its own process. A sleeping process is past the exec: it waits to be released.
 */
function untilItSleeps(pid: number): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < EXEC_MS; waited += CHECK_INTERVAL_MS) {
    const state = readStat(pid)?.state;
    if (state === "S" || state === undefined) return;
    Atomics.wait(cell, 0, 0, CHECK_INTERVAL_MS);
  }
}

type Attempt = (what: string, apply: () => void) => void;

function schedule(pid: number, { policy, prio, affinity, nice }: Scheduling, attempt: Attempt): void {
  if (affinity !== null) attempt(`the affinity to CPU ${affinity.join(",")}`, () => setAffinity(pid, affinity));
  if (nice !== null) attempt(`the nice value ${nice}`, () => setNice(pid, nice));
  const requested = policyOf({ policy, prio });
  if (requested === null) return;
  const what = `the scheduling policy '${policyName(requested.policy)}' with priority ${requested.prio}`;
  attempt(what, () => setPolicy(pid, requested.policy, requested.prio));
}

/** Policy for the kernel; null: none is set. Real-time policies have no priority 0. */
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
      // A root user without CAP_SYS_RESOURCE or CAP_SYS_NICE, as in many containers, may not set for other users what they may set
      // themselves.
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
