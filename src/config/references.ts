import { ancestorNames } from "../base/names.ts";
import type { Finding, KeyPath } from "./problems.ts";
import { entriesOf } from "./schema-kinds.ts";
import { didYouMean } from "./suggest.ts";

/** `displays` will hold the private displays of web users (protocol-decisions, "Displays"). */
const RESERVED = "displays";

/**
 * What names say about each other. Works on the values as they stand in the file, so that these problems are reported
 * together with those of single keys.
 */
export function checkReferences(root: unknown): Finding[] {
  const processes = entriesOf(entriesOf(root)?.get("processes") ?? null) ?? new Map<string, unknown>();
  const groups = entriesOf(entriesOf(root)?.get("groups") ?? null) ?? new Map<string, unknown>();
  const impliedBy = new Map<string, string>();
  for (const name of [...processes.keys(), ...groups.keys()]) {
    for (const group of ancestorNames(name)) if (!impliedBy.has(group)) impliedBy.set(group, name);
  }
  const findings: Finding[] = [];
  for (const [section, names] of [
    ["groups", groups.keys()],
    ["processes", processes.keys()],
  ] as const) {
    for (const name of names) {
      const report = (message: string) => findings.push({ path: [section, name], message, at: "key" });
      if (name === RESERVED || name.startsWith(`${RESERVED}/`)) report(`the name '${RESERVED}' is reserved`);
      if (section === "groups" || !(groups.has(name) || impliedBy.has(name))) continue;
      const because = groups.has(name) ? "" : ` (because of '${impliedBy.get(name)}')`;
      report(`a process and a group cannot have the same name, and '${name}' is also a group${because}`);
    }
  }
  const isGroup = (name: string) => groups.has(name) || impliedBy.has(name);
  return [...findings, ...checkDependencies(processes, isGroup)];
}

function checkDependencies(processes: ReadonlyMap<string, unknown>, isGroup: (name: string) => boolean): Finding[] {
  const findings: Finding[] = [];
  const edges = new Map<string, Edge[]>();
  for (const [name, settings] of processes) {
    const own: Edge[] = [];
    edges.set(name, own);
    const value = entriesOf(settings)?.get("depends_on");
    for (const { to, key } of dependencyNames(value)) {
      const path = ["processes", name, "depends_on", key];
      const at = typeof key === "string" ? "key" : "value";
      const report = (message: string) => findings.push({ path, message, at });
      if (to === name) report("a process cannot depend on itself");
      else if (own.some((edge) => edge.to === to)) report(`'${to}' is there twice`);
      else if (processes.has(to)) own.push({ to, path, at });
      else if (isGroup(to)) report(`'${to}' is a group; a process depends on processes`);
      else report(`there is no process '${to}'${didYouMean(to, processes.keys())}`);
    }
  }
  return [...findings, ...findCycles(edges)];
}

interface Edge {
  to: string;
  path: KeyPath;
  at: "key" | "value";
}

/** Of a list the strings, of a mapping the keys; what is neither is the schema's affair. */
function dependencyNames(value: unknown): { to: string; key: string | number }[] {
  if (Array.isArray(value)) return value.flatMap((to: unknown, key) => (typeof to === "string" && to !== "" ? [{ to, key }] : []));
  return [...(entriesOf(value)?.keys() ?? [])].map((to) => ({ to, key: to }));
}

/** One finding for each edge that closes a cycle, with the whole cycle in words. Depth first, without recursion. */
function findCycles(edges: ReadonlyMap<string, readonly Edge[]>): Finding[] {
  const findings: Finding[] = [];
  const done = new Set<string>();
  for (const start of edges.keys()) {
    if (done.has(start)) continue;
    const trail = [{ name: start, next: 0 }];
    const positions = new Map([[start, 0]]);
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const edge = edges.get(top.name)?.[top.next++];
      if (edge === undefined) {
        done.add(top.name);
        positions.delete(top.name);
        trail.pop();
        continue;
      }
      const position = positions.get(edge.to);
      if (position !== undefined) {
        const cycle = [...trail.slice(position).map((step) => step.name), edge.to];
        findings.push({ path: edge.path, message: `the dependencies form a cycle: ${cycle.join(" → ")}`, at: edge.at });
      } else if (!done.has(edge.to)) {
        positions.set(edge.to, trail.length);
        trail.push({ name: edge.to, next: 0 });
      }
    }
  }
  return findings;
}
