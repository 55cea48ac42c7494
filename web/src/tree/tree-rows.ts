import type { GroupNode, ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";
import { membersOf } from "../state/members.ts";

export interface TreeRow {
  node: ProcessTreeNode;
  /** Differs between the rows of a process that is below several headings. */
  key: string;
  /** Whether it is the heading of an arrangement, which is no group: it has no view of its own. */
  isHeading: boolean;
  /** The name as it is shown: below headings whole, in groups without them. */
  label: string;
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

interface RowOptions {
  readonly folds: Readonly<Record<string, boolean>>;
  /** Whether the nodes at the top are headings of an arrangement. */
  readonly isArranged: boolean;
  /** Whether the filter includes a process; null: there is no filter. */
  readonly isIncluded: ((name: string) => boolean) | null;
}

/** The rows, top to bottom, without folded nodes and, with a filter, without nodes that contain nothing that it includes. */
export function treeRows(tree: readonly ProcessTreeNode[], { folds, isArranged, isIncluded }: RowOptions): TreeRow[] {
  const found: TreeRow[] = [];
  const walk = (nodes: readonly ProcessTreeNode[], depth: number, above: string) => {
    const here = isIncluded === null ? nodes : nodes.filter((node) => membersOf(node).some(isIncluded));
    here.forEach((node, index) => {
      const isGroup = node.type === "group";
      const open = isGroup && (isIncluded !== null || isOpen(node, folds));
      found.push({
        node,
        key: isArranged ? `${above}\n${node.name}` : node.name,
        isHeading: isGroup && isArranged,
        label: !isArranged ? node.name.slice(node.name.lastIndexOf("/") + 1) : isGroup ? node.display_name : node.name,
        depth,
        open,
        position: index + 1,
        siblings: here.length,
      });
      if (isGroup && open) walk(node.children, depth + 1, node.name);
    });
  };
  walk(tree, 0, "");
  return found;
}

/** The processes below their headings, in alphabetical order, and those without one at the end. */
export function arranged(
  names: readonly string[],
  headings: ReadonlyMap<string, readonly string[]>,
  { prefix, rest }: { readonly prefix: string; readonly rest: string },
): GroupNode[] {
  const below = new Map<string, string[]>();
  const others: string[] = [];
  for (const name of names) {
    const own = headings.get(name) ?? [];
    if (own.length === 0) others.push(name);
    for (const heading of own) {
      const members = below.get(heading);
      if (members === undefined) below.set(heading, [name]);
      else members.push(name);
    }
  }
  const node = (heading: string, title: string, members: readonly string[]): GroupNode => ({
    type: "group",
    name: `${prefix}${heading}`,
    display_name: title,
    opened: true,
    // Rows take the state from the processes.
    state: "stopped",
    children: members.map((name) => ({ type: "process", name })),
  });
  const sorted = [...below].sort(([a], [b]) => (a < b ? -1 : 1)).map(([heading, members]) => node(heading, heading, members));
  return others.length === 0 ? sorted : [...sorted, node("", rest, others)];
}
