import { expect, it } from "vitest";
import { measure } from "../../../src/app/network/measure.ts";
import { problemsOf } from "../../../src/app/network/problems.ts";
import type { PeerTraffic } from "../../../src/bus/carriers/peer-traffic.ts";
import type { NetworkRowOf } from "../../../src/contract/network.ts";
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
  return { kind: "link_socket", local: "10.0.0.7:50000", peer: "10.0.0.1:8130", ...none, ...given };
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

it("kinds and names of a peer's connections are children of one link; what carried nothing is none", () => {
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

it("connections of one host from two addresses are one link: what its daemon has counted is in it once", () => {
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
