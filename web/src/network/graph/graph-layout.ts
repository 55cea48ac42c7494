import { Graph, layout } from "@dagrejs/dagre";
import { type Box, type Direction, type Line, lineOf, type Point } from "./graph-lines.ts";
import type { GraphEdge, GraphNode, NetworkGraph } from "./graph-model.ts";

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Box>;
  /** Open groups. */
  readonly groups: ReadonlyMap<string, Box>;
  /** By the keys of edges. */
  readonly edges: ReadonlyMap<string, Line>;
  /** Lines between networks and what is in them. */
  readonly memberships: readonly string[];
}

/** For panes of different widths: a whole one, half of one, a phone. All are high enough for a finger. */
const SIZES = {
  wide: { host: { width: 140, height: 46 }, network: { width: 112, height: 40 }, gap: 10, rank: 92, title: 32 },
  medium: { host: { width: 116, height: 46 }, network: { width: 60, height: 40 }, gap: 10, rank: 46, title: 46 },
  narrow: { host: { width: 112, height: 46 }, network: { width: 44, height: 46 }, gap: 8, rank: 30, title: 46 },
} as const;
export type Room = keyof typeof SIZES;

const PADDING = 10;
const MARGIN = 8;

/**
 * Places nodes in ranks: networks, then what most others talk to, then the others; the members of an open group in a box. Loaded with the first graph
 * that is shown.
 */
export function placeGraph(graph: NetworkGraph, room: Room, direction: Direction): PlacedGraph {
  const { nodes, edges, groups, memberships } = graph;
  const sizes = SIZES[room];
  // Along the ranks, so that no line crosses a member on its way to another one.
  const isColumn = direction === "LR";
  const outerOf = new Map(nodes.map((node) => [node.key, node.group ?? node.key]));
  const outer = (key: string) => outerOf.get(key) ?? key;
  const tree = spanningTree(edges, outer);
  const drawing = new Graph();
  drawing.setGraph({ rankdir: direction, nodesep: sizes.gap, edgesep: 6, ranksep: sizes.rank, marginx: MARGIN, marginy: MARGIN });
  for (const { key, members } of groups)
    drawing.setNode(key, { ...boxSize(isColumn ? 1 : members.length, isColumn ? members.length : 1, room) });
  for (const node of nodes) if (node.group === null) drawing.setNode(node.key, { ...sizeOf(node, room) });
  for (const [network, member] of memberships) drawing.setEdge(network, member, { weight: 1 });
  for (const [from, to] of tree) drawing.setEdge(from, to, { weight: 3 });
  layout(drawing);
  const boxes = new Map<string, Box>();
  for (const key of drawing.nodes()) {
    const { x, y, width, height } = drawing.node(key) as Box;
    boxes.set(key, { x: x - width / 2, y: y - height / 2, width, height });
  }
  for (const { key } of groups) {
    const box = boxes.get(key);
    if (!box) continue;
    nodes
      .filter(({ group }) => group === key)
      .forEach((node, index) => {
        boxes.set(node.key, {
          x: box.x + PADDING + (isColumn ? 0 : index * (sizes.host.width + sizes.gap)),
          y: box.y + sizes.title + (isColumn ? index * (sizes.host.height + sizes.gap) : 0),
          ...sizes.host,
        });
      });
  }
  const at = (key: string): Box => boxes.get(key) ?? { x: 0, y: 0, width: 0, height: 0 };
  /** Bends that keep a line of several ranks clear of the nodes between. */
  const bends = (from: string, to: string): Point[] => {
    const points = (drawing.edge(from, to)?.points ?? []) as Point[];
    return points.length > 3 ? points.slice(1, -1) : [];
  };
  const lines = new Map<string, Line>();
  let reach = 0;
  for (const { key, ends } of edges) {
    const [from, to] = tree.some(([one, other]) => one === outer(ends[1]) && other === outer(ends[0])) ? [ends[1], ends[0]] : ends;
    const line = lineOf(at(from), bends(from, to), at(to), direction);
    reach = Math.max(reach, line.reach);
    lines.set(key, line);
  }
  const { width = 0, height = 0 } = drawing.graph() as { width?: number; height?: number };
  return {
    width: isColumn ? Math.max(width, reach) : width,
    height: isColumn ? height : Math.max(height, reach),
    nodes: new Map(nodes.map(({ key }) => [key, at(key)])),
    groups: new Map(groups.map(({ key }) => [key, at(key)])),
    edges: lines,
    memberships: memberships.map(([network, member]) => lineOf(at(network), bends(network, member), at(member), direction).path),
  };
}

function sizeOf({ kind }: GraphNode, room: Room): { width: number; height: number } {
  return kind === "network" ? SIZES[room].network : SIZES[room].host;
}

function boxSize(columns: number, rows: number, room: Room): { width: number; height: number } {
  const { host, gap, title } = SIZES[room];
  return {
    width: columns * (host.width + gap) - gap + 2 * PADDING,
    height: title + rows * (host.height + gap) - gap + PADDING,
  };
}

/**
 * Pairs of nodes that reach all others, from those with the most neighbours outwards. Only these make ranks: with every pair, hosts that talk to each
 * other would stand far apart.
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
  /** Pairs, not nodes: a hub may talk to groups only. */
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
