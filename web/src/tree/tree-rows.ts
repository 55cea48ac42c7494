import type { GroupNode, ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";
import { membersOf } from "../state/members.ts";

export interface TreeRow {
  node: ProcessTreeNode;
  depth: number;
  open: boolean;
  /** Position among its siblings, from 1, and the number of siblings (aria-posinset, aria-setsize). */
  position: number;
  siblings: number;
}

/** Whether a group is unfolded: as set by the user, else as configured. */
export function isOpen({ name, opened }: Pick<GroupNode, "name" | "opened">, folds: Readonly<Record<string, boolean>>): boolean {
  return (Object.hasOwn(folds, name) ? folds[name] : undefined) ?? opened;
}

/** The rows, top to bottom, without folded nodes and, with a filter, without nodes that contain nothing `wanted`. */
export function treeRows(
  tree: readonly ProcessTreeNode[],
  folds: Readonly<Record<string, boolean>>,
  isIncluded: (name: string) => boolean,
  isFiltered: boolean,
): TreeRow[] {
  const found: TreeRow[] = [];
  const walk = (nodes: readonly ProcessTreeNode[], depth: number) => {
    const here = isFiltered ? nodes.filter((node) => membersOf(node).some(isIncluded)) : nodes;
    here.forEach((node, index) => {
      const open = node.type === "group" && (isFiltered || isOpen(node, folds));
      found.push({ node, depth, open, position: index + 1, siblings: here.length });
      if (node.type === "group" && open) walk(node.children, depth + 1);
    });
  };
  walk(tree, 0);
  return found;
}
