import { z } from "zod";
import { count, pattern, processName, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { change, clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { DEFAULT_LISTED, MAX_LISTED, MAX_NAMES, MAX_REPORTS } from "./limits.ts";
import { crashReport, crashSummary, reportId } from "./report.ts";

export type { CrashReport, CrashSummary } from "./report.ts";

const namesSay = `must be an array of at most ${MAX_NAMES} names of 1 to 255 characters`;
const idsSay = `must be an array of at most ${MAX_REPORTS} ids of runs`;
const number = z.int().nullable().describe("Number of the run, as in `history` of `process_detail`; null where it is not known any more.");
const away = z.array(z.string()).describe("Hosts that could not be asked.");
const name = z.string();

export const crashReportCommands = clientFrames("Crash reports", {
  request_crash_reports: {
    fields: {
      names: z
        .array(text(1, 255, namesSay), { error: namesSay })
        .max(MAX_NAMES, { error: namesSay })
        .describe("Processes, whether they are configured or not.")
        .exactOptional(),
      pattern: pattern.describe("fnmatch pattern of further processes. Without both: all.").exactOptional(),
      limit: count(MAX_LISTED).describe(`Most reports; default ${DEFAULT_LISTED}, at most ${MAX_LISTED}.`).exactOptional(),
    },
    answer: "crash_reports",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "The newest crash reports. On a focused connection, of the processes in view.",
  },
  request_crash_report: {
    fields: { name: processName, run_id: reportId.describe("Default: the newest report of the process.").exactOptional() },
    answer: "crash_report",
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning: "One crash report.",
  },
  delete_crash_reports: {
    fields: {
      name: processName,
      run_ids: z
        .array(reportId, { error: idsSay })
        .max(MAX_REPORTS, { error: idsSay })
        .describe("Default: all reports of the process.")
        .exactOptional(),
    },
    answer: "crash_reports_deleted",
    scope: "name",
    role: "operator",
    meaning: "Deletes crash reports on their hosts. Those that do not exist are no failure.",
  },
});

export const crashReportFrames = managerFrames("Crash reports", {
  crash_reports: result(
    {},
    {
      reports: z
        .array(crashSummary.extend({ number }).meta({ id: "ListedCrash" }))
        .describe("Newest first. Of equal times in the order of their names."),
      away,
    },
    "The newest crash reports of all hosts.",
  ),
  crash_report: result({ name }, { report: crashReport.extend({ number }).meta({ id: "NumberedCrashReport" }) }, "A crash report."),
  crash_reports_deleted: result({ name }, { deleted: z.int().describe("Number of reports."), away }, "Crash reports were deleted."),
  crash_report_made: change(
    { report: crashSummary, ts: timestamp },
    "A process has crashed and its report is kept; sent again when the backtrace was added to it.",
    ({ report }) => `crash_report:${report.host}:${report.name}`,
    ({ report }) => report.name,
  ),
});
