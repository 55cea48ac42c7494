import { arrayOf, nullable, oneOf, optional, table, tuple } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

/** docs/protocol.md, "Output". */
const SEARCH_STOPS = ["hits", "size", "cpu_time"];

const search = "string";

export const outputSearchContract: FeatureContract = {
  clientFrames: {
    search_output: row(
      {
        search,
        pattern: "string",
        regex: optional("boolean"),
        ignore_case: optional("boolean"),
        names: optional(arrayOf("string")),
        patterns: optional(arrayOf("string")),
        since: optional("number"),
        until: optional("number"),
        context: optional("integer"),
        limit: optional("integer"),
      },
      "search_output_done",
    ),
    cancel_search_output: row({ search }),
  },
  managerFrames: {
    search_output_hits: event({ search, hits: arrayOf(table("output hit")) }),
    search_output_progress: event({ search, searched: "integer", hosts: "integer", hosts_done: "integer" }),
    search_output_done: event({
      search,
      hits: "integer",
      searched: "integer",
      cancelled: "boolean",
      truncated: arrayOf(table("truncated search")),
      unanswered: arrayOf(table("unanswered search")),
      problems: arrayOf(table("search problem")),
    }),
  },
  resources: {
    "output hit": {
      name: "string",
      host: "string",
      run: nullable(table("run of a hit")),
      place: nullable(table("output place")),
      file: nullable(table("place in a file")),
      time: nullable("timestamp"),
      line: "string",
      is_cut: "boolean",
      match: tuple("integer", "integer"),
      before: arrayOf("string"),
      after: arrayOf("string"),
    },
    "output place": { offset: "integer", stream_id: "string" },
    "run of a hit": { run_id: "string", number: "integer" },
    "place in a file": { path: "string", position: "integer" },
    "truncated search": { host: "string", by: oneOf(...SEARCH_STOPS) },
    "unanswered search": { host: "string", reason: "string" },
    "search problem": { host: "string", problem: "string" },
  },
};
