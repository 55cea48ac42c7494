import { z } from "zod";
import { integer, processName } from "../../protocol/frames/field-kinds.ts";
import { change, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";
import { MAX_REPLICAS, replicaName } from "./replica-names.ts";

const replicaSet = z
  .object({
    name: z.string().describe("Name of the process in the configuration, and of the group of its replicas: `NAME/1`, `NAME/2` and so on."),
    count: z.int().describe("Number of its replicas. Those with higher numbers are still being stopped."),
    configured: z.int().describe("The number in the configuration file; another one was set by `scale_process`."),
  })
  .meta({ id: "ReplicaSet", description: "A process with `replicas`." });
export type ReplicaSet = z.infer<typeof replicaSet>;

/** The first replica always exists: connections that have it in view see the set. */
export const firstReplica = (name: string): string => replicaName(name, 1);

export const replicaCommands = clientFrames("Replicas", {
  scale_process: {
    fields: { name: processName.describe("Name of a process with `replicas`."), count: integer(1, MAX_REPLICAS) },
    answer: null,
    scope: "name",
    role: "operator",
    meaning:
      "Sets the number of replicas. New ones are started if the start of another one is requested; the highest ones are stopped and removed. Kept until the number in the file changes.",
  },
});

export const replicaFrames = managerFrames("Replicas", {
  replicas_upsert: change(
    { replicas: replicaSet },
    "A process has replicas, or another number of them than before.",
    ({ replicas: { name } }) => `replicas:${name}`,
    ({ replicas: { name } }) => firstReplica(name),
  ),
  replicas_remove: change(
    { name: z.string() },
    "A process has no replicas any more.",
    ({ name }) => `replicas:${name}`,
    ({ name }) => firstReplica(name),
  ),
});

/** On a focused connection, those whose first replica is in view. */
export const replicaSnapshot = { replicas: z.array(replicaSet) };
