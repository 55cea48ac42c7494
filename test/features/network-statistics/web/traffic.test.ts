import { describe, expect, test } from "vitest";
import { byteRate, countRate, speedText } from "../../../../src/client/shown/units.ts";
import { TrafficHistory } from "../../../../web/src/features/network-statistics/traffic-history.ts";
import {
  hostRows,
  kindsOf,
  linkKey,
  linkRows,
  missingPart,
  portKey,
  portRows,
  shownProblems,
  type TrafficFilter,
} from "../../../../web/src/features/network-statistics/traffic-rows.ts";
import { ageText, LINK_KINDS } from "../../../../web/src/features/network-statistics/traffic-words.ts";
import { NETWORK_STATS } from "../network-example.ts";
import { madeUpFleet } from "../network-fleet.ts";

const ALL: TrafficFilter = { text: "", host: null, hiddenKinds: [], hiddenRows: [] };
const { stats } = madeUpFleet(20);
const keys = (filter: Partial<TrafficFilter>) => linkRows(stats, { ...ALL, ...filter }).map(({ key }) => key);

describe("links", () => {
  test.each([3, 20, 60])("of %i hosts are all shown without a filter", (count) => {
    const fleet = madeUpFleet(count).stats;
    expect(linkRows(fleet, ALL).map(({ link }) => link)).toEqual(fleet.links);
  });

  test("are found by their ends, with all their parts", () => {
    const [row, ...others] = linkRows(stats, { ...ALL, text: "BENCH camera-2" }).filter(({ link }) => link.from_host === "bench");
    expect(others).toEqual([]);
    expect(row).toMatchObject({ key: "bench → camera-2", isFound: false });
    expect(row?.link.children).toHaveLength(2);
  });

  test("are found by a part, shown open, as the sum of the matches", () => {
    const rows = linkRows(stats, { ...ALL, text: "topic camera-1/image" });
    expect(rows.map(({ key, isFound }) => [key, isFound])).toEqual([["camera-1 → arm-1", true]]);
    expect(rows[0]?.problems.map(({ kind }) => kind)).toEqual(["loss"]);
    const [found] = linkRows(stats, { ...ALL, text: "service arm-1/move_to bench → arm" });
    expect(found).toBeUndefined();
    const [service] = linkRows(stats, { ...ALL, text: "service arm-1/move_to" });
    expect(service?.link.bytes_s).toBe(service?.link.children[0]?.bytes_s);
  });

  test("are narrowed to a host, and hidden one by one", () => {
    expect(keys({ host: "camera-1" }).toSorted()).toEqual(["bench → camera-1", "camera-1 → arm-1", "camera-1 → bench"]);
    expect(keys({ host: "camera-1", hiddenRows: ["bench → camera-1"] })).not.toContain("bench → camera-1");
  });

  test("are the sum of the visible kinds, and removed without any", () => {
    expect([...kindsOf(stats.links)].toSorted()).toEqual(["daemon", "service", "topic", "web"]);
    const rows = linkRows(stats, { ...ALL, hiddenKinds: ["web", "daemon"] });
    expect(rows.some(({ key }) => key.includes("10.0.0."))).toBe(false);
    for (const { link } of rows) expect(link.bytes_s).toBeCloseTo(link.children.reduce((sum, { bytes_s }) => sum + bytes_s, 0));
    expect(keys({ hiddenKinds: LINK_KINDS })).toEqual([]);
  });

  test.each([
    [{ bytes_s: 100, packets_s: 10, measured_bytes_s: 100, measured_packets_s: 9 }, 0.1],
    [{ bytes_s: 100, packets_s: 0, measured_bytes_s: 75, measured_packets_s: 0 }, 0.25],
    [{ bytes_s: 100, packets_s: 10, measured_bytes_s: 0, measured_packets_s: 12 }, 0],
    [{ bytes_s: 0, packets_s: 0, measured_bytes_s: 0, measured_packets_s: 0 }, 0],
  ])("%o miss %d", (values, part) => expect(missingPart(values)).toBeCloseTo(part));
});

test("interfaces are in order of their hosts, found by network and state, and hidden", () => {
  const ports = portRows(stats.interfaces, ALL).map(portKey);
  expect(ports.slice(0, 4)).toEqual(["arm-1 eth0", "arm-1 lo", "arm-1 wlan0", "arm-2 eth0"]);
  expect(portRows(stats.interfaces, { ...ALL, text: "field" }).every(({ network }) => network === "field")).toBe(true);
  expect(portRows(stats.interfaces, { ...ALL, text: "eth1 down" }).length).toBeGreaterThan(0);
  expect(portRows(stats.interfaces, { ...ALL, host: "arm-1", hiddenRows: ["arm-1 lo"] })).toHaveLength(2);
});

test("problems are those that match the filter", () => {
  expect(shownProblems(stats.problems, { text: "", host: null })).toEqual(stats.problems);
  expect(shownProblems(stats.problems, { text: "", host: "arm-1" }).map(({ kind }) => kind)).toEqual(["loss", "drops"]);
  expect(shownProblems(stats.problems, { text: "unreachable", host: null })).toHaveLength(1);
});

test("a host has its traffic, its round-trip time and its losses; one that was never measured is listed, too", () => {
  const rows = hostRows(NETWORK_STATS, ["bench", "rt1", "rt2", "rt3"], ALL);
  expect(rows.map(({ host, rtt_ms, age }) => [host, rtt_ms, age])).toEqual([
    ["bench", null, 0],
    ["rt1", 0.41, 0],
    ["rt2", 3.2, 42.3],
    ["rt3", null, 0],
  ]);
  expect(rows[1]).toMatchObject({ udpLost: 4, retransmits: 61.5 / 4_100 });
});

test("the history has the newest values, none of lost hosts, and drops removed ones", () => {
  const history = new TrafficHistory();
  for (let tick = 0; tick < 70; tick++) history.add(madeUpFleet(3, tick).stats);
  const link = madeUpFleet(3, 69).stats.links.find(({ from_host, to_host }) => from_host === "bench" && to_host === "arm-1");
  if (!link) throw new Error("there is no such link");
  expect(history.of(linkKey(link))).toHaveLength(60);
  expect(history.of(linkKey(link)).at(-1)).toBe(link.bytes_s);
  expect(history.of("camera-1 eth0")).toEqual([]);
  expect(history.of("bench eth0")).toHaveLength(60);
  history.add({ links: [], interfaces: [] });
  expect(history.of("bench eth0")).toEqual([]);
});

describe("numbers in words", () => {
  test.each([
    [0, "0"],
    [1_500, "1.5 kB/s"],
  ])("%d bytes a second", (bytes, text) => expect(byteRate(bytes)).toBe(text));
  test.each([
    [0, "0"],
    [0.01, "< 0.1"],
    [0.5, "0.5"],
    [42.3, "42"],
    [1_234.5, "1,235"],
  ])("%d a second", (count, text) => expect(countRate(count)).toBe(text));
  test.each([
    [null, ""],
    [1e9, "1 Gbit/s"],
    [2.5e9, "2.5 Gbit/s"],
    [1e8, "100 Mbit/s"],
  ])("a speed of %d", (bits, text) => expect(speedText(bits)).toBe(text));
  test.each([
    [42.3, "42 s old"],
    [190, "3 min old"],
    [7_300, "2 h old"],
  ])("an age of %d s", (seconds, text) => expect(ageText(seconds)).toBe(text));
});
