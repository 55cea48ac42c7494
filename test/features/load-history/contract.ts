import { STATES } from "../../contract/closed-values.ts";
import { arrayOf, type Fields, mapOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, row } from "../../contract/rows.ts";

/** Figures of a process. */
export const LOAD_SERIES = [
  "cpu_percent",
  "memory",
  "threads",
  "descriptors",
  "read_bytes_s",
  "written_bytes_s",
  "context_switches_s",
  "major_faults_s",
];

const name = "string";
const names = arrayOf("string");
/** The part of the past that is requested; each may be left out. */
const LOAD_RANGE: Fields = { from: optional("timestamp"), until: optional("timestamp"), points: optional("integer") };
const SELECTION: Fields = { names: optional(names), pattern: optional("string") };
const HISTORY: Fields = {
  start: "timestamp",
  step: "number",
  resolution: "number",
  oldest: nullable("timestamp"),
  series: mapOf(table("load curve")),
};
const eventKind = oneOf("crash", "restart", "state", "command", "configuration");
const figures = arrayOf(nullable("number"));

export const loadHistoryContract: FeatureContract = {
  clientFrames: {
    request_load_history: row(
      {
        ...SELECTION,
        ...LOAD_RANGE,
        series: optional(arrayOf(oneOf(...LOAD_SERIES))),
        statistics: optional(arrayOf(oneOf("min", "mean", "max"))),
      },
      "load_history",
    ),
    request_history_events: row(
      {
        name: optional("string"),
        host: optional("string"),
        from: optional("timestamp"),
        until: optional("timestamp"),
        kinds: optional(arrayOf(eventKind)),
        limit: optional("integer"),
      },
      "history_events",
    ),
    request_memory_detail: row({ name }, "memory_detail"),
    request_host_load_history: row({ host: "string", ...LOAD_RANGE }, "host_load_history"),
    request_newest_load: row(SELECTION, "newest_load"),
    subscribe_load: row({ name }),
    unsubscribe_load: row({ name }),
  },
  managerFrames: {
    load_history: result({}, { processes: arrayOf(table("process load history")), away: names }),
    host_load_history: result({ host: "string" }, HISTORY),
    newest_load: event({ processes: arrayOf(table("newest load")), away: names }),
    history_events: event({ events: arrayOf(table("history event")), left_out: "integer", oldest: nullable("timestamp") }),
    memory_detail: result(
      { name },
      {
        host: "string",
        ts: "timestamp",
        pss: nullable("number"),
        private: nullable("number"),
        swap: nullable("number"),
        processes: "integer",
        unknown: "integer",
      },
    ),
    load_sample: event({ name, host: "string", ts: "timestamp", load: table("load figures") }),
  },
  resources: {
    "load figures": Object.fromEntries(LOAD_SERIES.map((series) => [series, nullable("number")])),
    "history event": {
      ts: "timestamp",
      kind: eventKind,
      name: nullable("string"),
      text: "string",
      change: optional(table("history state change")),
    },
    "history state change": {
      from: nullable(oneOf(...STATES)),
      to: oneOf(...STATES),
      by: nullable("string"),
      reason: nullable("string"),
    },
    "load curve": { min: figures, mean: figures, max: figures },
    "process load history": { name, host: "string", ...HISTORY },
    "newest load": { name, host: "string", ts: "timestamp", load: table("load figures") },
  },
};
