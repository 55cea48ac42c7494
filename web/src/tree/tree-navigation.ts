import { computed, signal } from "@preact/signals";
import { ancestorNames } from "../../../src/base/text/names.ts";
import { findGroup } from "../../../src/client/mirror.ts";
import type { ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";
import { isTrouble } from "../actions/actions.ts";
import type { Target } from "../actions/commands.ts";
import { membersOf } from "../state/members.ts";
import { current, show } from "../state/navigation.ts";
import { folds } from "../state/settings.ts";
import { processOf, tree } from "../state/store.ts";
import { keyOf, type View } from "../state/views.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import type { Viewport } from "../ui/list/viewport.ts";
import { toast } from "../ui/toasts.ts";
import { arrangedTree, arrangement } from "./arrangement.ts";
import { filtered } from "./tree-filter.ts";
import { isOpen, type TreeRow, treeRows } from "./tree-rows.ts";

/** Key of the row that Tab moves to. */
export const focusedRow = signal("");
/** The visible part of the tree. Until it is measured, its height is nearly that of the window. */
export const viewport = signal<Viewport>({ top: 0, height: innerHeight, width: 264 });
/** Key of the row that gets the focus once it is drawn. */
let pendingFocus: string | null = null;

/** Height of each row, px; it is the same for all, so that only the visible ones are drawn. Fingers need higher rows. */
export const rowHeight = computed(() => (isNarrow.value ? 44 : 27));

export const rows = computed<TreeRow[]>(() => {
  const names = filtered.value && new Set(filtered.value);
  return treeRows(arrangedTree.value, {
    folds: folds.value,
    isArranged: arrangement.value !== null,
    isIncluded: names && ((name) => names.has(name)),
  });
});

/** The view of a row; headings have none. */
export function viewOf({ node, isHeading }: Pick<TreeRow, "node" | "isHeading">): View | null {
  return isHeading ? null : { kind: node.type, name: node.name };
}

/** Whether a row is that of a view. */
export function isRowOf(row: TreeRow, key: string): boolean {
  const view = viewOf(row);
  return view !== null && keyOf(view) === key;
}

/** What commands for a row are about: a heading stands for its processes. */
export function targetOf({ node, isHeading }: Pick<TreeRow, "node" | "isHeading">): Target {
  if (!isHeading) return { kind: node.type, name: node.name };
  const names = membersOf(node);
  return { kind: "list", title: names.length === 1 ? String(names[0]) : `${names.length} processes (${node.name})`, names };
}

/** Opens or folds all groups. */
export function foldAll(open: boolean): void {
  const groups = (nodes: readonly ProcessTreeNode[]): string[] =>
    nodes.flatMap((node) => (node.type === "group" ? [node.name, ...groups(node.children)] : []));
  const isArranged = arrangement.peek() !== null;
  // The groups keep their folds while something else is shown.
  folds.value = { ...(isArranged ? folds.peek() : {}), ...Object.fromEntries(groups(arrangedTree.value).map((name) => [name, open])) };
}

export function fold(name: string, open: boolean): void {
  folds.value = { ...folds.value, [name]: open };
}

/** Opens the folded groups that contain a view. Returns whether there were any. */
export function unfoldTo(view: View): boolean {
  if (view.kind !== "process" && view.kind !== "group") return false;
  if (arrangement.peek() !== null) return unfoldHeadingOf(view.name);
  const folded = ancestorNames(view.name).filter((name) => {
    const group = findGroup(tree.peek(), name);
    return group !== undefined && !isOpen(group, folds.peek());
  });
  if (folded.length > 0) folds.value = { ...folds.peek(), ...Object.fromEntries(folded.map((name) => [name, true])) };
  return folded.length > 0;
}

/** Opens the first heading of a process, unless one of its headings is open. */
function unfoldHeadingOf(name: string): boolean {
  const headings = arrangedTree.peek().filter((node) => node.type === "group" && membersOf(node).includes(name));
  const [first] = headings;
  if (first === undefined || headings.some((node) => node.type === "group" && isOpen(node, folds.peek()))) return false;
  fold(first.name, true);
  return true;
}

/** Opens the first process that matches the filter, on Enter in the filter. */
export function openBest(): void {
  const best = rows.value.find(({ node }) => node.type === "process")?.node;
  if (best) show({ kind: best.type, name: best.name });
}

/** Scrolls a row into view, so that it is drawn in this turn. */
export function scrollIntoView(index: number): void {
  const list = document.querySelector<HTMLElement>(".rows");
  if (!list) return;
  const top = index * rowHeight.value;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight.value > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight.value - list.clientHeight;
  else return;
  // Set now, not by the scroll event in the next frame: the focused row would be gone before the new one is drawn.
  viewport.value = { ...viewport.peek(), top: list.scrollTop };
}

/** Moves the focus to a row. A row out of view is drawn first, and then gets the focus, so that no key is lost in between. */
export function focusRow(index: number): void {
  const row = rows.value[Math.max(0, Math.min(index, rows.value.length - 1))];
  if (!row) return;
  const { key } = row;
  focusedRow.value = key;
  pendingFocus = key;
  scrollIntoView(rows.value.indexOf(row));
  giveFocus(document.querySelector<HTMLElement>(`.rows [data-key="${CSS.escape(key)}"]`), key);
}

export function giveFocus(element: HTMLElement | null, key: string): void {
  if (pendingFocus !== key || !element) return;
  pendingFocus = null;
  element.focus({ preventScroll: true });
}

/** Focuses the row of the shown view, so that keys of a row act on it; else the row that was focused last, or the first. */
export function focusTree(): void {
  const shown = keyOf(current.value);
  const focused = rows.value.findIndex(({ key }) => key === focusedRow.value);
  // Of several rows of the shown view, the one that had the focus.
  const isFocusedShown = rows.value[focused] !== undefined && isRowOf(rows.value[focused], shown);
  const at = isFocusedShown ? focused : rows.value.findIndex((row) => isRowOf(row, shown));
  focusRow(at >= 0 ? at : focused);
}

/** Shows the next or previous process in the tree, relative to the shown one. */
export function stepProcess(by: 1 | -1): void {
  // Each process once, also one below several headings: its rows have the same view.
  const names = [...new Set(rows.value.flatMap(({ node }) => (node.type === "process" ? [node.name] : [])))];
  const view = current.value;
  const at = view.kind === "process" ? names.indexOf(view.name) : -1;
  const name = names[at < 0 ? (by === 1 ? 0 : names.length - 1) : (at + by + names.length) % names.length];
  if (name !== undefined) show({ kind: "process", name }, false, false);
}

/** Shows the next process in the tree that has failed or is being restarted, after the shown one. */
export function nextTrouble(): void {
  const names = tree.value.flatMap(membersOf);
  const view = current.value;
  const at = view.kind === "process" ? names.indexOf(view.name) : -1;
  const next = [...names.slice(at + 1), ...names.slice(0, at + 1)].find((name) => isTrouble(processOf(name)));
  if (next) show({ kind: "process", name: next }, false, false);
  else toast("No failed processes.");
}
