import { arrayOf, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

const set = { name: "string", count: "integer", configured: "integer" } as const;

export const replicasContract: FeatureContract = {
  clientFrames: { scale_process: row({ name: "string", count: "integer" }) },
  managerFrames: { replicas_upsert: event({ replicas: table("replica set") }), replicas_remove: event({ name: "string" }) },
  resources: { "replica set": set },
  // By a reload without the key (test/features/replicas/manager.test.ts).
  seenElsewhere: ["replicas_remove"],
  snapshot: { replicas: arrayOf(table("replica set")) },
};
