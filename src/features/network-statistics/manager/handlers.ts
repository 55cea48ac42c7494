import { aboutHost, type HandlerTable } from "../../../transport/handlers/handler.ts";
import { DEFAULT_NETWORK_SAMPLE_SECONDS } from "../wire.ts";

type Types = "request_network_stats" | "request_network_topology" | "request_tcp_connections";

export const networkHandlers: HandlerTable<Types> = {
  request_network_stats: {
    kind: "request",
    answer: async ({ sample_seconds: seconds = DEFAULT_NETWORK_SAMPLE_SECONDS, sample_mode: mode = "interval" }, { control }) => [
      { type: "network_stats", ok: true, stats: await control.network.stats({ seconds, mode }) },
    ],
  },
  request_network_topology: {
    kind: "request",
    answer: async (_frame, { control }) => [{ type: "network_topology", ok: true, topology: await control.network.topology() }],
  },
  request_tcp_connections: {
    kind: "request",
    about: aboutHost,
    answer: async ({ host }, { control }) => [{ type: "tcp_connections", ok: true, ...(await control.network.tcpConnections(host)) }],
  },
};
