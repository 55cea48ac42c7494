import type {
  NetworkInterface,
  NetworkLink,
  NetworkStats,
  NetworkTopology,
  TcpConnection,
} from "../../../src/features/network-statistics/wire.ts";

/**
 * Answers as a manager on `bench` gives them with the robots `rt1` and `rt2`: a topic that loses a tenth of its messages because a program on
 * rt1 reads too slowly, a forwarded connection, a browser, and rt2 lost for 42 s.
 */
const link = (from_host: string, to_host: string, children: NetworkLink["children"]): NetworkLink => {
  const sum = (key: "bytes_s" | "packets_s" | "measured_bytes_s" | "measured_packets_s") =>
    children.reduce((total, child) => total + child[key], 0);
  return {
    from_host,
    to_host,
    bytes_s: sum("bytes_s"),
    packets_s: sum("packets_s"),
    measured_bytes_s: sum("measured_bytes_s"),
    measured_packets_s: sum("measured_packets_s"),
    children,
  };
};

const child = (kind: NetworkLink["children"][number]["kind"], name: string, packets_s: number, size: number, kept = 1) => ({
  kind,
  name,
  bytes_s: packets_s * size,
  packets_s,
  measured_bytes_s: packets_s * size * kept,
  measured_packets_s: packets_s * kept,
});

const links: NetworkLink[] = [
  link("bench", "rt1", [
    child("topic", "camera/front", 30, 921_600, 0.9),
    child("service", "arm/move_to", 2, 96),
    child("daemon", "rt1", 25, 310),
  ]),
  link("rt1", "bench", [
    child("topic", "arm/state", 1_000, 1_024),
    child("service", "arm/move_to", 2, 64),
    child("tcp_forward", "127.0.0.1:5905", 3_600, 1_388),
    child("daemon", "rt1", 80, 420),
  ]),
  link("bench", "10.0.0.50", [child("web", "websocket", 60, 2_300), child("web", "vnc", 400, 1_200), child("web", "http", 1, 8_000)]),
  link("10.0.0.50", "bench", [child("web", "websocket", 12, 90), child("web", "vnc", 40, 60), child("web", "http", 1, 700)]),
  link("bench", "10.0.0.51", [child("mgr_remote", "ada", 20, 900), child("client", "plotter", 100, 500)]),
];

const port = (
  host: string,
  name: string,
  rx_bytes_s: number,
  tx_bytes_s: number,
  more: Partial<NetworkInterface> = {},
): NetworkInterface => ({
  host,
  interface: name,
  network: name === "lo" ? null : "lab",
  rx_bytes_s,
  tx_bytes_s,
  rx_packets_s: rx_bytes_s / 1_000,
  tx_packets_s: tx_bytes_s / 1_000,
  rx_errors_s: 0,
  tx_errors_s: 0,
  rx_drops_s: 0,
  tx_drops_s: 0,
  speed_bits_s: name === "lo" ? null : 1_000_000_000,
  up: true,
  ...more,
});

const interfaces: NetworkInterface[] = [
  port("bench", "eth0", 6_100_000, 28_400_000),
  port("bench", "lo", 120_000, 120_000),
  port("rt1", "eth0", 28_500_000, 6_200_000, { rx_drops_s: 12 }),
  port("rt1", "wlan0", 0, 0, { up: false, speed_bits_s: null, network: "field" }),
];

const where = { peer: null, interface: null, child: null };

export const NETWORK_STATS: NetworkStats = {
  sample_seconds: 2.004,
  links,
  interfaces,
  tcp_links: [
    { from_host: "rt1", to_host: "bench", name: "daemon", rtt_ms: 0.41, packets_s: 4_100, retransmits_s: 61.5, age: 0 },
    { from_host: "rt2", to_host: "bench", name: "daemon", rtt_ms: 3.2, packets_s: 1_100, retransmits_s: 0, age: 42.3 },
  ],
  udp: [
    { host: "bench", receive_errors_s: 0, buffer_errors_s: 0, drops_s: 0, age: 0 },
    { host: "rt1", receive_errors_s: 4, buffer_errors_s: 4, drops_s: 4, age: 0 },
    { host: "rt2", receive_errors_s: 0, buffer_errors_s: 0, drops_s: 0, age: 42.3 },
  ],
  problems: [
    {
      severity: "error",
      kind: "loss",
      message:
        "topic 'camera/front' from bench to rt1: 10.0 % of the messages did not arrive (60 sent, 54 received). A subscriber on rt1 may read too slowly, or the link is full: look at its load, or publish less often",
      host: "bench",
      peer: "rt1",
      interface: null,
      child: { kind: "topic", name: "camera/front" },
    },
    {
      severity: "warning",
      kind: "unreachable",
      message:
        "rt2 does not answer; it was last heard 42 s ago. Check that the machine and its daemon run, and that the network between them is up",
      host: "rt2",
      ...where,
    },
    {
      severity: "warning",
      kind: "drops",
      message:
        "eth0 of rt1 drops 12.0 packets a second. The machine is too busy, or the queue of its driver is too short (ethtool -g eth0)",
      host: "rt1",
      ...where,
      interface: "eth0",
    },
  ],
  links_theoretical: links.map(({ from_host, to_host, bytes_s, packets_s, children }) => ({
    from_host,
    to_host,
    bytes_s,
    packets_s,
    children: children.map(({ kind, name, ...own }) => ({ kind, name, bytes_s: own.bytes_s, packets_s: own.packets_s })),
  })),
  links_measured: links.map(({ from_host, to_host, measured_bytes_s, measured_packets_s, children }) => ({
    from_host,
    to_host,
    bytes_s: measured_bytes_s,
    packets_s: measured_packets_s,
    children: children.map(({ kind, name, ...own }) => ({ kind, name, bytes_s: own.measured_bytes_s, packets_s: own.measured_packets_s })),
  })),
};

export const NETWORK_TOPOLOGY: NetworkTopology = {
  networks: [
    {
      name: "lab",
      netmasks: ["10.0.0.0/24"],
      interfaces: [
        { host: "bench", interface: "eth0", ip: "10.0.0.1" },
        { host: "rt1", interface: "eth0", ip: "10.0.0.7" },
        { host: "rt2", interface: "eth0", ip: "10.0.0.8" },
      ],
    },
    { name: "field", netmasks: ["192.168.4.0/24"], interfaces: [{ host: "rt1", interface: "wlan0", ip: "192.168.4.7" }] },
  ],
  gateways: [{ host: "rt1", networks: ["lab", "field"] }],
};

export const TCP_CONNECTIONS: TcpConnection[] = [
  {
    process: "arm/controller",
    pid: 4711,
    program: "controller",
    local: "10.0.0.7:50312",
    peer: "10.0.0.1:8130",
    peer_host: "bench",
    bytes_sent: 1_048_576,
    bytes_received: 20_480,
    rtt_ms: 0.4,
    retransmits: 3,
  },
  {
    process: null,
    pid: null,
    program: "",
    local: "10.0.0.7:22",
    peer: "10.0.0.50:61022",
    peer_host: null,
    bytes_sent: 40_960,
    bytes_received: 12_288,
    rtt_ms: 1.2,
    retransmits: 0,
  },
];
