import { arrayOf, nullable, oneOf, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

const name = "string";

export const limitsContract: FeatureContract = {
  clientFrames: { clear_limits: row({ name }) },
  managerFrames: { limits_upsert: event({ limits: table("limits of a process") }), limits_remove: event({ name }) },
  resources: {
    "limits of a process": { name, host: "string", reached: arrayOf(table("reached limit")), cgroup_problem: nullable("string") },
    "reached limit": {
      measure: oneOf("memory", "cpu", "descriptors", "run_time", "log_growth"),
      value: "number",
      above: "number",
      over_ms: "integer",
      at: "timestamp",
      action: oneOf("notify", "restart", "stop"),
      times: "integer",
    },
  },
  snapshot: { limits: arrayOf(table("limits of a process")) },
};
