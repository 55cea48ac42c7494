import type { Live } from "../../e2e/support/live-frames.ts";

export async function networkStatisticsLive({ ask }: Live): Promise<void> {
  await ask({ type: "request_network_stats", sample_seconds: 1, sample_mode: "previous" });
  await ask({ type: "request_network_topology" });
  await ask({ type: "request_tcp_connections", host: "localhost" });
}
