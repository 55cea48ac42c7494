import type { NetworkStats, NetworkTopology, TcpConnection } from "../protocol/resources/resources.ts";

export interface NetworkSampling {
  /** Length of a measurement. */
  readonly seconds: number;
  /** `previous`: since the last sample, without waiting. */
  readonly mode: "interval" | "previous";
}

/** Traffic between hosts. Counters are read on request only. */
export interface Network {
  stats(sampling: NetworkSampling): Promise<NetworkStats>;
  topology(): Promise<NetworkTopology>;
  /** `host` is any of its names; resolves with its canonical one. */
  tcpConnections(host: string): Promise<{ host: string; connections: TcpConnection[] }>;
  /** All counters so far, requested from every host, for collectors that compute differences themselves. */
  totals(): Promise<NetworkTotals>;
}

export interface NetworkTotals {
  readonly interfaces: readonly (InterfaceName & InterfaceTotals)[];
  /** Of the brokers' clients. */
  readonly topics: readonly { host: string; topic: string; end: "published" | "arrived"; messages: number; bytes: number }[];
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
