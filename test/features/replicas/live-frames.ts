import type { Live } from "../../e2e/support/live-frames.ts";

/** Needs a process `replicated` with one replica (test/e2e/streams). */
export async function replicasLive({ ask, client }: Live): Promise<void> {
  const from = client.here;
  await ask({ type: "scale_process", name: "replicated", count: 2 });
  await client.until("another number of replicas", ({ type }) => type === "replicas_upsert", from);
}
