import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, row } from "../../contract/rows.ts";

export const rollingRestartContract: FeatureContract = {
  clientFrames: {
    rolling_restart: row({ names: arrayOf("string"), timeout: optional("integer") }, "rolling_restart_begun"),
    cancel_rolling_restart: row({ id: "string" }),
  },
  managerFrames: {
    rolling_restart_begun: result({}, { id: "string" }),
    restart_step_upsert: event({ step: table("restart step") }),
    restart_step_remove: event({ name: "string" }),
  },
  resources: {
    "restart step": {
      name: "string",
      id: "string",
      by: "string",
      position: "integer",
      total: "integer",
      state: oneOf("pending", "restarting", "done", "failed", "left_out"),
      reason: nullable("string"),
    },
  },
  // After a while (test/features/rolling-restart/manager.test.ts).
  seenElsewhere: ["restart_step_remove"],
  snapshot: { restart_steps: arrayOf(table("restart step")) },
};
