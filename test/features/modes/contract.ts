import { arrayOf, nullable, oneOf, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

const name = "string";
const parameters = arrayOf(table("parameter of a mode"));

export const modesContract: FeatureContract = {
  clientFrames: { plan_mode: row({ name }, "mode_plan"), switch_mode: row({ name }) },
  managerFrames: {
    mode_plan: event({ name, stops: arrayOf("string"), starts: arrayOf("string"), confirm: arrayOf("string"), parameters }),
    modes_update: event({ modes: arrayOf(table("mode")) }),
  },
  resources: {
    mode: {
      name,
      start: arrayOf("string"),
      stop: arrayOf("string"),
      parameters,
      preset: nullable("string"),
      fallback: nullable("string"),
      active: nullable(table("active mode")),
    },
    "active mode": {
      since: "timestamp",
      by: "string",
      step: nullable(oneOf("stopping", "parameters", "starting")),
      failed: nullable("string"),
      problems: arrayOf("string"),
    },
    "parameter of a mode": { name, value: "string" },
  },
  snapshot: { modes: arrayOf(table("mode")) },
};
