import type { NetworkLink, NetworkProblem, NetworkTopology } from "../../../../../src/features/network-statistics/wire.ts";

export type NodeKind = "host" | "network" | "outside" | "group";

/** A node of the graph: a host, a network, an address outside, or a folded group. */
export interface GraphNode {
  readonly key: string;
  readonly kind: NodeKind;
  readonly title: string;
  /** Hosts or addresses that the node represents. */
  readonly members: readonly string[];
  /** Key of the open group that contains it; null: none. */
  readonly group: string | null;
  /** Bytes per second to and from others. */
  readonly received: number;
  readonly sent: number;
  /** Seconds since the host was last heard from; of a group the smallest. */
  readonly age: number;
  readonly isGateway: boolean;
  readonly problem: NetworkProblem["severity"] | null;
}

/** All traffic between two nodes, in both directions. */
export interface GraphEdge {
  readonly key: string;
  readonly ends: readonly [string, string];
  /** Bytes per second from the first to the second, and back. */
  readonly there: number;
  readonly back: number;
  readonly age: number;
  readonly problem: NetworkProblem["severity"] | null;
}

/** An open group: its nodes are in a box. */
export interface GraphGroup {
  readonly key: string;
  readonly title: string;
  readonly members: readonly string[];
}

export interface NetworkGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly groups: readonly GraphGroup[];
  /** The networks with the nodes or open groups that they contain. */
  readonly memberships: readonly (readonly [network: string, member: string])[];
}

export interface GraphInput {
  readonly links: readonly NetworkLink[];
  readonly topology: NetworkTopology | null;
  /** Managed hosts. */
  readonly hosts: readonly string[];
  /** Seconds since each lost host was last heard from. */
  readonly ages: ReadonlyMap<string, number>;
  readonly problems: readonly NetworkProblem[];
  /** Groups that the user has opened or folded. */
  readonly folds: Readonly<Record<string, boolean>>;
  /** Maximum number of hosts for which groups are open at first; with more they are folded. */
  readonly maxHosts: number;
}

/** Minimum number of hosts with similar names that form a group. */
const MIN_GROUP = 3;
/** Minimum number of hosts for which groups are formed. */
const MIN_HOSTS_FOR_GROUPS = 8;
/** Maximum number of outside addresses that are not grouped. */
const MAX_OUTSIDE = 3;
const OUTSIDE = "group:addresses";
const SEVERITIES = ["error", "warning", "info"] as const;

/** Builds the graph, with one edge for each pair; hosts with similar names in the same networks form groups that can be folded. */
export function networkGraph(input: GraphInput): NetworkGraph {
  const { links, topology, hosts, folds, maxHosts } = input;
  const networks = shownNetworks(topology, hosts.length);
  const networksOf = new Map<string, string[]>();
  for (const { name, interfaces } of networks)
    for (const host of new Set(interfaces.map((port) => port.host))) networksOf.set(host, [...(networksOf.get(host) ?? []), name]);
  const managed = new Set(hosts);
  const outside = [...new Set(links.flatMap(({ from_host, to_host }) => [from_host, to_host]))].filter((name) => !managed.has(name));
  const groups = groupsOf(hosts, networksOf, maxHosts);
  if (outside.length > MAX_OUTSIDE) groups.push({ key: OUTSIDE, title: "addresses", members: outside });
  const isFolded = ({ key }: GraphGroup) => folds[key] ?? (key === OUTSIDE || hosts.length > maxHosts);
  const open = groups.filter((group) => !isFolded(group));
  /** Key of the node that shows a host or an address. */
  const nodeOf = new Map<string, string>();
  for (const name of hosts) nodeOf.set(name, `host:${name}`);
  for (const name of outside) nodeOf.set(name, `outside:${name}`);
  for (const group of groups) if (isFolded(group)) for (const name of group.members) nodeOf.set(name, group.key);
  const edges = edgesOf(input, nodeOf);
  const drafts = new Map<string, Pick<GraphNode, "key" | "kind" | "title"> & { members: string[]; group: string | null }>();
  for (const [name, key] of nodeOf) {
    const folded = groups.find((group) => group.key === key);
    const draft = drafts.get(key);
    if (draft) draft.members.push(name);
    else
      drafts.set(key, {
        key,
        kind: folded ? "group" : managed.has(name) ? "host" : "outside",
        title: folded?.title ?? name,
        members: [name],
        group: open.find(({ members }) => members.includes(name))?.key ?? null,
      });
  }
  const gateways = new Set(topology?.gateways.map(({ host }) => host));
  const nodes: GraphNode[] = [...drafts.values()].map((draft) => ({
    ...draft,
    ...trafficOf(draft.key, edges),
    age: Math.min(...draft.members.map((name) => input.ages.get(name) ?? 0)),
    isGateway: draft.members.some((name) => gateways.has(name)),
    problem: worst(input.problems.filter(({ host, peer }) => draft.members.includes(host) && peer === null)),
  }));
  const memberships = new Map<string, readonly [string, string]>();
  for (const { key, members, group } of nodes)
    for (const network of members.flatMap((name) => networksOf.get(name) ?? [])) {
      const pair = [`network:${network}`, group ?? key] as const;
      memberships.set(pair.join("\n"), pair);
    }
  for (const { name } of networks)
    nodes.push({
      ...{ key: `network:${name}`, kind: "network", title: name, members: [name], group: null },
      ...{ received: 0, sent: 0, age: 0, isGateway: false, problem: null },
    });
  return { nodes, edges, groups: open, memberships: [...memberships.values()] };
}

/** Networks with several hosts; one with a single host only if it has a name of its own or there is only one host. */
function shownNetworks(topology: NetworkTopology | null, hosts: number): NetworkTopology["networks"] {
  return (topology?.networks ?? []).filter(({ name, netmasks, interfaces }) => {
    const inIt = new Set(interfaces.map((port) => port.host)).size;
    return inIt > 1 || (inIt === 1 && (hosts === 1 || !netmasks.includes(name)));
  });
}

function groupsOf(hosts: readonly string[], networksOf: ReadonlyMap<string, string[]>, maxHosts: number): GraphGroup[] {
  if (hosts.length <= MIN_HOSTS_FOR_GROUPS) return [];
  const found = gathered(hosts, (host) => ({ title: stemOf(host), where: networksOf.get(host)?.join(" ") ?? "" }));
  const rest = hosts.filter((host) => !found.some(({ members }) => members.includes(host)));
  if (rest.length > maxHosts)
    found.push(...gathered(rest, (host) => ({ title: networksOf.get(host)?.join(", ") ?? "no network", where: "" })));
  return found;
}

function gathered(hosts: readonly string[], placeOf: (host: string) => { title: string; where: string }): GraphGroup[] {
  const found = new Map<string, { key: string; title: string; members: string[] }>();
  for (const host of hosts) {
    const { title, where } = placeOf(host);
    const key = `group:${title} ${where}`.trim();
    const group = found.get(key) ?? { key, title, members: [] };
    group.members.push(host);
    found.set(key, group);
  }
  return [...found.values()].filter(({ members }) => members.length >= MIN_GROUP);
}

/** The name without its number: `cell-arm-03` → `cell-arm`. */
const stemOf = (host: string) => host.replace(/[-_.]?\d+$/, "") || host;

function edgesOf({ links, ages, problems }: GraphInput, nodeOf: ReadonlyMap<string, string>): GraphEdge[] {
  const found = new Map<string, { ends: [string, string]; there: number; back: number; age: number; problems: NetworkProblem[] }>();
  for (const { from_host, to_host, bytes_s } of links) {
    const from = nodeOf.get(from_host) ?? from_host;
    const to = nodeOf.get(to_host) ?? to_host;
    if (from === to) continue;
    const ends: [string, string] = from < to ? [from, to] : [to, from];
    const key = ends.join("\n");
    const edge = found.get(key) ?? { ends, there: 0, back: 0, age: Number.POSITIVE_INFINITY, problems: [] };
    if (from === ends[0]) edge.there += bytes_s;
    else edge.back += bytes_s;
    edge.age = Math.min(edge.age, Math.max(ages.get(from_host) ?? 0, ages.get(to_host) ?? 0));
    edge.problems.push(...problems.filter(({ host, peer }) => host === from_host && peer === to_host));
    found.set(key, edge);
  }
  return [...found].map(([key, { problems: own, ...edge }]) => ({ key, ...edge, problem: worst(own) }));
}

function trafficOf(key: string, edges: readonly GraphEdge[]): { received: number; sent: number } {
  let [received, sent] = [0, 0];
  for (const { ends, there, back } of edges) {
    if (ends[0] === key) [sent, received] = [sent + there, received + back];
    if (ends[1] === key) [sent, received] = [sent + back, received + there];
  }
  return { received, sent };
}

function worst(problems: readonly NetworkProblem[]): NetworkProblem["severity"] | null {
  return SEVERITIES.find((severity) => problems.some((problem) => problem.severity === severity)) ?? null;
}

/** Width of a line for bytes per second, px: each decade adds the same amount. */
export function widthOf(bytes: number): number {
  if (bytes <= 0) return 1;
  return Math.min(9, Math.max(1, 1 + 1.4 * (Math.log10(bytes) - 2.5)));
}

/** Adds idle edges for the pairs that had traffic before, so that the graph does not move. */
export function withIdle(graph: NetworkGraph, before: readonly GraphEdge[]): NetworkGraph {
  const keys = new Set(graph.nodes.map(({ key }) => key));
  const known = new Set(graph.edges.map(({ key }) => key));
  const idle = before.filter(({ key, ends }) => !known.has(key) && ends.every((end) => keys.has(end)));
  return { ...graph, edges: [...graph.edges, ...idle.map((edge) => ({ ...edge, there: 0, back: 0, problem: null }))] };
}

/** The key of everything that the layout depends on; traffic alone does not change it. */
export function shapeOf({ nodes, edges, groups, memberships }: NetworkGraph): string {
  const keys = [nodes.map(({ key, group }) => `${key} ${group ?? ""}`), edges.map(({ key }) => key), groups.map(({ key }) => key)];
  return JSON.stringify([...keys.map((own) => own.toSorted()), memberships.map((pair) => pair.join()).toSorted()]);
}
