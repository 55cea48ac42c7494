import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { type FeatureContract, result, row } from "../../contract/rows.ts";

/** docs/design/wire-rules.md, "Network". */
export const LINK_CHILD_KINDS = ["topic", "service", "tcp_forward", "daemon", "client", "mgr_remote", "web"];
/** docs/design/wire-rules.md, "Network". */
export const PROBLEM_SEVERITIES = ["info", "warning", "error"];
/** docs/protocol.md, "NetworkProblem". */
export const PROBLEM_KINDS = ["loss", "link_down", "errors", "drops", "saturated", "retransmissions", "udp_drops", "unreachable"];
/** docs/protocol.md, "Network". */
export const SAMPLE_MODES = ["interval", "previous"];

const anyOne = (values: readonly string[]) => oneOf(...values);

/**
 * Resources that come only from several machines in networks: test/e2e/network/network-statistics.test.ts has to see each of them, and
 * test/e2e/streams/contract.test.ts all others.
 */
export const NEEDS_NETWORKS: readonly string[] = ["TCP link", "problem child", "network", "network interface", "gateway"];

export const networkStatisticsContract: FeatureContract = {
  seenElsewhere: NEEDS_NETWORKS,
  clientFrames: {
    // Default: 2 s, interval (docs/design/wire-rules.md, "Network")
    request_network_stats: row({ sample_seconds: optional("number"), sample_mode: optional(oneOf(...SAMPLE_MODES)) }, "network_stats"),
    request_network_topology: row({}, "network_topology"),
    request_tcp_connections: row({ host: "string" }, "tcp_connections"),
  },
  managerFrames: {
    network_stats: result({}, { stats: table("network stats") }),
    network_topology: result({}, { topology: table("network topology") }),
    tcp_connections: result({ host: "string" }, { connections: arrayOf(table("TCP connection")) }),
  },
  resources: {
    "network stats": {
      sample_seconds: "number",
      links: arrayOf(table("link")),
      interfaces: arrayOf(table("interface traffic")),
      tcp_links: arrayOf(table("TCP link")),
      udp: arrayOf(table("UDP losses")),
      problems: arrayOf(table("network problem")),
      links_theoretical: arrayOf(table("compatibility link")),
      links_measured: arrayOf(table("compatibility link")),
    },
    link: {
      from_host: "string",
      to_host: "string",
      bytes_s: "number",
      packets_s: "number",
      measured_bytes_s: "number",
      measured_packets_s: "number",
      children: arrayOf(table("link child")),
    },
    "link child": {
      kind: anyOne(LINK_CHILD_KINDS),
      name: "string",
      bytes_s: "number",
      packets_s: "number",
      measured_bytes_s: "number",
      measured_packets_s: "number",
    },
    "compatibility link": {
      from_host: "string",
      to_host: "string",
      bytes_s: "number",
      packets_s: "number",
      children: arrayOf(table("compatibility link child")),
    },
    "compatibility link child": { kind: anyOne(LINK_CHILD_KINDS), name: "string", bytes_s: "number", packets_s: "number" },
    "interface traffic": {
      host: "string",
      interface: "string",
      network: nullable("string"),
      rx_bytes_s: "number",
      tx_bytes_s: "number",
      rx_packets_s: "number",
      tx_packets_s: "number",
      rx_errors_s: "number",
      tx_errors_s: "number",
      rx_drops_s: "number",
      tx_drops_s: "number",
      speed_bits_s: nullable("number"),
      up: "boolean",
    },
    "TCP link": {
      from_host: "string",
      to_host: "string",
      name: "string",
      rtt_ms: nullable("number"),
      packets_s: "number",
      retransmits_s: "number",
      age: "number",
    },
    "UDP losses": { host: "string", receive_errors_s: "number", buffer_errors_s: "number", drops_s: "number", age: "number" },
    "network problem": {
      severity: anyOne(PROBLEM_SEVERITIES),
      message: "string",
      kind: anyOne(PROBLEM_KINDS),
      host: "string",
      peer: nullable("string"),
      interface: nullable("string"),
      child: nullable(table("problem child")),
    },
    "problem child": { kind: anyOne(LINK_CHILD_KINDS), name: "string" },
    "network topology": { networks: arrayOf(table("network")), gateways: arrayOf(table("gateway")) },
    network: { name: "string", netmasks: arrayOf("string"), interfaces: arrayOf(table("network interface")) },
    "network interface": { host: "string", interface: "string", ip: "string" },
    gateway: { host: "string", networks: arrayOf("string") },
    "TCP connection": {
      process: nullable("string"),
      pid: nullable("integer"),
      program: "string",
      local: "string",
      peer: "string",
      peer_host: nullable("string"),
      bytes_sent: "integer",
      bytes_received: "integer",
      rtt_ms: nullable("number"),
      retransmits: "integer",
    },
  },
};
