import { expect, it } from "vitest";
import { readNetwork } from "../../../../src/features/network-statistics/host/interfaces.ts";
import { parseInterfaces, parseUdpDrops, parseUdpErrors } from "../../../../src/features/network-statistics/host/proc-net.ts";
import { parseTcpConnections } from "../../../../src/features/network-statistics/host/tcp-connections.ts";

// Recorded on Linux 6.18 and shortened.
const DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 488005921059 24360045    0    0    0     0          0         0 488005921059 24360045    0    0    0     0       0          0
  eth0:4294967290     311    2    7    0     0          0         0    24012     281    3    1    0     0       0          0
eth0:1:       1       2    0    0    0     0          0         0        3       4    0    0    0     0       0          0
`;
const SNMP = `Ip: Forwarding DefaultTTL
Ip: 2 64
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
Udp: 155743 30 9 156016 8 0 1 0 0
UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
UdpLite: 0 0 5 0 5 0 0 0 0
`;
const SNMP6 = "Ip6InReceives                   \t10\nUdp6InErrors                    \t4\nUdp6RcvbufErrors                \t3\n";
const UDP = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  112: 0100007F:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 21411 2 00000000d9e5bd5e 17
  245: 00000000:0044 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 14711 2 0000000012c5bd5e 5
`;

it("the counters of each interface are read, whatever stands before and after the colon", () => {
  const [lo, eth0, alias] = parseInterfaces(DEV);
  expect(lo).toMatchObject({ name: "lo", rx_bytes: 488_005_921_059, tx_packets: 24_360_045 });
  const received = { rx_bytes: 4_294_967_290, rx_packets: 311, rx_errors: 2, rx_drops: 7 };
  expect(eth0).toEqual({ name: "eth0", ...received, tx_bytes: 24_012, tx_packets: 281, tx_errors: 3, tx_drops: 1 });
  expect(alias).toMatchObject({ name: "eth0:1", rx_bytes: 1, tx_packets: 4 });
  expect(parseInterfaces("")).toEqual([]);
});

it("the losses of UDP over IPv4 and IPv6 are added, and not those of UDP-Lite", () => {
  expect(parseUdpErrors(SNMP, SNMP6)).toEqual({ receive_errors: 13, buffer_errors: 11 });
  expect(parseUdpErrors(SNMP, "")).toEqual({ receive_errors: 9, buffer_errors: 8 });
  expect(parseUdpErrors("", "")).toEqual({ receive_errors: 0, buffer_errors: 0 });
  expect(parseUdpDrops(UDP)).toBe(22);
  expect(parseUdpDrops("")).toBe(0);
});

it("this machine is read: loopback is up and has its addresses, and the index of the kernel", () => {
  const lo = readNetwork().find((row) => row.kind === "interface" && row.name === "lo");
  expect(lo).toMatchObject({ index: 1, up: true, speed_bits_s: null, addresses: expect.arrayContaining(["127.0.0.1/8"]) });
});

it("TCP connections are read as ss prints them, also of programs without a known name", () => {
  const text = [
    'ESTAB 0 0 10.0.0.7:50312 10.0.0.1:8130 users:(("arm \\"one\\"",pid=4711,fd=18)) cubic wscale:7,7 rto:204 rtt:0.41/0.2 ato:40 mss:1448 bytes_sent:1048600 bytes_retrans:24 bytes_acked:1048577 bytes_received:20480 segs_out:900 retrans:0/3 send 1Mbps',
    "ESTAB 0 0 [::ffff:10.0.0.7]:22 [::ffff:10.0.0.50]:61022 cubic rto:201 bytes_acked:1 segs_out:2",
    "ESTAB 0 0 [fe80::1%eth0]:22 [fe80::2%eth0]:400 cubic rtt:12/3",
    "",
  ].join("\n");
  const [arm, ssh, local] = parseTcpConnections(text, (pid) => (pid === 4711 ? "arm/controller" : null));
  expect(arm).toEqual({
    process: "arm/controller",
    pid: 4711,
    program: 'arm \\"one\\"',
    local: "10.0.0.7:50312",
    peer: "10.0.0.1:8130",
    bytes_sent: 1_048_576,
    bytes_received: 20_480,
    rtt_ms: 0.41,
    retransmits: 3,
  });
  expect(ssh).toMatchObject({
    process: null,
    pid: null,
    program: "",
    local: "10.0.0.7:22",
    peer: "10.0.0.50:61022",
    bytes_sent: 0,
    rtt_ms: null,
  });
  expect(local).toMatchObject({ local: "[fe80::1]:22", peer: "[fe80::2]:400", rtt_ms: 12 });
});
