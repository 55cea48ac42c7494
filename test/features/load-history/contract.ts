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
const figures = arrayOf(nullable("number"));

export const loadHistoryContract: FeatureContract = {
  clientFrames: {
    request_load_history: row({ ...SELECTION, ...LOAD_RANGE, series: optional(arrayOf(oneOf(...LOAD_SERIES))) }, "load_history"),
    request_host_load_history: row({ host: "string", ...LOAD_RANGE }, "host_load_history"),
    request_newest_load: row(SELECTION, "newest_load"),
    subscribe_load: row({ name }),
    unsubscribe_load: row({ name }),
  },
  managerFrames: {
    load_history: result({}, { processes: arrayOf(table("process load history")), away: names }),
    host_load_history: result({ host: "string" }, HISTORY),
    newest_load: event({ processes: arrayOf(table("newest load")), away: names }),
    load_sample: event({ name, host: "string", ts: "timestamp", load: table("load figures") }),
  },
  resources: {
    "load figures": Object.fromEntries(LOAD_SERIES.map((series) => [series, nullable("number")])),
    "load curve": { min: figures, mean: figures, max: figures },
    "process load history": { name, host: "string", ...HISTORY },
    "newest load": { name, host: "string", ts: "timestamp", load: table("load figures") },
  },
};
