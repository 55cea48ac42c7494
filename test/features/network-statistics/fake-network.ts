import { networkExtension } from "../../../src/features/network-statistics/manager/index.ts";
import type { Network, NetworkSampling, NetworkTotals } from "../../../src/features/network-statistics/manager/network.ts";
import { NETWORK_STATS, NETWORK_TOPOLOGY, TCP_CONNECTIONS } from "./network-example.ts";

/** A network that answers with the examples. */
export class FakeNetwork implements Network {
  readonly extension = networkExtension(this);
  stats = async (_sampling: NetworkSampling) => NETWORK_STATS;
  topology = async () => NETWORK_TOPOLOGY;
  tcpConnections = async (host: string) => ({ host, connections: TCP_CONNECTIONS });
  totals = async (): Promise<NetworkTotals> => ({
    interfaces: [
      {
        host: "testhost",
        interface: "eth0",
        rx_bytes: 1_000,
        tx_bytes: 2_000,
        rx_packets: 10,
        tx_packets: 20,
        rx_errors: 1,
        tx_errors: 2,
        rx_drops: 3,
        tx_drops: 4,
      },
    ],
    brokers: [],
    topics: [{ host: "testhost", topic: "arm/state", end: "published", messages: 7, bytes: 700 }],
  });
}
