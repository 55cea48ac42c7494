import type { GroupNode, ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";

/** Names of all processes below a node, in order. Nodes are never changed, so the result is cached. */
export function membersOf(node: ProcessTreeNode): string[] {
  if (node.type === "process") return [node.name];
  const known = members.get(node);
  if (known) return known;
  const found = node.children.flatMap(membersOf);
  members.set(node, found);
  return found;
}
const members = new WeakMap<GroupNode, string[]>();
