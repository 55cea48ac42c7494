import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

const reached = nullable("timestamp");

export const startAnalysisContract: FeatureContract = {
  clientFrames: { request_start_analysis: row({ name: optional("string") }, "start_analysis") },
  managerFrames: {
    start_analysis: event({
      name: nullable("string"),
      requested: reached,
      settled: reached,
      chain: arrayOf(table("start chain link")),
      processes: arrayOf(table("process start")),
      unknown: arrayOf("string"),
    }),
  },
  resources: {
    "start chain link": { name: "string", known: "boolean", from: reached, until: reached },
    "process start": {
      name: "string",
      in_last_start: "boolean",
      outcome: oneOf("under_way", "up", "ended", "failed"),
      requested: "timestamp",
      released: reached,
      started: reached,
      up: reached,
      ended: reached,
      failure: nullable("string"),
      after: nullable("string"),
      attempts: "integer",
    },
  },
};
