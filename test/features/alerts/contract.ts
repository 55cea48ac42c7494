import { arrayOf, nullable, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

const name = "string";

export const alertsContract: FeatureContract = {
  clientFrames: { clear_alert: row({ name }) },
  managerFrames: { alert_upsert: event({ alert: table("alert") }), alert_remove: event({ name }) },
  resources: {
    alert: { name, host: "string", silent: nullable(table("silence alert")), output: nullable(table("output alert")) },
    "silence alert": { since: "timestamp" },
    "output alert": { since: "timestamp", last: "timestamp", line: "string", matches: "integer" },
  },
  snapshot: { alerts: arrayOf(table("alert")) },
};
