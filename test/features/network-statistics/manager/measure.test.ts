import { expect, it } from "vitest";
import { LastKnown } from "../../../../src/features/network-statistics/manager/last-known.ts";
import { measure } from "../../../../src/features/network-statistics/manager/measure.ts";
import { problemsOf } from "../../../../src/features/network-statistics/manager/problems.ts";
import type { TopicPlaces } from "../../../../src/features/network-statistics/manager/sample.ts";
import { arrived, NO_FINDINGS, PLACE, port, published, reading, sample } from "./support.ts";

const subscribed = (...hosts: string[]): ReadonlyMap<string, TopicPlaces> =>
  new Map([["topic.arm.state", { topic: "arm/state", hubPublisher: null, subscribers: hosts.map((host) => ({ host, broker: host })) }]]);

it("a topic counts at its sender for each host with subscribers, and at each receiver", () => {
  const before = sample(0, {
    hosts: new Map([
      ["rt1", reading(0, [published(100)])],
      ["rt2", reading(50_000, [arrived(7)])],
      ["rt3", reading(9, [arrived(0)])],
    ]),
    topics: subscribed("rt2", "rt3"),
  });
  const after = sample(2_000, {
    hosts: new Map([
      ["rt1", reading(2_000, [published(2_100)])],
      ["rt2", reading(52_000, [arrived(2_007)])],
      ["rt3", reading(2_009, [arrived(1_800)])],
    ]),
    topics: subscribed("rt2", "rt3"),
  });
  const { stats, shortfalls } = measure(before, after, PLACE);
  const full = { bytes_s: 10_000, packets_s: 1_000 };
  expect(stats.links).toEqual([
    expect.objectContaining({ from_host: "rt1", to_host: "rt2", ...full, measured_bytes_s: 10_000, measured_packets_s: 1_000 }),
    expect.objectContaining({ from_host: "rt1", to_host: "rt3", ...full, measured_bytes_s: 9_000, measured_packets_s: 900 }),
  ]);
  const problems = problemsOf({ ...NO_FINDINGS, stats, shortfalls });
  expect(problems).toMatchObject([{ kind: "loss", host: "rt1", peer: "rt3", child: { kind: "topic", name: "arm/state" } }]);
  expect(problems[0]?.message).toContain("10.0 % of the messages did not arrive (2000 sent, 1800 received)");
});

it.each([
  { lost: 5, isProblem: false },
  { lost: 6, isProblem: true },
])("$lost messages of 100 that are lost are a problem: $isProblem", ({ lost, isProblem }) => {
  const at = (time: number, sent: number, got: number) =>
    sample(time, {
      hosts: new Map([
        ["a", reading(time, [published(sent)])],
        ["b", reading(time, [arrived(got)])],
      ]),
      topics: subscribed("b"),
    });
  const { stats, shortfalls } = measure(at(0, 1, 1), at(1_000, 101, 101 - lost), PLACE);
  expect(problemsOf({ ...NO_FINDINGS, stats, shortfalls }).some(({ kind }) => kind === "loss")).toBe(isProblem);
});

it("messages that are in transit between the two readings of a sample are not counted as lost", () => {
  // The sender is read at 90 and 100 messages, then at 190 and 200; the receiver gets all of them a reading later.
  const at = (time: number, first: number, second: number) =>
    sample(time, {
      hosts: new Map([
        ["a", reading(time, [published(first)], [published(second)])],
        ["b", reading(time, [arrived(first - 10)], [arrived(first)])],
      ]),
      topics: subscribed("b"),
    });
  const { shortfalls } = measure(at(0, 90, 100), at(1_000, 190, 200), PLACE);
  expect(shortfalls).toEqual([expect.objectContaining({ sent: 90, arrived: 110 })]);
});

it("a new subscriber and a restarted daemon are not counted as loss", () => {
  const hosts = (sent: number, got: number, life = "one") =>
    new Map([
      ["a", reading(sent, [published(sent)])],
      ["b", reading(sent, [arrived(got)], [arrived(got)], life)],
    ]);
  const late = measure(sample(0, { hosts: hosts(10, 0) }), sample(1_000, { hosts: hosts(1_000, 5), topics: subscribed("b") }), PLACE);
  expect(late.shortfalls).toEqual([]);
  const topics = subscribed("b");
  const anew = measure(sample(0, { hosts: hosts(10, 10), topics }), sample(1_000, { hosts: hosts(1_000, 5, "two"), topics }), PLACE);
  expect([anew.shortfalls, anew.stats.links, [...anew.hosts]]).toEqual([[], [], ["a"]]);
});

it("messages of a publisher that has ended since are counted, although its topic is removed", () => {
  const hosts = (time: number, sent: number, got: number) =>
    new Map([
      ["a", reading(time, [published(sent)])],
      ["b", reading(time, [arrived(got)])],
    ]);
  const before = sample(0, { hosts: hosts(0, 10, 10), topics: subscribed("b") });
  const { stats } = measure(before, sample(1_000, { hosts: hosts(1_000, 110, 108) }), PLACE);
  expect(stats.links).toMatchObject([{ from_host: "a", to_host: "b", packets_s: 100, measured_packets_s: 98 }]);
});

it("an interface that was created again under its name has no rates, a removed one has no row; a step of the wall clock changes nothing", () => {
  const before = sample(0, {
    hosts: new Map([["a", reading(1_000, [port("eth0", { rx_bytes: 10 }), port("gone"), port("tun0", { index: 7 })])]]),
  });
  const after = sample(2_000, {
    hosts: new Map([["a", reading(3_000, [port("eth0", { rx_bytes: 2_010, rx_errors: 4 }), port("tun0", { index: 8, rx_bytes: 5 })])]]),
  });
  const { stats } = measure(before, after, PLACE);
  expect(stats.interfaces).toMatchObject([{ host: "a", interface: "eth0", network: null, rx_bytes_s: 1_000, rx_errors_s: 2 }]);
  expect(problemsOf({ ...NO_FINDINGS, stats })).toMatchObject([{ kind: "errors", host: "a", interface: "eth0" }]);
});

it("the datagrams measured for a lost host stay, with their age, until the host is removed or reports again", () => {
  const known = new LastKnown();
  const yes = () => true;
  const no = () => false;
  const row = { host: "a", receive_errors_s: 5, buffer_errors_s: 5, drops_s: 5, age: 0 };
  const now = { tcp_links: [], udp: [row] };
  const none = { tcp_links: [], udp: [] };
  known.with(now, 1_000, yes, yes);
  expect(known.with(none, 43_300, yes, no).udp).toEqual([{ ...row, age: 42.3 }]);
  expect(known.with(now, 50_000, yes, yes).udp).toEqual([row]);
  expect(known.with(none, 60_000, no, no)).toEqual(none);
});

it("problems of interfaces, segments and datagrams name the place and what to do, the most severe first", () => {
  const before = sample(0, {
    hosts: new Map([["a", reading(0, [port("eth0"), port("eth1"), { kind: "udp", receive_errors: 0, buffer_errors: 0, drops: 9 }])]]),
  });
  const rows = [port("eth0", { rx_bytes: 110_000_000, speed_bits_s: 1e9, tx_drops: 3, rx_errors: 4 }), port("eth1", { up: false })];
  const udp = { kind: "udp", receive_errors: 20, buffer_errors: 20, drops: 4 } as const;
  const { stats } = measure(before, sample(1_000, { hosts: new Map([["a", reading(1_000, [...rows, udp])]]) }), PLACE);
  const tcp = { from_host: "a", to_host: "b", name: "daemon", rtt_ms: 1, packets_s: 100, age: 0 };
  const tcp_links = [
    { ...tcp, retransmits_s: 2 },
    { ...tcp, to_host: "c", retransmits_s: 1 },
  ];
  const problems = problemsOf({ ...NO_FINDINGS, stats: { ...stats, tcp_links }, wasUp: (_host, name) => name === "eth1" });
  expect(problems.map(({ kind, interface: name, peer }) => [kind, name, peer])).toEqual([
    ["link_down", "eth1", null],
    ["errors", "eth0", null],
    ["drops", "eth0", null],
    ["saturated", "eth0", null],
    ["retransmissions", null, "b"],
    ["udp_drops", null, null],
  ]);
  const said = [
    /^eth1 of a is down\. Check its cable/,
    /^eth0 of a has 4 errors a second\. Check the cable/,
    /^eth0 of a drops 3 packets a second\. .*ethtool/,
    /^eth0 of a is at 88\.0 % of its speed\. Send less/,
    /^2\.0 % of the segments from a to b are sent again.*Check cables/,
    /^a loses 20 UDP datagrams a second.*larger receive buffer/,
  ];
  expect(problems.map(({ message }, index) => said[index]?.test(message))).toEqual(said.map(() => true));
});

it("a host that was never reached and one that is lost report where they are missing, and what to do", () => {
  const unreachable = new Map([
    ["new", null],
    ["lost", 42.3],
  ]);
  const problems = problemsOf({ ...NO_FINDINGS, unreachable });
  expect(problems.map(({ kind, host, severity }) => [kind, host, severity])).toEqual([
    ["unreachable", "lost", "warning"],
    ["unreachable", "new", "info"],
  ]);
  const said = [
    /^lost does not answer; it was last heard 42 s ago\. Check that the machine and its daemon run/,
    /^new was not reached yet\. Check that the machine/,
  ];
  expect(problems.map(({ message }, index) => said[index]?.test(message))).toEqual(said.map(() => true));
});
