import { aboutHost, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { networkCommands } from "../wire.ts";
import { DEFAULT_NETWORK_SAMPLE_SECONDS } from "../wire.ts";
import type { Network } from "./network.ts";

export function networkHandlers(network: Network): HandlerTable<keyof typeof networkCommands> {
  return {
    request_network_stats: {
      kind: "request",
      answer: async ({ sample_seconds: seconds = DEFAULT_NETWORK_SAMPLE_SECONDS, sample_mode: mode = "interval" }) => [
        { type: "network_stats", ok: true, stats: await network.stats({ seconds, mode }) },
      ],
    },
    request_network_topology: {
      kind: "request",
      answer: async () => [{ type: "network_topology", ok: true, topology: await network.topology() }],
    },
    request_tcp_connections: {
      kind: "request",
      about: aboutHost,
      answer: async ({ host }) => [{ type: "tcp_connections", ok: true, ...(await network.tcpConnections(host)) }],
    },
  };
}
