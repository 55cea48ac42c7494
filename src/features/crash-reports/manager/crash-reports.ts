import type { ProcessDetail } from "../../../actors/control.ts";
import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";
import type { ViewMode } from "../../../transport/view.ts";

type Ok<T> = Extract<T, { ok: true }>;
export type ReportsRequest = Omit<FrameOf<"request_crash_reports">, "type" | "request_id">;
export type Reports = Pick<Ok<AnswerOf<"request_crash_reports">>, "reports" | "away">;
export type Report = Ok<AnswerOf<"request_crash_report">>["report"];
export type Deleted = Pick<Ok<AnswerOf<"delete_crash_reports">>, "deleted" | "away">;
/** The last runs of a process; none if it is not configured any more. */
export type RunsOf = (name: string) => Pick<ProcessDetail["history"][number], "run_id" | "number">[];

/** Crash reports of all hosts. */
export interface CrashReports {
  list(request: ReportsRequest, view: ViewMode, runsOf: RunsOf): Promise<Reports>;
  /** `run_id` undefined: the newest one. Rejects with `not_found`. */
  one(name: string, run_id: string | undefined, runsOf: RunsOf): Promise<Report>;
  /** `run_ids` undefined: all. */
  delete(name: string, run_ids: readonly string[] | undefined): Promise<Deleted>;
}
