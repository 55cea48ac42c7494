import type { Live } from "../../e2e/support/live-frames.ts";

export async function topicLatencyLive({ ask, topic }: Live): Promise<void> {
  await ask({ type: "measure_topic_latency", name: topic, chain: [topic], sample_seconds: 0.1, limit_ms: 5 });
}
