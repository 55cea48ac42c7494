import type { RunSpec } from "../../contract/run.ts";
import type { TopicProbe } from "./contract.ts";

/** The probes by which a process counts as publishing, one for each topic: where `ready` and `alive` name the same one, the limits of `alive` apply. */
export function publishingProbes({ ready, alive }: Pick<RunSpec, "ready" | "alive">): TopicProbe[] {
  const probes = [ready, alive?.probe].filter((probe) => probe?.kind === "topic");
  return [...new Map(probes.map((probe) => [probe.topic, probe])).values()];
}
