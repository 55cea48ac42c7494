import { z } from "zod";
import { hostName, MAX_SAMPLE_SECONDS, sampleSeconds } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";

export const DEFAULT_NETWORK_SAMPLE_SECONDS = 2;

const LINK_CHILD_KINDS = ["topic", "service", "tcp_forward", "daemon", "client", "mgr_remote", "web"] as const;
const PROBLEM_KINDS = ["loss", "link_down", "errors", "drops", "saturated", "retransmissions", "udp_drops", "unreachable"] as const;

const theoretical = {
  bytes_s: z.number().describe("Theoretical: computed at the sender."),
  packets_s: z.number().describe("Theoretical: computed at the sender."),
};
const traffic = {
  ...theoretical,
  measured_bytes_s: z.number().describe("Measured at the receiver."),
  measured_packets_s: z.number().describe("Measured at the receiver."),
};
const child = { kind: z.enum(LINK_CHILD_KINDS), name: z.string() };
const ends = { from_host: z.string(), to_host: z.string() };
const age = z.number().describe("Seconds since these values were measured: 0, or more while a host cannot be reached.");

const link = z.object({ ...ends, ...traffic, children: z.array(z.object({ ...child, ...traffic })) }).meta({ id: "NetworkLink" });
const oldLink = z.object({ ...ends, ...theoretical, children: z.array(z.object({ ...child, ...theoretical })) });

const networkInterface = z
  .object({
    host: z.string(),
    interface: z.string(),
    network: z.string().nullable().describe("Name of the network of its first address."),
    rx_bytes_s: z.number(),
    tx_bytes_s: z.number(),
    rx_packets_s: z.number(),
    tx_packets_s: z.number(),
    rx_errors_s: z.number(),
    tx_errors_s: z.number(),
    rx_drops_s: z.number(),
    tx_drops_s: z.number(),
    speed_bits_s: z.number().nullable().describe("Null where the driver reports none, such as loopback."),
    up: z.boolean(),
  })
  .meta({ id: "NetworkInterface" });

const tcpLink = z
  .object({
    ...ends,
    name: z.string().describe("What the connections carry: the daemon's connections to the manager's bus."),
    rtt_ms: z.number().nullable().describe("Round-trip time of the slowest connection."),
    packets_s: z.number().describe("Segments with data that were sent."),
    retransmits_s: z.number().describe("Segments that were sent again."),
    age,
  })
  .meta({ id: "NetworkTcpLink" });

const udp = z
  .object({
    host: z.string(),
    receive_errors_s: z.number().describe("Datagrams that the host could not deliver."),
    buffer_errors_s: z.number().describe("Those of them that found a full receive buffer."),
    drops_s: z.number().describe("Datagrams that open sockets lost."),
    age,
  })
  .meta({ id: "NetworkUdp" });

const problem = z
  .object({
    severity: z.enum(["info", "warning", "error"]),
    message: z.string().describe("Where, what, and what to do."),
    kind: z.enum(PROBLEM_KINDS),
    host: z.string().describe("Where; of a link its source."),
    peer: z.string().nullable().describe("The destination of a link."),
    interface: z.string().nullable(),
    child: z.object(child).nullable().describe("The part of the link."),
  })
  .meta({ id: "NetworkProblem" });

const networkStats = z
  .object({
    sample_seconds: z.number().describe("The time that really passed."),
    links: z.array(link).describe("Between logical ends, without the hops in between."),
    interfaces: z.array(networkInterface).describe("Measured traffic of each interface: the physical hops."),
    tcp_links: z.array(tcpLink).describe("Connections of daemons as the kernel sees them."),
    udp: z.array(udp).describe("Losses of UDP, one entry a host."),
    problems: z.array(problem).describe("The most severe first."),
    links_theoretical: z.array(oldLink).describe("Superseded by `links`."),
    links_measured: z.array(oldLink).describe("Superseded by `links`."),
  })
  .meta({ id: "NetworkStats" });
export type NetworkStats = z.infer<typeof networkStats>;
export type NetworkLink = z.infer<typeof link>;
export type NetworkInterface = z.infer<typeof networkInterface>;
export type NetworkProblem = z.infer<typeof problem>;

const networkTopology = z
  .object({
    networks: z.array(
      z.object({
        name: z.string(),
        netmasks: z.array(z.string()).describe("CIDR."),
        interfaces: z.array(z.object({ host: z.string(), interface: z.string(), ip: z.string() })),
      }),
    ),
    gateways: z
      .array(z.object({ host: z.string(), networks: z.array(z.string()) }))
      .describe("Hosts in several networks that forward between them."),
  })
  .meta({ id: "NetworkTopology" });
export type NetworkTopology = z.infer<typeof networkTopology>;

const tcpConnection = z
  .object({
    process: z.string().nullable().describe("The managed process it belongs to."),
    pid: z.number().nullable().describe("Null: the daemon may not know it."),
    program: z.string().describe("Name of the program, empty if unknown."),
    local: z.string().describe("`<ip>:<port>`"),
    peer: z.string().describe("`<ip>:<port>`"),
    peer_host: z.string().nullable().describe("The managed host that has the address."),
    bytes_sent: z.number().describe("Acknowledged by the peer, since the connection was made."),
    bytes_received: z.number(),
    rtt_ms: z.number().nullable(),
    retransmits: z.number().describe("Segments sent again, since the connection was made."),
  })
  .meta({ id: "TcpConnection" });
export type TcpConnection = z.infer<typeof tcpConnection>;

export const networkCommands = clientFrames("Network", {
  request_network_stats: {
    fields: {
      sample_seconds: sampleSeconds()
        .describe(
          `How long to measure; default ${DEFAULT_NETWORK_SAMPLE_SECONDS}, at most ${MAX_SAMPLE_SECONDS}. Not used with \`previous\`.`,
        )
        .exactOptional(),
      sample_mode: z
        .enum(["interval", "previous"], { error: "must be one of interval, previous" })
        .describe("`previous` compares with the last sample without waiting; default `interval`.")
        .exactOptional(),
    },
    answer: "network_stats",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "Traffic between hosts, sent when measured.",
  },
  request_network_topology: {
    fields: {},
    answer: "network_topology",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "Networks, their interfaces and gateways.",
  },
  request_tcp_connections: {
    fields: { host: hostName },
    answer: "tcp_connections",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "TCP connections of a host's programs, as of now.",
  },
});

export const networkFrames = managerFrames("Network", {
  network_stats: result({}, { stats: networkStats }, "Traffic between hosts."),
  network_topology: result({}, { topology: networkTopology }, "Networks, their interfaces and gateways."),
  tcp_connections: result({ host: z.string() }, { connections: z.array(tcpConnection) }, "TCP connections of a host's programs."),
});
