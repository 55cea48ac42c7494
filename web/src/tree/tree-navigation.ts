import { computed, signal } from "@preact/signals";
import { ancestorNames } from "../../../src/base/names.ts";
import { findGroup } from "../../../src/client/mirror.ts";
import type { ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";
import { isTrouble } from "../actions/actions.ts";
import { membersOf } from "../state/members.ts";
import { current, show } from "../state/navigation.ts";
import { folds } from "../state/settings.ts";
import { processOf, tree } from "../state/store.ts";
import { keyOf, type View } from "../state/views.ts";
import type { Viewport } from "../ui/list/viewport.ts";
import { isNarrow } from "../ui/screen.ts";
import { toast } from "../ui/toasts.ts";
import { filter, fits } from "./tree-filter.ts";
import { isOpen, type TreeRow, treeRows } from "./tree-rows.ts";

/** Name of the row that Tab moves to. */
export const focusedRow = signal("");
/** The visible part of the tree. */
export const viewport = signal<Viewport>({ top: 0, height: 600, width: 264 });
/** Name of the row that gets the focus once it is drawn. */
let pendingFocus: string | null = null;

/** Height of each row, px; it is the same for all, so that only the visible ones are drawn. Fingers need higher rows. */
export const rowHeight = computed(() => (isNarrow.value ? 44 : 27));

export const rows = computed<TreeRow[]>(() => {
  const query = filter.value.trim();
  return treeRows(tree.value, folds.value, (name) => fits(name, query), query !== "");
});

export function viewOf({ node }: TreeRow): View {
  return { kind: node.type, name: node.name };
}

/** Opens or folds all groups. */
export function foldAll(open: boolean): void {
  const groups = (nodes: readonly ProcessTreeNode[]): string[] =>
    nodes.flatMap((node) => (node.type === "group" ? [node.name, ...groups(node.children)] : []));
  folds.value = Object.fromEntries(groups(tree.value).map((name) => [name, open]));
}

export function fold(name: string, open: boolean): void {
  folds.value = { ...folds.value, [name]: open };
}

/** Opens the folded groups that contain a view. Returns whether there were any. */
export function unfoldTo(view: View): boolean {
  if (view.kind !== "process" && view.kind !== "group") return false;
  const folded = ancestorNames(view.name).filter((name) => {
    const group = findGroup(tree.peek(), name);
    return group !== undefined && !isOpen(group, folds.peek());
  });
  if (folded.length > 0) folds.value = { ...folds.peek(), ...Object.fromEntries(folded.map((name) => [name, true])) };
  return folded.length > 0;
}

/** Opens the first process that matches the filter, on Enter in the filter. */
export function openBest(): void {
  const best = rows.value.find(({ node }) => node.type === "process");
  if (best) show(viewOf(best));
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
  const { name } = row.node;
  focusedRow.value = name;
  pendingFocus = name;
  scrollIntoView(rows.value.indexOf(row));
  giveFocus(document.querySelector<HTMLElement>(`.rows [data-name="${CSS.escape(name)}"]`), name);
}

export function giveFocus(element: HTMLElement | null, name: string): void {
  if (pendingFocus !== name || !element) return;
  pendingFocus = null;
  element.focus({ preventScroll: true });
}

/** Focuses the row of the shown view, so that keys of a row act on it; else the row that was focused last, or the first. */
export function focusTree(): void {
  const shown = keyOf(current.value);
  const at = rows.value.findIndex((row) => keyOf(viewOf(row)) === shown);
  focusRow(at >= 0 ? at : rows.value.findIndex(({ node }) => node.name === focusedRow.value));
}

/** Shows the next or previous process in the tree, relative to the shown one. */
export function stepProcess(by: 1 | -1): void {
  const list = rows.value.filter(({ node }) => node.type === "process");
  const shown = keyOf(current.value);
  const at = list.findIndex((row) => keyOf(viewOf(row)) === shown);
  const next = list[at < 0 ? (by === 1 ? 0 : list.length - 1) : (at + by + list.length) % list.length];
  if (next) show(viewOf(next), false, false);
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
