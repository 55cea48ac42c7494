import { arrayOf, nullable, oneOf, table } from "../../contract/field-types.ts";
import { type FeatureContract, result, row } from "../../contract/rows.ts";

const name = "string";

export const runningSettingsContract: FeatureContract = {
  clientFrames: { request_running_settings: row({ name }, "running_settings") },
  managerFrames: {
    running_settings: result(
      { name },
      {
        host: "string",
        pid: "integer",
        environment: oneOf("whole", "cut", "unreadable"),
        problem: nullable("string"),
        settings: arrayOf(table("running setting")),
      },
    ),
  },
  resources: {
    "running setting": {
      group: oneOf("process", "limits", "environment"),
      name,
      running: nullable("string"),
      configured: nullable("string"),
      comparison: oneOf("same", "changed", "added", "missing", "inherited", "unknown"),
      reason: nullable("string"),
    },
  },
};
