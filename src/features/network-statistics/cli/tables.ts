import { visible } from "../../../base/text/visible-text.ts";
import { type Column, paint, table } from "../../../cli/output/table.ts";
import { byteRate, bytesText, countRate, roundTripText, speedText } from "../../../client/shown/units.ts";
import type { NetworkInterface, NetworkLink, NetworkProblem, NetworkStats, NetworkTopology, TcpConnection } from "../wire.ts";

/** A link, or an indented part of one. */
interface LinkRow {
  readonly name: string;
  readonly to: string;
  readonly values: Pick<NetworkLink, "bytes_s" | "packets_s" | "measured_bytes_s" | "measured_packets_s">;
}

/** Traffic as text: problems first, then links with their parts, then interfaces. */
export function trafficText({ links, interfaces, problems }: NetworkStats): string {
  const parts = [
    problems.map(problemLine).join("\n"),
    links.length === 0 ? "no traffic between hosts" : table<LinkRow>(LINK_COLUMNS, links.flatMap(linkRows)),
    table<NetworkInterface>(INTERFACE_COLUMNS, interfaces),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const SEVERITY_COLOURS = { error: "red", warning: "yellow", info: "grey" } as const;

function problemLine({ severity, message }: NetworkProblem): string {
  return paint(SEVERITY_COLOURS[severity], `${severity}: ${message}`);
}

function linkRows({ from_host, to_host, children, ...values }: NetworkLink): LinkRow[] {
  return [
    { name: from_host, to: to_host, values },
    ...children.map(({ kind, name, ...own }) => ({ name: `  ${kind} ${name}`, to: "", values: own })),
  ];
}

const LINK_COLUMNS: Column<LinkRow>[] = [
  { title: "FROM", text: ({ name }) => name },
  { title: "TO", text: ({ to }) => to },
  { title: "SENT", text: ({ values }) => byteRate(values.bytes_s), right: true },
  { title: "RECEIVED", text: ({ values }) => byteRate(values.measured_bytes_s), right: true },
  { title: "PACKETS/S", text: ({ values }) => countRate(values.packets_s), right: true },
  { title: "RECEIVED", text: ({ values }) => countRate(values.measured_packets_s), right: true },
];

const INTERFACE_COLUMNS: Column<NetworkInterface>[] = [
  { title: "HOST", text: ({ host }) => host },
  { title: "INTERFACE", text: ({ interface: name }) => name },
  { title: "NETWORK", text: ({ network }) => network ?? "-" },
  { title: "STATE", text: ({ up }) => (up ? "up" : "down"), paint: ({ up }, text) => (up ? text : paint("yellow", text)) },
  { title: "SPEED", text: ({ speed_bits_s }) => speedText(speed_bits_s) || "-", right: true },
  { title: "RX", text: ({ rx_bytes_s }) => byteRate(rx_bytes_s), right: true },
  { title: "TX", text: ({ tx_bytes_s }) => byteRate(tx_bytes_s), right: true },
  { title: "ERRORS/S", text: (port) => countRate(port.rx_errors_s + port.tx_errors_s), right: true },
  { title: "DROPS/S", text: (port) => countRate(port.rx_drops_s + port.tx_drops_s), right: true },
];

/** Networks with the interfaces in them, then the gateways. */
export function topologyText({ networks, gateways }: NetworkTopology): string {
  const rows = networks.flatMap(({ name, netmasks, interfaces }) => {
    const first = { name, netmasks: netmasks.join(" ") };
    if (interfaces.length === 0) return [{ ...first, host: "-", interface: "-", ip: "-" }];
    return interfaces.map((port, index) => ({ ...(index === 0 ? first : { name: "", netmasks: "" }), ...port }));
  });
  const text = table<(typeof rows)[number]>(
    [
      { title: "NETWORK", text: ({ name }) => name },
      { title: "NETMASKS", text: ({ netmasks }) => netmasks },
      { title: "HOST", text: ({ host }) => host },
      { title: "INTERFACE", text: (row) => row.interface },
      { title: "ADDRESS", text: ({ ip }) => ip },
    ],
    rows,
  );
  return [text, ...gateways.map(({ host, networks: own }) => visible(`${host} is a gateway between ${own.join(", ")}`))].join("\n");
}

export function tcpText(connections: TcpConnection[]): string {
  return table<TcpConnection>(
    [
      { title: "PROCESS", text: ({ process }) => process ?? "-" },
      { title: "PROGRAM", text: ({ program }) => program || "-" },
      { title: "PID", text: ({ pid }) => String(pid ?? "-"), right: true },
      { title: "LOCAL", text: ({ local }) => local },
      { title: "PEER", text: ({ peer, peer_host }) => (peer_host === null ? peer : `${peer} (${peer_host})`) },
      { title: "SENT", text: ({ bytes_sent }) => bytesText(bytes_sent), right: true },
      { title: "RECEIVED", text: ({ bytes_received }) => bytesText(bytes_received), right: true },
      { title: "RTT", text: ({ rtt_ms }) => roundTripText(rtt_ms) || "-", right: true },
      { title: "RESENT", text: ({ retransmits }) => String(retransmits), right: true },
    ],
    connections,
  );
}
