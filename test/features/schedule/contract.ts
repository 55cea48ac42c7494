import { arrayOf, nullable, oneOf, table } from "../../contract/field-types.ts";
import { event, type FeatureContract } from "../../contract/rows.ts";

const name = "string";

export const scheduleContract: FeatureContract = {
  clientFrames: {},
  managerFrames: { schedule_upsert: event({ schedule: table("schedule") }), schedule_remove: event({ name }) },
  resources: {
    schedule: {
      name,
      cron: nullable("string"),
      timezone: nullable("string"),
      every_ms: nullable("integer"),
      overlap: oneOf("skip", "queue", "kill"),
      catch_up: "boolean",
      next_run: nullable("timestamp"),
      last_run: nullable("timestamp"),
      paused: "boolean",
      pending: "boolean",
      skipped: nullable(table("skipped runs")),
    },
    "skipped runs": { count: "integer", at: "timestamp", reason: "string" },
  },
  seenElsewhere: ["skipped runs"],
  snapshot: { schedules: arrayOf(table("schedule")) },
};
