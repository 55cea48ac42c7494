import type { HandlerContext, HandlerTable } from "../../../transport/handlers/handler.ts";
import type { crashReportCommands } from "../wire.ts";
import type { CrashReports, RunsOf } from "./crash-reports.ts";

export function crashReportHandlers(reports: CrashReports): HandlerTable<keyof typeof crashReportCommands> {
  return {
    request_crash_reports: {
      kind: "request",
      answer: async ({ type: _type, request_id: _id, ...request }, context) => [
        { type: "crash_reports", ok: true, ...(await reports.list(request, context.view, runsIn(context))) },
      ],
    },
    request_crash_report: {
      kind: "request",
      answer: async ({ name, run_id }, context) => [
        { type: "crash_report", ok: true, name, report: await reports.one(name, run_id, runsIn(context)) },
      ],
    },
    delete_crash_reports: {
      kind: "request",
      answer: async ({ name, run_ids }) => [{ type: "crash_reports_deleted", ok: true, name, ...(await reports.delete(name, run_ids)) }],
    },
  };
}

const runsIn =
  ({ control: { state } }: Pick<HandlerContext, "control">): RunsOf =>
  (name) =>
    state.process(name) === undefined ? [] : state.processDetail(name).history;
