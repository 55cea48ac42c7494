import { expect, it } from "vitest";
import type { PeerTraffic } from "../../../../src/bus/carriers/peer-traffic.ts";
import type { NetworkRowOf } from "../../../../src/features/network-statistics/contract.ts";
import { measure } from "../../../../src/features/network-statistics/manager/measure.ts";
import { problemsOf } from "../../../../src/features/network-statistics/manager/problems.ts";
import { NO_FINDINGS, PLACE, reading, sample } from "./support.ts";

const WORD = 2 ** 32;

function traffic(given: Partial<PeerTraffic>): PeerTraffic {
  const none = {
    written: 0,
    read: 0,
    acknowledged: 0,
    received: 0,
    segments_out: 0,
    segments_delivered: 0,
    segments_in: 0,
    retransmits: 0,
  };
  return { peer: "192.0.2.9", kind: "web", name: "websocket", ...none, rtt_us: null, ...given };
}

function socket(given: Partial<NetworkRowOf<"link_socket">>): NetworkRowOf<"link_socket"> {
  const none = { sent: 0, received: 0, data_segments_out: 0, data_segments_in: 0, retransmits: 0, rtt_us: 0 };
  const own = { written: given.sent ?? 0, read: given.received ?? 0 };
  return { kind: "link_socket", local: "10.0.0.7:50000", peer: "10.0.0.1:8130", ...none, ...own, ...given };
}

const forward = (target: string, sent: number, received: number) => ({ kind: "forward", target, sent, received }) as const;

it("a browser's link has what was written and acknowledged there, and what was received and read here; no counter stands for both", () => {
  const now = { written: 10_000, acknowledged: 9_000, segments_out: 20, segments_delivered: 18, received: 600, read: 500, segments_in: 4 };
  const { stats } = measure(sample(0, { peers: [traffic({})] }), sample(2_000, { peers: [traffic(now)] }), PLACE);
  expect(stats.links).toMatchObject([
    { from_host: "bench", to_host: "192.0.2.9", bytes_s: 5_000, measured_bytes_s: 4_500, packets_s: 10, measured_packets_s: 9 },
    { from_host: "192.0.2.9", to_host: "bench", bytes_s: 300, measured_bytes_s: 250, packets_s: 0, measured_packets_s: 2 },
  ]);
  expect(stats.links[0]?.children).toMatchObject([{ kind: "web", name: "websocket" }]);
});

it("kinds and names of a peer's connections are children of one link; those without traffic are left out", () => {
  const peers = [
    traffic({ kind: "mgr_remote", name: "ada", written: 10 }),
    traffic({ kind: "client", name: "bus", written: 30 }),
    traffic({ name: "http", written: 20 }),
    traffic({ name: "vnc" }),
  ];
  const { stats } = measure(sample(0, {}), sample(1_000, { peers }), PLACE);
  const [link] = stats.links;
  expect(link?.children.map(({ kind, name, bytes_s }) => [kind, name, bytes_s])).toEqual([
    ["client", "bus", 30],
    ["web", "http", 20],
    ["mgr_remote", "ada", 10],
  ]);
  expect(link?.bytes_s).toBe(60);
});

it("a reset byte counter is not taken for a 32-bit wrap; a counter of kernel segments is", () => {
  const before = traffic({ written: 3_000_000_000, segments_out: WORD - 100 });
  const { stats } = measure(
    sample(0, { peers: [before] }),
    sample(1_000, { peers: [traffic({ written: 1_000, segments_out: 50 })] }),
    PLACE,
  );
  expect(stats.links[0]).toMatchObject({ bytes_s: 1_000, packets_s: 150 });
});

it("a daemon's link has the manager's counters at one end and those of the daemon's kernel at the other; segments sent again are a problem", () => {
  const daemon = { kind: "daemon", name: "rt1" } as const;
  const at = (time: number, mine: Partial<PeerTraffic>, theirs: Partial<NetworkRowOf<"link_socket">>[]) =>
    sample(time, { peers: [traffic({ ...daemon, ...mine })], hosts: new Map([["rt1", reading(time, theirs.map(socket))]]) });
  const before = at(0, {}, [{}]);
  const after = at(1_000, { written: 900, segments_out: 100, retransmits: 1, read: 5_000, segments_in: 48, rtt_us: 400 }, [
    { received: 890, data_segments_in: 99, sent: 4_000, data_segments_out: 40, retransmits: 1, rtt_us: 300 },
    // A connection that is new counts from 0.
    { local: "10.0.0.7:50001", sent: 1_000, data_segments_out: 10, rtt_us: 700 },
  ]);
  const { stats } = measure(before, after, PLACE);
  expect(stats.links).toMatchObject([
    { from_host: "rt1", to_host: "bench", bytes_s: 5_000, measured_bytes_s: 5_000, packets_s: 50, measured_packets_s: 48 },
    { from_host: "bench", to_host: "rt1", bytes_s: 900, measured_bytes_s: 890, packets_s: 100, measured_packets_s: 99 },
  ]);
  expect(stats.tcp_links).toMatchObject([
    { from_host: "bench", to_host: "rt1", rtt_ms: 0.4, packets_s: 100, retransmits_s: 1 },
    { from_host: "rt1", to_host: "bench", rtt_ms: 0.7, packets_s: 50, retransmits_s: 1 },
  ]);
  // 1 % is none, 2 % are.
  expect(problemsOf({ ...NO_FINDINGS, stats })).toMatchObject([
    {
      kind: "retransmissions",
      host: "rt1",
      peer: "bench",
      message: expect.stringMatching(/^2\.0 % of the segments from rt1 to bench.*Check/),
    },
  ]);
});

it("connections of one host from two addresses are one link, which has what its daemon has counted once", () => {
  const daemon = { kind: "daemon", name: "rt1" } as const;
  const at = (time: number, count: number) =>
    sample(time, {
      peers: ["10.0.0.7", "10.0.0.8"].map((peer) => traffic({ ...daemon, peer, written: count, read: count, segments_out: count })),
      hosts: new Map([["rt1", reading(time, [socket({ received: 2 * count, sent: 2 * count, data_segments_out: 2 * count })])]]),
    });
  const { stats } = measure(at(0, 0), at(1_000, 50), PLACE);
  const both = { bytes_s: 100, measured_bytes_s: 100, children: [expect.objectContaining({ kind: "daemon", bytes_s: 100 })] };
  expect(stats.links).toMatchObject([
    { from_host: "bench", to_host: "rt1", ...both },
    { from_host: "rt1", to_host: "bench", ...both },
  ]);
  expect(stats.tcp_links).toMatchObject([
    { from_host: "bench", to_host: "rt1", packets_s: 100 },
    { from_host: "rt1", to_host: "bench", packets_s: 100 },
  ]);
});

it("a forward is counted at both ends, and its loss is the difference; on the manager's own host it is on no link", () => {
  const at = (time: number, own: number[], there: number[]) => {
    const [written = 0, received = 0, sentThere = 0, receivedThere = 0] = [...own, ...there];
    const counts = [{ target: "127.0.0.1:5905", written, received }];
    return sample(time, {
      forwards: new Map([
        ["rt1", counts],
        ["bench", counts],
        ["lost", counts],
      ]),
      hosts: new Map([
        ["rt1", reading(time, [forward("127.0.0.1:5905", sentThere, receivedThere)])],
        ["bench", reading(time, [forward("127.0.0.1:5905", sentThere, receivedThere)])],
      ]),
    });
  };
  const { stats } = measure(at(0, [100, 0], [0, 100]), at(1_000, [5_000_100, 20], [30, 4_900_100]), PLACE);
  const none = { packets_s: 0, measured_packets_s: 0 };
  expect(stats.links).toEqual([
    expect.objectContaining({ from_host: "bench", to_host: "rt1", bytes_s: 5_000_000, measured_bytes_s: 4_900_000, ...none }),
    expect.objectContaining({ from_host: "rt1", to_host: "bench", bytes_s: 30, measured_bytes_s: 20, ...none }),
  ]);
  expect(stats.links[0]?.children).toMatchObject([{ kind: "tcp_forward", name: "127.0.0.1:5905" }]);
});

it("what a daemon's connections carry of topics, services and forwards is not counted again as `daemon`", () => {
  const daemon = { kind: "daemon", name: "rt1" } as const;
  const at = (time: number, out: number, into: number) =>
    sample(time, {
      peers: [traffic({ ...daemon, written: out + 300, read: into + 500 })],
      links: new Map([["rt1", { out_bytes: out * 0.75, in_bytes: into * 0.75 }]]),
      forwards: new Map([["rt1", [{ target: "127.0.0.1:5905", written: out * 0.25, received: into * 0.25 }]]]),
      hosts: new Map([
        [
          "rt1",
          reading(time, [
            socket({ written: into + 500, read: out + 300, sent: into, received: out }),
            { kind: "link", name: "hub", sent: into * 0.75, received: out * 0.75 },
            forward("127.0.0.1:5905", into * 0.25, out * 0.25),
          ]),
        ],
      ]),
    });
  const idle = at(0, 0, 0);
  const zero = { peers: [traffic(daemon)], hosts: new Map([["rt1", reading(0, [socket({ written: 0, read: 0 })])]]) };
  const { stats, shortfalls } = measure(sample(0, { ...idle, ...zero }), at(1_000, 1_000_000, 9_000_000), PLACE);
  const children = (from: string) => stats.links.find(({ from_host }) => from_host === from)?.children;
  expect(children("bench")).toMatchObject([
    { kind: "tcp_forward", bytes_s: 250_000, measured_bytes_s: 250_000 },
    { kind: "daemon", bytes_s: 300, measured_bytes_s: 300 },
  ]);
  expect(children("rt1")).toMatchObject([
    { kind: "tcp_forward", bytes_s: 2_250_000, measured_bytes_s: 2_250_000 },
    { kind: "daemon", bytes_s: 500, measured_bytes_s: 500 },
  ]);
  expect(problemsOf({ ...NO_FINDINGS, stats, shortfalls })).toEqual([]);
});

it("a browser on the manager's own machine has a link for each direction", () => {
  const peers = [traffic({ peer: "127.0.0.1", written: 9_000, acknowledged: 9_000, received: 400, read: 400 })];
  const place = { ...PLACE, hostOf: () => "bench" };
  const { stats } = measure(sample(0, {}), sample(1_000, { peers }), place);
  expect(stats.links.map(({ from_host, to_host, bytes_s }) => [from_host, to_host, bytes_s])).toEqual([
    ["bench", "127.0.0.1", 9_000],
    ["127.0.0.1", "bench", 400],
  ]);
});

it("every kind of traffic is a problem when more than 5 % of it does not arrive", () => {
  const MB = 1_000_000;
  const connection = { written: 3 * MB, acknowledged: 2.5 * MB, received: 0, read: 0 };
  const peers = [
    traffic({ ...connection, name: "page", acknowledged: 0.1 * MB }),
    traffic({ ...connection, kind: "mgr_remote", name: "gui" }),
    traffic({ ...connection, kind: "client", name: "plotter", received: 3 * MB, read: 2.5 * MB }),
    traffic({ ...connection, kind: "daemon", name: "rt1" }),
    // 4 % are no problem, and neither is what fits into the sockets.
    traffic({ ...connection, name: "vnc", acknowledged: 2.88 * MB }),
    traffic({ name: "http", written: 200_000 }),
  ];
  const at = (time: number, count: number) => ({
    forwards: new Map([["rt1", [{ target: "127.0.0.1:5905", written: 2 * count * MB, received: 0 }]]]),
    hosts: new Map([["rt1", reading(time, [forward("127.0.0.1:5905", 0, count * MB), socket({ written: 0, read: count * 2 * MB })])]]),
  });
  const { stats, shortfalls } = measure(sample(0, at(0, 0)), sample(1_000, { ...at(1_000, 1), peers }), PLACE);
  const problems = problemsOf({ ...NO_FINDINGS, stats, shortfalls });
  const named = problems.map(
    ({ kind, host, peer, child, severity }) => `${severity} ${kind} ${host} ${peer} ${child?.kind} ${child?.name}`,
  );
  expect(named.sort()).toEqual(
    [
      "error loss bench 192.0.2.9 web page",
      "warning loss bench 192.0.2.9 mgr_remote gui",
      "warning loss bench 192.0.2.9 client plotter",
      "warning loss 192.0.2.9 bench client plotter",
      "warning loss bench rt1 daemon rt1",
      "warning loss bench rt1 tcp_forward 127.0.0.1:5905",
    ].sort(),
  );
  expect(problems[0]?.message).toMatch(
    /^web 'page' from bench to 192\.0\.2\.9: 96\.7 % of the bytes did not arrive \(3000000 sent, 100000 received\)/,
  );
});
