import { computed } from "@preact/signals";
import type { GroupNode, ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";
import { type Action, choice } from "../actions/action.ts";
import { membersOf } from "../state/members.ts";
import { treeArrangement } from "../state/settings.ts";
import { allProcesses, tree } from "../state/store.ts";
import { arranged } from "./tree-rows.ts";

/** A way to arrange the processes of the tree below headings, instead of in their groups. */
export interface Arrangement {
  /** Begins the names of headings, such as `host:rt1`; with a heading, it is a word of the filter. */
  readonly prefix: string;
  /** What it arranges by, such as "tag". */
  readonly word: string;
  /** Heading of the processes that have none, the last one. */
  readonly rest: string;
  /** The headings of each process that has any; a process is listed below each of its headings. Reads signals. */
  readonly headings: () => ReadonlyMap<string, readonly string[]>;
}

let lastHeadings: ReadonlyMap<string, readonly string[]> = new Map();
/** The hosts of the processes. Other changes of processes leave it the same object, and arrange nothing again. */
const hostHeadings = computed(() => {
  const all = allProcesses();
  const isSame = all.length === lastHeadings.size && all.every(({ name, host }) => lastHeadings.get(name)?.[0] === host);
  if (!isSame) lastHeadings = new Map(all.map(({ name, host }) => [name, [host]]));
  return lastHeadings;
});

const arrangements: Arrangement[] = [{ prefix: "host:", word: "host", rest: "No host", headings: () => hostHeadings.value }];

/** Adds a way to arrange the tree. */
export function addArrangement(arrangement: Arrangement): void {
  arrangements.push(arrangement);
}

/** Arrangements that are of use: the processes have at least one heading, and not all of them the same one. */
export const offered = computed(() =>
  arrangements.filter(({ headings }) => {
    const all = headings();
    const [first] = all.values();
    return first !== undefined && (all.size < allNames.value.length || [...all.values()].some((each) => String(each) !== String(first)));
  }),
);

/** The chosen arrangement; null: the groups. */
export const arrangement = computed(() => offered.value.find(({ prefix }) => prefix === treeArrangement.value) ?? null);

const allNames = computed(() => tree.value.flatMap(membersOf));

/** The nodes of the tree as they are arranged. */
export const arrangedTree = computed<readonly ProcessTreeNode[]>(() => {
  const chosen = arrangement.value;
  return chosen === null ? tree.value : arranged(allNames.value, chosen.headings(), chosen);
});

/** The heading of this name, such as `host:rt1`; undefined: the tree has no such heading. */
export function headingNamed(name: string): GroupNode | undefined {
  if (arrangement.value === null) return undefined;
  return arrangedTree.value.find((node): node is GroupNode => node.type === "group" && node.name === name);
}

/** Actions that arrange the tree, for the palette. */
export function arrangementActions(): Action[] {
  if (offered.value.length === 0) return [];
  return [
    choice("Arrange the tree by groups", treeArrangement, ""),
    ...offered.value.map(({ prefix, word }) => choice(`Arrange the tree by ${word}s`, treeArrangement, prefix)),
  ];
}
