import { arrayOf, type Fields, mapOf, nullable, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, row } from "../../contract/rows.ts";

/** docs/protocol.md, "Crash reports". */
const name = "string";
const names = arrayOf("string");
const SUMMARY: Fields = {
  name,
  host: "string",
  run_id: "string",
  time: "timestamp",
  start_time: nullable("timestamp"),
  pid: nullable("integer"),
  code: nullable("integer"),
  signal: nullable("string"),
  reason: nullable("string"),
  dumped_core: "boolean",
  has_backtrace: "boolean",
  skipped: "integer",
};
const problem = nullable("string");
const figures = arrayOf(nullable("number"));
const number = nullable("integer");

export const crashReportsContract: FeatureContract = {
  clientFrames: {
    request_crash_reports: row({ names: optional(names), pattern: optional("string"), limit: optional("integer") }, "crash_reports"),
    request_crash_report: row({ name, run_id: optional("string") }, "crash_report"),
    delete_crash_reports: row({ name, run_ids: optional(names) }, "crash_reports_deleted"),
  },
  managerFrames: {
    crash_reports: result({}, { reports: arrayOf(table("listed crash")), away: names }),
    crash_report: result({ name }, { report: table("crash report") }),
    crash_reports_deleted: result({ name }, { deleted: "integer", away: names }),
    crash_report_made: event({ report: table("crash summary"), ts: "timestamp" }),
  },
  seenElsewhere: ["kernel line", "core dump", "backtrace"],
  resources: {
    "crash summary": { ...SUMMARY, size: "integer" },
    "listed crash": { ...SUMMARY, size: "integer", number },
    "crash report": {
      ...SUMMARY,
      number,
      restarts: nullable("integer"),
      command: "string",
      cwd: "string",
      user: nullable("string"),
      output: nullable(table("crash output")),
      resources: nullable(table("crash resources")),
      resources_problem: problem,
      limits: nullable(mapOf(table("limit of a crash"))),
      kernel: table("crash kernel"),
      core: nullable(table("core dump")),
      core_problem: problem,
      backtrace: nullable(table("backtrace")),
      backtrace_problem: problem,
      versions: table("crash versions"),
    },
    "crash output": { text: "string", bytes: "integer", truncated: "boolean", times: arrayOf(table("time of a line")) },
    "time of a line": { line: "integer", time: "timestamp" },
    "crash resources": { start: "timestamp", step: "number", series: mapOf(table("crash curve")) },
    "crash curve": { min: figures, mean: figures, max: figures },
    "limit of a crash": { soft: nullable("integer"), hard: nullable("integer") },
    "crash kernel": {
      lines: arrayOf(table("kernel line")),
      log_problem: problem,
      oom_kills: nullable("integer"),
      oom_problem: problem,
    },
    "kernel line": { time: "timestamp", text: "string" },
    "core dump": { path: "string", size: "integer" },
    backtrace: { text: "string", truncated: "boolean" },
    "crash versions": { definition: "string", executable: nullable(table("crash executable")), kernel: "string" },
    "crash executable": {
      path: "string",
      size: "integer",
      modified: "timestamp",
      build_id: nullable("string"),
      replaced: "boolean",
    },
  },
};
