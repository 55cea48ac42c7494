import { isSuccess } from "../../contract/restart-policy.ts";
import { meetsCondition, type RunReport, type RunSpec } from "../../contract/run.ts";
import type { DependencyCondition, Supervision } from "../../contract/supervision.ts";

interface KnownRun {
  readonly spec: RunSpec;
  readonly report: RunReport;
}

/** Whether dependencies on this host hold, as its runs show it. One that has not run since the daemon began does not hold. */
export function dependenciesHold({ depends_on }: Supervision, newest: (name: string) => KnownRun | undefined): boolean {
  return depends_on.every(({ name, condition }) => {
    const run = newest(name);
    return run !== undefined && holds(run, condition);
  });
}

function holds({ spec, report }: KnownRun, condition: DependencyCondition): boolean {
  const { checks, exit, extinct, stopping, ready } = report;
  if (condition === "completed") return exit !== null && extinct && isSuccess(exit, spec.supervision?.success_exit_codes ?? [0]);
  const isUp = exit === null && !stopping;
  if (condition === "started") return isUp;
  return isUp && (condition === "ready" ? spec.ready === null || ready : meetsCondition(checks, condition));
}
