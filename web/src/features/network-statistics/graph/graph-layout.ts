import { Graph, layout } from "@dagrejs/dagre";
import { type Box, type Direction, type End, type Line, lineOf, type Point } from "./graph-lines.ts";
import type { GraphEdge, GraphNode, NetworkGraph } from "./graph-model.ts";

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Box>;
  /** Boxes of the open groups. */
  readonly groups: ReadonlyMap<string, Box>;
  /** Lines by the keys of their edges. */
  readonly edges: ReadonlyMap<string, Line>;
  /** Paths of the lines between networks and their members. */
  readonly memberships: readonly string[];
}

/** Sizes for panes of different widths, px: a whole pane, half of one, a phone. All are high enough for a finger. */
const SIZES = {
  wide: { host: { width: 140, height: 46 }, network: { width: 112, height: 40 }, gap: 10, rank: 92, title: 32 },
  medium: { host: { width: 116, height: 46 }, network: { width: 80, height: 40 }, gap: 10, rank: 40, title: 46 },
  narrow: { host: { width: 112, height: 46 }, network: { width: 44, height: 46 }, gap: 8, rank: 30, title: 46 },
} as const;
export type Room = keyof typeof SIZES;

const PADDING = 10;
const MARGIN = 8;
/** Maximum number of lines across the ranks for the members of an open group; another line begins after MEMBERS_IN_LINE members. */
const MAX_LINES = { wide: 3, medium: 1, narrow: 1 } as const;
const MEMBERS_IN_LINE = 4;
/** Gap between lines that pass one member on the way to the next, px. */
const LINE_GAP = 6;

/**
 * Places nodes in ranks: networks, then the nodes with the most links, then the others; members of an open group are in a box. Loaded with the
 * first graph that is shown.
 */
export function placeGraph(graph: NetworkGraph, room: Room, direction: Direction): PlacedGraph {
  const { nodes, edges, groups, memberships } = graph;
  const sizes = SIZES[room];
  const isAcross = direction === "LR";
  /** Number of columns of an open group's members, or of rows if the ranks go down. */
  const linesOf = (members: number) => Math.min(MAX_LINES[room], Math.ceil(members / MEMBERS_IN_LINE));
  const columnsOf = (members: number) => (isAcross ? linesOf(members) : Math.ceil(members / linesOf(members)));
  const outerOf = new Map(nodes.map((node) => [node.key, node.group ?? node.key]));
  const outer = (key: string) => outerOf.get(key) ?? key;
  const tree = spanningTree(edges, outer);
  const drawing = new Graph();
  drawing.setGraph({ rankdir: direction, nodesep: sizes.gap, edgesep: 6, ranksep: sizes.rank, marginx: MARGIN, marginy: MARGIN });
  for (const { key, members } of groups) drawing.setNode(key, { ...boxSize(members.length, columnsOf(members.length), room) });
  for (const node of nodes) if (node.group === null) drawing.setNode(node.key, { ...sizeOf(node, room) });
  for (const [network, member] of memberships) drawing.setEdge(network, member, { weight: 1 });
  for (const [from, to] of tree) drawing.setEdge(from, to, { weight: 3 });
  layout(drawing);
  const boxes = new Map<string, Box>();
  for (const key of drawing.nodes()) {
    const { x, y, width, height } = drawing.node(key) as Box;
    boxes.set(key, { x: x - width / 2, y: y - height / 2, width, height });
  }
  for (const { key, members } of groups) {
    const box = boxes.get(key);
    if (!box) continue;
    const columns = columnsOf(members.length);
    nodes
      .filter(({ group }) => group === key)
      .forEach((node, index) => {
        boxes.set(node.key, {
          x: box.x + PADDING + (index % columns) * (sizes.host.width + sizes.gap),
          y: box.y + sizes.title + Math.floor(index / columns) * (sizes.host.height + sizes.gap),
          ...sizes.host,
        });
      });
  }
  const at = (key: string): Box => boxes.get(key) ?? { x: 0, y: 0, width: 0, height: 0 };
  const endOf = (key: string): End => ({ box: at(key), outer: at(outer(key)) });
  /** Points that lead a line around the nodes between its ends: nodes of other ranks, and members of its group. */
  const bends = (from: string, to: string): Point[] => {
    const points = (drawing.edge(outer(from), outer(to))?.points ?? []) as Point[];
    const between = points.length > 3 ? points.slice(1, -1) : [];
    return outer(to) === to || points.length === 0 ? between : [...between, entry(endOf(to), direction)];
  };
  const lines = new Map<string, Line>();
  let reach = 0;
  for (const { key, ends } of edges) {
    const [from, to] = tree.some(([one, other]) => one === outer(ends[1]) && other === outer(ends[0])) ? [ends[1], ends[0]] : ends;
    const line = lineOf(endOf(from), bends(from, to), endOf(to), direction);
    reach = Math.max(reach, line.reach);
    lines.set(key, line);
  }
  const { width = 0, height = 0 } = drawing.graph() as { width?: number; height?: number };
  return {
    width: isAcross ? Math.max(width, reach) : width,
    height: isAcross ? height : Math.max(height, reach),
    nodes: new Map(nodes.map(({ key }) => [key, at(key)])),
    groups: new Map(groups.map(({ key }) => [key, at(key)])),
    edges: lines,
    memberships: memberships.map(([network, member]) => lineOf(endOf(network), bends(network, member), endOf(member), direction).path),
  };
}

function sizeOf({ kind }: GraphNode, room: Room): { width: number; height: number } {
  return kind === "network" ? SIZES[room].network : SIZES[room].host;
}

function boxSize(members: number, columns: number, room: Room): { width: number; height: number } {
  const { host, gap, title } = SIZES[room];
  return {
    width: columns * (host.width + gap) - gap + 2 * PADDING,
    height: title + Math.ceil(members / columns) * (host.height + gap) - gap + PADDING,
  };
}

/** The point where a line to a member enters the box of its group: straight before the member, beside the lines to members in front of it. */
function entry({ box, outer }: End, direction: Direction): Point {
  if (direction === "LR") return { x: outer.x, y: box.y + box.height / 2 + LINE_GAP * Math.round((box.x - outer.x) / box.width) };
  return { x: box.x + box.width / 2 + LINE_GAP * Math.round((box.y - outer.y) / box.height), y: outer.y };
}

/**
 * Pairs of nodes that connect all nodes, from those with the most neighbours outwards. Only these determine the ranks: with every pair, hosts
 * that exchange data would be far apart.
 */
function spanningTree(edges: readonly GraphEdge[], outer: (key: string) => string): [string, string][] {
  const neighbours = new Map<string, Set<string>>();
  const meet = (one: string, other: string) => neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other));
  for (const { ends } of edges) {
    const [one, other] = [outer(ends[0]), outer(ends[1])];
    if (one === other) continue;
    meet(one, other);
    meet(other, one);
  }
  /** Counts pairs, not nodes: a hub may be connected to groups only. */
  const degree = new Map<string, number>();
  for (const { ends } of edges)
    for (const end of ends) degree.set(outer(end), (degree.get(outer(end)) ?? 0) + 1 / (end === outer(end) ? 1 : 2));
  const byDegree = [...neighbours.keys()].sort((one, other) => (degree.get(other) ?? 0) - (degree.get(one) ?? 0) || (one < other ? -1 : 1));
  const seen = new Set<string>();
  const tree: [string, string][] = [];
  for (const root of byDegree) {
    if (seen.has(root)) continue;
    seen.add(root);
    for (const queue = [root]; queue.length > 0; ) {
      const from = queue.shift() ?? "";
      for (const to of neighbours.get(from) ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        tree.push([from, to]);
        queue.push(to);
      }
    }
  }
  return tree;
}
