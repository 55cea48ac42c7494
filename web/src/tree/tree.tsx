import { computed } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { stateText, wordOf } from "../../../src/client/shown/shown-state.ts";
import { isVerbKey, processesOf, VERB_KEYS } from "../actions/actions.ts";
import type { Verb } from "../actions/command-effects.ts";
import { request, requestByClick, requestForView } from "../actions/commands.ts";
import { summaryOf } from "../actions/group-summary.ts";
import { current, layout, show, takesFocus } from "../state/navigation.ts";
import { asOf } from "../state/status-reason.ts";
import { isLoaded, processNames, processOf } from "../state/store.ts";
import { keyOf } from "../state/views.ts";
import { focusTerminal } from "../terminal/terminal-actions.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { isConnected } from "../ui/connected.ts";
import { useViewport } from "../ui/list/viewport.ts";
import { AttentionMark } from "../ui/marks/attention-mark.tsx";
import { Icon } from "../ui/marks/icons.tsx";
import { MarkDot } from "../ui/marks/mark-dot.tsx";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { Name } from "../ui/name.tsx";
import { TreeFilter } from "./filter-box.tsx";
import { factsOf, firstMark, groupFacts, groupMark } from "./group-facts.ts";
import { openRowMenu, RowMenu, rowMenuEvents } from "./row-menu.tsx";
import {
  focusedRow,
  focusRow,
  fold,
  giveFocus,
  isRowOf,
  rowHeight,
  rows,
  scrollIntoView,
  targetOf,
  unfoldTo,
  viewOf,
  viewport,
} from "./tree-navigation.ts";
import type { TreeRow } from "./tree-rows.ts";

/** Number of rows drawn above and below the visible ones, and of rows to scroll before others are drawn, so that not every frame draws. */
const SPARE = 8;
const ROW_STEP = 8;
/** Index of the first drawn row, and of the first row after the drawn ones. */
const firstDrawn = computed(() => Math.max(0, stepsTo(viewport.value.top) - SPARE));
const endDrawn = computed(() => stepsTo(viewport.value.top + viewport.value.height) + ROW_STEP + SPARE);

function stepsTo(pixels: number): number {
  return Math.floor(pixels / rowHeight.value / ROW_STEP) * ROW_STEP;
}

export function Tree() {
  const list = useRef<HTMLDivElement>(null);
  useViewport(list, viewport, true);
  const shown = keyOf(current.value);
  // Scrolls to the row of the shown view, however it was opened: also by its address, before the tree is loaded.
  const isToReveal = useRef(true);
  useLayoutEffect(() => {
    isToReveal.current = true;
  }, [shown]);
  useLayoutEffect(() => {
    if (!isToReveal.current || !isLoaded.peek()) return;
    // Unfolding draws the tree again, which repeats this effect.
    if (unfoldTo(current.peek())) return;
    isToReveal.current = false;
    const at = rows.peek().findIndex((row) => isRowOf(row, shown));
    if (at >= 0) scrollIntoView(at);
  });
  const height = rowHeight.value;
  const first = firstDrawn.value;
  const drawn = rows.value.slice(first, endDrawn.value);
  const tabStop = rows.value.some(({ key }) => key === focusedRow.value) ? focusedRow.value : rows.value[0]?.key;
  return (
    <>
      <TreeFilter />
      <div class="rows" ref={list} {...rowMenuEvents}>
        <div role="tree" aria-label="Process tree" style={{ height: `${rows.value.length * height}px`, position: "relative" }}>
          {drawn.map((row, index) => (
            <Row key={row.key} row={row} top={(first + index) * height} isShown={isRowOf(row, shown)} isTabStop={row.key === tabStop} />
          ))}
        </div>
        {isLoaded.value && rows.value.length === 0 && (
          <p class="empty">{processNames.value.length === 0 ? "No processes are configured." : "No matches."}</p>
        )}
      </div>
      <RowMenu />
    </>
  );
}

interface RowProps {
  row: TreeRow;
  top: number;
  isShown: boolean;
  isTabStop: boolean;
}

function Row({ row, top, isShown, isTabStop }: RowProps) {
  const { node, key, label, depth, open } = row;
  const isGroup = node.type === "group";
  const process = isGroup ? undefined : processOf(node.name);
  const own = process ? [process] : [];
  const { state, count, fine, isRunning, isOld, notice } = isGroup ? groupFacts(node) : factsOf(own);
  const text = process ? stateText(process) : state && wordOf(state);
  const old = process ? asOf(process) : null;
  // The rows below an open group have the marks themselves.
  const mark = open ? null : isGroup ? groupMark(node) : firstMark(own);
  const Summary = isGroup && !row.isHeading ? summaryOf(node.name) : undefined;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => giveFocus(element.current, key));
  return (
    <div
      ref={element}
      class={`row ${isShown ? "current" : ""} ${isGroup ? "is-group" : ""}`}
      role="treeitem"
      tabIndex={isTabStop ? 0 : -1}
      aria-level={depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isShown}
      aria-expanded={isGroup ? open : undefined}
      aria-label={`${row.isHeading ? label : node.name}, ${text ?? ""}${notice === null ? "" : ", needs attention"}${old ? ` ${old}` : ""}`}
      aria-description={mark ?? undefined}
      data-name={node.name}
      data-key={key}
      style={{ top: `${top}px`, paddingLeft: `${6 + depth * 15}px` }}
      onFocus={() => {
        focusedRow.value = key;
      }}
      onClick={(event) => showRow(row, event)}
      onDblClick={() => viewOf(row) !== null && enter(row, true)}
      onKeyDown={(event) => onKey(event, key)}
    >
      {isGroup ? <Twist name={node.name} open={open} /> : <span class="twist" />}
      {state && <StateMark state={state} isOld={isOld} />}
      {mark !== null && <MarkDot text={mark} />}
      <span class="name" title={node.name}>
        <Name name={label} />
      </span>
      {notice !== null && <AttentionMark title={notice} />}
      {Summary !== undefined && <Summary members={processesOf(node)} />}
      {isGroup && Summary === undefined && (
        <span class="count" title={`${fine} of ${count} run or have completed`} data-count={`${fine}/${count}`} />
      )}
      {old && <span class="as-of">{old}</span>}
      {isNarrow.value ? <MoreButton /> : <QuickButton row={row} running={isRunning} />}
    </div>
  );
}

function Twist({ name, open }: { name: string; open: boolean }) {
  return (
    // The row itself has keys for it (arrows), and is what a screen reader announces.
    <span
      class="twist"
      aria-hidden="true"
      onClick={(event) => {
        event.stopPropagation();
        fold(name, !open);
      }}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" class={open ? "open" : ""} aria-hidden="true">
        <path d="M6 4l4 4-4 4" />
      </svg>
    </span>
  );
}

function QuickButton({ row, running }: { row: TreeRow; running: boolean }) {
  const verb = running ? "stop" : "start";
  const isOff = !isConnected.value;
  return (
    <span
      class={`quick ${isOff ? "off" : ""}`}
      aria-hidden="true"
      title={isOff ? "Disconnected" : `${verb} ${row.node.name}`}
      onClick={(event) => {
        event.stopPropagation();
        if (!isOff) requestByClick(event, verb, targetOf(row));
      }}
    >
      <Icon name={verb} />
    </span>
  );
}

/** Opens the row's menu, as a long press does. Phones have it instead of buttons that a scrolling finger would press. */
function MoreButton() {
  return (
    <span
      class="quick"
      aria-hidden="true"
      data-word="More"
      onClick={(event) => {
        event.stopPropagation();
        const row = event.currentTarget.closest<HTMLElement>("[role=treeitem]");
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        if (row) openRowMenu(row, { x: left, y: bottom });
      }}
    >
      <Icon name="more" />
    </span>
  );
}

/** Shows the view of a clicked row; a heading is folded or opened. */
function showRow(row: TreeRow, { ctrlKey, metaKey }: MouseEvent): void {
  const view = viewOf(row);
  if (view === null) fold(row.node.name, !row.open);
  else show(view, ctrlKey || metaKey, false);
}

/** Shows a row's view and focuses it. A click leaves the focus on the row. */
function enter(row: TreeRow, kept = false): void {
  const view = viewOf(row);
  if (view === null) {
    fold(row.node.name, !row.open);
    return;
  }
  const isShown = keyOf(current.value) === keyOf(view);
  show(view, kept);
  if (isShown && row.node.type === "process" && takesFocus()) focusTerminal(layout.value.focused);
}

/** Handles the tree's keys, by the WAI-ARIA pattern. */
function onKey(event: TargetedKeyboardEvent<HTMLElement>, key: string): void {
  // The current index of the row: changes from the manager are drawn only with the next frame.
  const index = rows.value.findIndex((one) => one.key === key);
  const row = rows.value[index];
  if (!row) return;
  const { node, open } = row;
  const isGroup = node.type === "group";
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(viewport.value.height / rowHeight.value) - 1);
  if (event.key === "ArrowDown") focusRow(index + 1);
  else if (event.key === "ArrowUp") focusRow(index - 1);
  else if (event.key === "PageDown") focusRow(index + page);
  else if (event.key === "PageUp") focusRow(index - page);
  else if (event.key === "ArrowRight" && isGroup) open ? focusRow(index + 1) : fold(node.name, true);
  else if (event.key === "ArrowLeft" && isGroup && open) fold(node.name, false);
  else if (event.key === "ArrowLeft") focusRow(rows.value.findLastIndex((one, at) => at < index && one.depth < row.depth));
  else if (event.key === "Home") focusRow(0);
  else if (event.key === "End") focusRow(rows.value.length - 1);
  else if (event.key === "Enter" || event.key === " ") enter(row);
  else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) openRowMenu(event.currentTarget);
  else if (isVerbKey(event.key)) requestForRow(VERB_KEYS[event.key], row);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function requestForRow(verb: Verb, row: TreeRow): void {
  const view = viewOf(row);
  if (view === null) void request(verb, targetOf(row));
  else requestForView(verb, view);
}
