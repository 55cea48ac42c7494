import { cpusOf } from "../../../base/cpu-mask.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { policyName } from "../../../base/scheduling-policies.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import { NativeError, readAffinity, readPolicy, setAffinity, setNice, setPolicy } from "../../../daemon/native/process-calls.ts";
import { readStat } from "../../../daemon/proc/proc.ts";

type Wanted = Omit<RequestOf<"set_task">, "session" | "pid" | "tid">;
type Scheduling = ResponseOf<"set_task">;

/** SCHED_RESET_ON_FORK, a flag within the policy. Only a privileged process may clear it, so it is kept. */
const RESET_ON_FORK = 0x4000_0000;

const REASONS: Readonly<Record<string, readonly [code: "forbidden" | "bad_field" | "not_found" | "busy", why: string]>> = {
  EPERM: ["forbidden", "it is not permitted to the user of this host's daemon"],
  EACCES: ["forbidden", "it is not permitted to the user of this host's daemon"],
  EINVAL: ["bad_field", "the value is not valid on this machine"],
  ESRCH: ["not_found", "the task has ended"],
  EBUSY: ["busy", "there is not enough CPU time left for it"],
};

/**
 * Changes how a thread is scheduled: all of it, or nothing. Throws `not_found` for a thread that is not there or belongs
 * to another process, else with the kernel's reason.
 */
export function setTask({ pid, tid, ...wanted }: Omit<RequestOf<"set_task">, "session">): Scheduling {
  const before = schedulingOf(pid, tid);
  const steps = stepsBetween(tid, before, wanted);
  const done: Step[] = [];
  for (const step of steps) {
    try {
      step.apply();
      done.push(step);
    } catch (error) {
      for (const each of done.reverse()) undo(each);
      throw refusal(step.what, error);
    }
  }
  return schedulingOf(pid, tid);
}

interface Step {
  what: string;
  apply: () => void;
  undo: () => void;
}

/** The affinity comes first: the kernel admits some policies only if all CPUs are allowed. Values that do not change are not set. */
function stepsBetween(tid: number, before: Scheduling, { policy, prio, affinity, nice }: Wanted): Step[] {
  const steps: Step[] = [];
  const cpus = [...new Set(affinity)].sort((a, b) => a - b);
  if (cpus.join() !== before.affinity.join()) {
    steps.push({
      what: `the affinity to CPU ${cpus.join(",")}`,
      apply: () => setAffinity(tid, cpus),
      undo: () => setAffinity(tid, before.affinity),
    });
  }
  if (policy !== before.policy || prio !== before.prio) {
    const flags = readPolicy(tid) & RESET_ON_FORK;
    steps.push({
      what: `the policy ${policyName(policy).toUpperCase()} with priority ${prio}`,
      apply: () => setPolicy(tid, policy | flags, prio),
      undo: () => setPolicy(tid, before.policy | flags, before.prio),
    });
  }
  if (nice !== undefined && nice !== before.nice)
    steps.push({ what: `the nice value ${nice}`, apply: () => setNice(tid, nice), undo: () => setNice(tid, before.nice) });
  return steps;
}

/** Ignores refusals of the kernel: the thread may have ended, or the old value may need more privileges. Nothing more can be done then. */
function undo(step: Step): void {
  try {
    step.undo();
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
  }
}

function schedulingOf(pid: number, tid: number): Scheduling {
  const stat = readStat(pid, tid);
  const mask = readAffinity(tid);
  if (stat === null || mask === null)
    throw new MgrError(
      "not_found",
      `process ${pid} has no thread ${tid}${pid === tid ? ": it has ended" : ""}; ask for a new process list`,
    );
  return { policy: stat.policy, prio: stat.prio, affinity: cpusOf(mask), nice: stat.nice };
}

function refusal(what: string, error: unknown): unknown {
  if (!(error instanceof NativeError)) return error;
  const [code, why] = REASONS[error.message] ?? ["bad_field", "no more is known"];
  return new MgrError(code, `the kernel refuses ${what}: ${messageOf(error)} (${why}); nothing was changed`, { cause: error });
}
