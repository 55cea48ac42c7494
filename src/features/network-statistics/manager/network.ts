import type { NetworkStats, NetworkTopology, TcpConnection } from "../wire.ts";

export interface NetworkSampling {
  /** Length of a measurement. */
  readonly seconds: number;
  /** `previous`: compare with the last sample, without waiting. */
  readonly mode: "interval" | "previous";
}

/** Traffic between hosts. Counters are read on request only. */
export interface Network {
  stats(sampling: NetworkSampling): Promise<NetworkStats>;
  topology(): Promise<NetworkTopology>;
  /** `host` is any name of the host; resolves with its canonical name. */
  tcpConnections(host: string): Promise<{ host: string; connections: TcpConnection[] }>;
  /** All counters so far, requested from every host, for collectors that compute differences themselves. */
  totals(): Promise<NetworkTotals>;
}

export interface NetworkTotals {
  readonly interfaces: readonly (InterfaceName & InterfaceTotals)[];
  /** Losses and memory of each host's broker. */
  readonly brokers: readonly BrokerTotals[];
  /** Messages of the brokers' clients, by topic. */
  readonly topics: readonly { host: string; topic: string; end: "published" | "arrived"; messages: number; bytes: number }[];
}

export interface BrokerTotals {
  readonly host: string;
  /** Lost by programs that read too slowly, and by links (`link_dropped_msgs`). */
  readonly dropped_msgs: number;
  readonly dropped_bytes: number;
  readonly link_dropped_msgs: number;
  /** Messages not sent because the link was down (`missed_msgs`), and lost when it broke (`lost_msgs`). */
  readonly missed_msgs: number;
  readonly lost_msgs: number;
  readonly memory_bytes: number;
  readonly memory_limit: number;
  readonly freed: readonly { owner: string; messages: number }[];
}

export interface InterfaceName {
  readonly host: string;
  readonly interface: string;
}

export interface InterfaceTotals {
  readonly rx_bytes: number;
  readonly tx_bytes: number;
  readonly rx_packets: number;
  readonly tx_packets: number;
  readonly rx_errors: number;
  readonly tx_errors: number;
  readonly rx_drops: number;
  readonly tx_drops: number;
}
