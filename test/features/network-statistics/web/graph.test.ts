import { describe, expect, test } from "vitest";
import { nodeTowards } from "../../../../web/src/features/network-statistics/graph/graph-keys.ts";
import { placeGraph } from "../../../../web/src/features/network-statistics/graph/graph-layout.ts";
import type { Box } from "../../../../web/src/features/network-statistics/graph/graph-lines.ts";
import {
  type GraphInput,
  networkGraph,
  shapeOf,
  widthOf,
  withIdle,
} from "../../../../web/src/features/network-statistics/graph/graph-model.ts";
import { madeUpFleet } from "../network-fleet.ts";

const SIZES = [3, 20, 60] as const;
const ROOMS = ["wide", "medium", "narrow"] as const;
const DIRECTIONS = ["LR", "TB"] as const;

function inputOf(count: number, more: Partial<GraphInput> = {}): GraphInput {
  const { stats, topology } = madeUpFleet(count);
  const hosts = stats.udp.map(({ host }) => host);
  const ages = new Map(stats.udp.filter(({ age }) => age > 0).map(({ host, age }) => [host, age]));
  return { links: stats.links, topology, hosts, ages, problems: stats.problems, folds: {}, maxHosts: 12, ...more };
}

const graphOf = (count: number, more?: Partial<GraphInput>) => networkGraph(inputOf(count, more));
const overlap = (one: Box, other: Box) =>
  one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;

describe.each(SIZES)("the graph of %i hosts", (count) => {
  test("has every host in exactly one node, and one edge a pair", () => {
    const { nodes, edges } = graphOf(count);
    const shown = nodes.filter(({ kind }) => kind !== "network").flatMap(({ members }) => members);
    expect(shown.toSorted()).toEqual([...new Set(shown)].toSorted());
    for (const host of inputOf(count).hosts) expect(shown).toContain(host);
    expect(new Set(edges.map(({ ends }) => ends.toSorted().join("\n"))).size).toBe(edges.length);
    expect(nodes.length).toBeLessThanOrEqual(30);
  });

  test.each(["folded", "open"])("has the traffic of all links between its nodes, with groups %s", (state) => {
    const { links } = inputOf(count);
    const { edges, nodes } = graphOf(count, { maxHosts: state === "folded" ? 1 : 1_000 });
    const nodeOf = (name: string) => nodes.find(({ kind, members }) => kind !== "network" && members.includes(name))?.key;
    const between = links.filter(({ from_host, to_host }) => nodeOf(from_host) !== nodeOf(to_host));
    const total = between.reduce((sum, { bytes_s }) => sum + bytes_s, 0);
    expect(edges.reduce((sum, { there, back }) => sum + there + back, 0)).toBeCloseTo(total, 3);
    expect(nodes.reduce((sum, { sent }) => sum + sent, 0)).toBeCloseTo(total, 3);
  });

  test.each(
    ROOMS.flatMap((room) => DIRECTIONS.flatMap((direction) => [12, 1_000].map((maxHosts) => [room, direction, maxHosts] as const))),
  )("is placed without overlaps, %s %s, with groups folded above %i hosts", (room, direction, maxHosts) => {
    const graph = graphOf(count, { maxHosts });
    const { nodes, groups, edges, width, height } = placeGraph(graph, room, direction);
    const outer = [...groups.entries(), ...[...nodes].filter(([key]) => graph.nodes.find((node) => node.key === key)?.group === null)];
    outer.forEach(([key, box], index) => {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      for (const [other, otherBox] of outer.slice(index + 1)) expect(overlap(box, otherBox), `${key} and ${other}`).toBe(false);
    });
    const inGroups = graph.nodes.filter(({ group }) => group !== null);
    inGroups.forEach((node, index) => {
      const box = nodes.get(node.key);
      const own = groups.get(node.group ?? "");
      if (!box || !own) throw new Error(`${node.key} has no place`);
      expect(box.x >= own.x && box.y >= own.y && box.x + box.width <= own.x + own.width && box.y + box.height <= own.y + own.height).toBe(
        true,
      );
      for (const other of inGroups.slice(index + 1)) {
        const otherBox = nodes.get(other.key);
        if (otherBox) expect(overlap(box, otherBox), `${node.key} and ${other.key}`).toBe(false);
      }
    });
    expect([...edges.keys()].toSorted()).toEqual(graph.edges.map(({ key }) => key).toSorted());
    for (const { path } of edges.values()) expect(path).toMatch(/^M[\d. -]+([LC][\d. -]+)+$/);
  });
});

describe("groups", () => {
  test("are hosts with similar names in the same networks; folded above a number of hosts, and as the user chooses", () => {
    const folded = graphOf(60);
    expect(folded.groups).toEqual([]);
    expect(
      folded.nodes
        .filter(({ kind }) => kind === "group")
        .map(({ title, members }) => `${title} ${members.length}`)
        .toSorted(),
    ).toEqual(["addresses 6", "arm 11", "base 12", "camera 12", "gripper 11", "lidar 12"]);
    const key = folded.nodes.find(({ title }) => title === "camera")?.key ?? "";
    const opened = graphOf(60, { folds: { [key]: false } });
    expect(opened.groups.map(({ title }) => title)).toEqual(["camera"]);
    expect(opened.nodes.filter(({ group }) => group === key)).toHaveLength(12);
    expect(graphOf(20, { maxHosts: 20 }).groups.length).toBeGreaterThan(0);
    expect(graphOf(3).groups).toEqual([]);
  });

  test("of hosts without similar names are those of a network", () => {
    const hosts = Array.from({ length: 30 }, (_, index) => `${String.fromCharCode(97 + index)}x`);
    const interfaces = hosts.map((host, index) => ({ host, interface: "eth0", ip: `10.0.0.${index}` }));
    const topology = { networks: [{ name: "lab", netmasks: ["10.0.0.0/24"], interfaces }], gateways: [] };
    const { nodes } = networkGraph({ ...inputOf(3), links: [], hosts, topology });
    expect(nodes.map(({ kind, title }) => `${kind} ${title}`)).toEqual(["group lab", "network lab"]);
  });
});

test("a lost host is shown as old with its age, a router as a gateway, and a loss colours its edge", () => {
  const { nodes, edges } = graphOf(20, { maxHosts: 1_000 });
  const [lost] = inputOf(20).ages.keys();
  expect(nodes.find(({ title }) => title === lost)).toMatchObject({ age: 42, problem: "warning" });
  expect(nodes.filter(({ isGateway }) => isGateway).map(({ title }) => title)).toEqual(["arm-1"]);
  expect(edges.filter(({ problem }) => problem !== null).map(({ ends }) => ends)).toEqual([["host:arm-1", "host:camera-1"]]);
});

test("an edge is as wide as its traffic", () => {
  const widths = [0, 1_000, 100_000, 10_000_000, 1e15].map(widthOf);
  expect(widths.toSorted((one, other) => one - other)).toEqual(widths);
  expect(widths.at(-1)).toBe(9);
});

test("a pair without traffic keeps its place, and the graph its shape; one whose host is removed does not", () => {
  // Of three robots the last one is lost, and has no links.
  const busy = graphOf(3);
  const quiet = networkGraph({ ...inputOf(3), links: [] });
  const kept = withIdle(quiet, busy.edges);
  // The browser's address is gone with its links.
  expect(kept.edges.map(({ ends, there }) => `${ends.join(" ")} ${there}`).toSorted()).toEqual(["host:arm-1 host:bench 0"]);
  const later = networkGraph({ ...inputOf(3), links: madeUpFleet(3, 7).stats.links });
  expect(shapeOf(later)).toBe(shapeOf(busy));
});

test("arrow keys lead to the nearest node in their direction", () => {
  const at = (x: number, y: number): Box => ({ x, y, width: 10, height: 10 });
  const boxes = new Map([
    ["a", at(0, 0)],
    ["b", at(100, 10)],
    ["c", at(50, 200)],
    ["network", at(20, 0)],
  ]);
  const towards = (from: string, key: string) => nodeTowards(boxes, ["a", "b", "c"], from, key);
  expect(towards("a", "ArrowRight")).toBe("b");
  expect(towards("a", "ArrowDown")).toBe("c");
  expect(towards("b", "ArrowLeft")).toBe("a");
  expect(towards("a", "ArrowUp")).toBeNull();
  expect(towards("a", "Enter")).toBeNull();
});
