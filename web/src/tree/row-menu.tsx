import { signal } from "@preact/signals";
import type { TargetedMouseEvent, TargetedPointerEvent } from "preact";
import { findGroup } from "../../../src/client/mirror.ts";
import { processesOf } from "../actions/actions.ts";
import { verbActions } from "../actions/verb-actions.ts";
import { showInLog } from "../log/log-view.tsx";
import { popOut, show, showBeside } from "../state/navigation.ts";
import { processOf, tree } from "../state/store.ts";
import { copy } from "../ui/browser/clipboard.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { type Anchor, Menu, type MenuItem } from "../ui/menu.tsx";
import { arrangement, headingNamed } from "./arrangement.ts";
import { filterTree } from "./tree-filter.ts";
import { focusRow, rows, targetOf } from "./tree-navigation.ts";

/** Minimum duration of a long press on a row, which opens its menu, ms, and its maximum movement, px. */
const LONG_PRESS_MS = 500;
const MAX_MOVE_PX = 10;

/** The row whose menu is open. */
const opened = signal<{ name: string; key: string; anchor: Anchor } | null>(null);

export function openRowMenu(row: HTMLElement, at?: { x: number; y: number }): void {
  const { name = "", key = "" } = row.dataset;
  const { left, top, bottom } = row.getBoundingClientRect();
  const place = at ? { x: at.x, top: at.y, bottom: at.y } : { x: left + 24, top, bottom };
  opened.value = { name, key, anchor: { ...place, edge: "left", button: null } };
}

/** The menu of a row of the tree. */
export function RowMenu() {
  if (opened.value === null) return null;
  const { name, key, anchor } = opened.value;
  const close = () => {
    opened.value = null;
  };
  return (
    <Menu
      // The key makes the menu of another row a new one: it is placed and focused again.
      key={key}
      label={`Actions of ${name}`}
      items={headingItems(name) ?? rowItems(name)}
      first={0}
      anchor={anchor}
      onLeave={close}
      onClose={() => {
        close();
        focusRow(rows.peek().findIndex((row) => row.key === key));
      }}
    />
  );
}

/** Commands for the processes below a heading; null: the tree has no such heading. */
function headingItems(name: string): MenuItem[] | null {
  const node = headingNamed(name);
  if (node === undefined) return null;
  const row = { node, isHeading: true };
  const isFilter = name !== arrangement.value?.prefix;
  return [
    ...verbActions("", targetOf(row), processesOf(node), true).map(verbItem),
    ...(isFilter ? [{ icon: "menu" as const, label: "Show only these in the tree", run: () => filterTree(name) }] : []),
    { icon: "copy", label: "Copy its name", run: () => void copy(node.display_name, "the name") },
  ];
}

/** Commands for a process or a group, with the keys that do the same. */
export function rowItems(name: string): MenuItem[] {
  const process = processOf(name);
  const group = findGroup(tree.value, name);
  if (!process && !group) return [];
  const view = { kind: process ? "process" : "group", name } as const;
  const members = process ? [process] : group ? processesOf(group) : [];
  return [
    { icon: "next", label: "Open", keys: "Enter", run: () => show(view) },
    ...(isNarrow.value
      ? []
      : [
          { icon: "splitRight" as const, label: "Open beside", run: () => showBeside(view) },
          { icon: "popOut" as const, label: "Open in new window", run: () => popOut(view) },
        ]),
    ...verbActions("", view, members, true).map(verbItem),
    ...(process ? [{ icon: "log" as const, label: "Show its log entries", run: () => showInLog(name) }] : []),
    { icon: "copy", label: "Copy its name", run: () => void copy(name, "the name") },
  ];
}

function verbItem({ title, verb, keys = "", isDanger = false, asks, run }: ReturnType<typeof verbActions>[number]): MenuItem {
  return { icon: verb, label: asks?.() ? `${title.trim()} …` : title.trim(), keys, isDanger, run };
}

/** A touch on a row that may become a long press. */
let press: { timer: ReturnType<typeof setTimeout>; x: number; y: number } | null = null;
/** Whether the current touch has opened the menu: lifting the finger is then not a tap on the row. */
let hasPressed = false;

function endPress(): void {
  clearTimeout(press?.timer);
  press = null;
}

const rowAt = ({ target }: Event) => (target instanceof Element ? target.closest<HTMLElement>("[role=treeitem]") : null);

/** Events of the element around the rows: right click, and long press, which not every browser reports as a right click. */
export const rowMenuEvents = {
  onContextMenu(event: TargetedMouseEvent<HTMLElement>) {
    const row = rowAt(event);
    if (row === null) return;
    event.preventDefault();
    if (hasPressed) return;
    hasPressed = press !== null;
    endPress();
    openRowMenu(row, { x: event.clientX, y: event.clientY });
  },
  onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
    hasPressed = false;
    endPress();
    const row = rowAt(event);
    if (row === null || event.pointerType !== "touch") return;
    const { clientX: x, clientY: y } = event;
    const timer = setTimeout(() => {
      endPress();
      hasPressed = true;
      openRowMenu(row, { x, y });
    }, LONG_PRESS_MS);
    press = { timer, x, y };
  },
  onPointerMove({ clientX, clientY }: TargetedPointerEvent<HTMLElement>) {
    if (press && Math.hypot(clientX - press.x, clientY - press.y) > MAX_MOVE_PX) endPress();
  },
  onPointerUp: endPress,
  onPointerCancel: endPress,
  onClickCapture(event: TargetedMouseEvent<HTMLElement>) {
    if (!hasPressed) return;
    hasPressed = false;
    event.stopPropagation();
    event.preventDefault();
  },
};
