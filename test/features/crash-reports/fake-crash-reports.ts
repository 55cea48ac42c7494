import { MgrError } from "../../../src/base/errors.ts";
import type { CrashReports, Deleted, Report, Reports, RunsOf } from "../../../src/features/crash-reports/manager/crash-reports.ts";
import { crashReportsExtension } from "../../../src/features/crash-reports/manager/index.ts";
import { storedSummary } from "../../../src/features/crash-reports/report.ts";
import { REPORT } from "./example-report.ts";

/** Hosts with one crash report. */
export class FakeCrashReports implements CrashReports {
  readonly extension = crashReportsExtension(this);

  async list(): Promise<Reports> {
    return { reports: [{ ...storedSummary.parse(REPORT), size: 2_048, number: 3 }], away: ["gone"] };
  }

  async one(name: string, run_id: string | undefined, runsOf: RunsOf): Promise<Report> {
    if (run_id !== undefined && run_id !== REPORT.run_id)
      throw new MgrError("not_found", `there is no crash report of run ${run_id} of '${name}'`);
    return { ...REPORT, name, number: runsOf(name)[0]?.number ?? null };
  }

  async delete(): Promise<Deleted> {
    return { deleted: 1, away: [] };
  }
}
