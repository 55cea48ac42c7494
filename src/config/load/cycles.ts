import type { KeyPath } from "../schema/problems.ts";

/** A reference from one name to another, and its place. */
export interface Edge {
  readonly to: string;
  readonly path: KeyPath;
  readonly at: "key" | "value";
}

/** Each edge that closes a cycle, with the whole cycle: its first name is also its last. Depth first, without recursion. */
export function findCycles(edges: ReadonlyMap<string, readonly Edge[]>): { edge: Edge; cycle: string[] }[] {
  const found: { edge: Edge; cycle: string[] }[] = [];
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
      if (position !== undefined) found.push({ edge, cycle: [...trail.slice(position).map((step) => step.name), edge.to] });
      else if (!done.has(edge.to)) {
        positions.set(edge.to, trail.length);
        trail.push({ name: edge.to, next: 0 });
      }
    }
  }
  return found;
}
