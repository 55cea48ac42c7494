import { ERROR_CODES } from "../../contract/closed-values.ts";
import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { type FeatureContract, result, route, row } from "../../contract/rows.ts";

/** docs/protocol.md, "TaskColumn". */
export const COLUMN_TYPES = ["integer", "number", "string", "bytes", "duration", "percent", "boolean"];
/** docs/process-list.md, "Columns": at least these. @public for the issue of the process list */
export const PROCESS_LIST_COLUMNS = [
  "pid",
  "tid",
  "ppid",
  "user",
  "process",
  "state",
  "policy",
  "prio",
  "nice",
  "affinity",
  "cpu_percent",
  "memory_rss",
  "memory_percent",
  "threads",
  "start_time",
  "cpu_time",
  "command",
];
/** The documents leave `align` open: as CSS calls it. */
export const ALIGNMENTS = ["left", "right"];
/** docs/design/wire-rules.md, "Process list". @public for the issue of the process list */
export const FILTER_OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "~", "!~"];
/** docs/protocol.md, "Topics: sent by the manager". */
export const TOPIC_ROLES = ["publisher", "subscriber"];

const anyOne = (values: readonly string[]) => oneOf(...values);
const name = "string";

export const processListContract: FeatureContract = {
  clientFrames: {
    // Without `filter` all tasks; `show_*` are false by default (docs/design/wire-rules.md, "Process list")
    request_process_list: row(
      { host: "string", show_threads: optional("boolean"), show_env: optional("boolean"), filter: optional("string") },
      "process_list",
    ),
    // `nice` is beyond the table: the other half of scheduling, which a process list shows as well
    set_process_list_task: row(
      {
        host: "string",
        pid: "integer",
        tid: "integer",
        policy: "integer",
        prio: "integer",
        affinity: "string",
        nice: optional("integer"),
      },
      "process_list_task_set_result",
    ),
    request_topic_scheduling: row({ name }, "topic_scheduling"),
    apply_topic_scheduling: row({ name, tasks: arrayOf(table("task to schedule")) }, "topic_scheduling_result"),
  },
  clientFrameParts: {
    // policy, prio and affinity may be left out
    "task to schedule": {
      host: "string",
      pid: "integer",
      tid: "integer",
      policy: optional("integer"),
      prio: optional("integer"),
      affinity: optional("string"),
    },
  },
  managerFrames: {
    process_list: result(
      { host: "string" },
      {
        show_threads: "boolean",
        show_env: "boolean",
        filter: "string",
        time: "timestamp",
        columns: arrayOf(table("column")),
        rows: arrayOf(table("row")),
      },
    ),
    process_list_task_set_result: result(
      { host: "string", pid: "integer", tid: "integer" },
      { policy: "integer", prio: "integer", affinity: "string" },
    ),
    topic_scheduling: result({ name }, { tasks: arrayOf(table("topic task")) }),
    topic_scheduling_result: result({ name }, { tasks: arrayOf(table("applied topic task")) }),
  },
  resources: {
    // docs/design/wire-rules.md, "Process list"
    column: { name: "string", label: "string", type: anyOne(COLUMN_TYPES), align: anyOne(ALIGNMENTS), unit: optional("string") },
    row: { key: "string", process: nullable("string"), cells: arrayOf(table("cell")) },
    cell: { raw: "anything", formatted: "string" },
    "topic task": {
      role: anyOne(TOPIC_ROLES),
      client_id: "integer",
      client: "string",
      host: "string",
      pid: "integer",
      tid: "integer",
      thread: "string",
      policy: "integer",
      prio: "integer",
      affinity: "string",
    },
    // "each with its own ok and message"
    "applied topic task": {
      host: "string",
      pid: "integer",
      tid: "integer",
      ok: "boolean",
      message: optional("string"),
      code: optional(anyOne(ERROR_CODES)),
    },
  },
  taken: {
    set_process_list_task: { affinity: "0,1" },
    apply_topic_scheduling: { tasks: [{ host: "h", pid: 1, tid: 1, policy: 0, prio: 0, affinity: "0" }] },
  },
  routes: [route(["GET", "/mgr/process-list"], { host: "string", pid: "integer", tid: "integer" }, "text/html")],
};
