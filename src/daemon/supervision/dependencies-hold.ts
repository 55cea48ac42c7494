import { isSuccess } from "../../contract/restart-policy.ts";
import type { RunReport, RunSpec } from "../../contract/run.ts";
import type { Supervision } from "../../contract/supervision.ts";

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

function holds({ spec, report }: KnownRun, condition: Supervision["depends_on"][number]["condition"]): boolean {
  const { exit, extinct, stopping, ready } = report;
  if (condition === "completed") return exit !== null && extinct && isSuccess(exit, spec.supervision?.success_exit_codes ?? [0]);
  const isUp = exit === null && !stopping;
  return isUp && (condition === "started" || spec.ready === null || ready);
}
