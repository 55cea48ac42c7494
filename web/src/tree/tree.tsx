import { computed, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { groupState, type ProcessState, type ProcessTreeNode } from "../../../src/protocol/resources/resources.ts";
import { doVerb, isRunning, isTrouble, isVerbKey, processesOf, VERB_KEYS } from "../app/actions.ts";
import { current, show } from "../app/navigation.ts";
import { folds, isNarrow } from "../app/settings.ts";
import { command, counts, isLoaded, processNames, processOf, tree } from "../app/store.ts";
import { keyOf, type View } from "../app/views.ts";
import { useViewport, type Viewport } from "../terminal/viewport.ts";
import { fuzzyScore } from "../ui/fuzzy.ts";
import { Icon } from "../ui/icons.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { toast } from "../ui/toasts.ts";
import { membersOf, type TreeRow, treeRows } from "./tree-rows.ts";

const filter = signal("");
/** Name of the row that Tab comes to. */
const focusedRow = signal("");
const viewport = signal<Viewport>({ top: 0, height: 600, width: 264 });
/** The row that gets the focus once it is drawn. */
let wantsFocus: string | null = null;

/** Rows are of one height, so that only those in sight are drawn; fingers need higher ones. */
const rowHeight = computed(() => (isNarrow.value ? 42 : 27));
/** Rows drawn above and below what is in sight, and how many are scrolled by before others are drawn: not at each frame. */
const SPARE = 8;
const STEP = 8;
/** The first row that is drawn, and the first one that is not. */
const firstDrawn = computed(() => Math.max(0, stepsTo(viewport.value.top) - SPARE));
const endDrawn = computed(() => stepsTo(viewport.value.top + viewport.value.height) + STEP + SPARE);

function stepsTo(pixels: number): number {
  return Math.floor(pixels / rowHeight.value / STEP) * STEP;
}

const rows = computed<TreeRow[]>(() => {
  const wanted = filter.value.trim();
  return treeRows(tree.value, folds.value, (name) => fits(name, wanted), wanted !== "");
});

/** Every word has to fit: `is:error` the state, `host:rt1` the host, anything else the name. */
function fits(name: string, wanted: string): boolean {
  return wanted.split(/\s+/).every((word) => {
    const [, key, value = ""] = /^(is|host):(\S*)$/.exec(word) ?? [];
    if (key === "is") return processOf(name)?.state === value || (value === "trouble" && isTrouble(processOf(name)));
    if (key === "host") return processOf(name)?.host.startsWith(value) ?? false;
    return name.toLowerCase().includes(word.toLowerCase()) || (fuzzyScore(word, name) ?? -1) > 8;
  });
}

/** Names of the filtered processes; null without a filter. */
export const filtered = computed<string[] | null>(() => {
  const wanted = filter.value.trim();
  return wanted === "" ? null : processNames.value.filter((name) => fits(name, wanted));
});

/** Shows only processes whose name or state (`is:error`) fits. */
export function filterTree(text: string): void {
  filter.value = text;
}

export function focusFilter(): void {
  document.getElementById("filter")?.focus();
}

export function Tree() {
  const list = useRef<HTMLDivElement>(null);
  useViewport(list, viewport);
  const shown = keyOf(current.value);
  // What is shown is to be found, also when it came by other ways than the tree.
  useLayoutEffect(() => {
    const at = rows.peek().findIndex((row) => keyOf(viewOf(row)) === shown);
    if (at >= 0) bringInSight(at);
  }, [shown]);
  const height = rowHeight.value;
  const first = firstDrawn.value;
  const drawn = rows.value.slice(first, endDrawn.value);
  const tabStop = rows.value.some(({ node }) => node.name === focusedRow.value) ? focusedRow.value : rows.value[0]?.node.name;
  return (
    <>
      <div class="filter">
        <input
          id="filter"
          type="search"
          placeholder="Filter   /"
          aria-label="Filter processes by name, by state as in is:error, or by host as in host:rt1"
          title="All words must match: part of the name, is:error, is:trouble, host:rt1"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") focusRow(0);
            else if (event.key === "Escape") filter.value = "";
            else if (event.key === "Enter") openBest();
            else return;
            event.preventDefault();
          }}
        />
        <StateFilters />
      </div>
      <div class="rows" ref={list}>
        <div role="tree" aria-label="Process tree" style={{ height: `${rows.value.length * height}px`, position: "relative" }}>
          {drawn.map((row, index) => (
            <Row
              key={row.node.name}
              row={row}
              top={(first + index) * height}
              isShown={shown === keyOf(viewOf(row))}
              isTabStop={row.node.name === tabStop}
            />
          ))}
        </div>
        {isLoaded.value && rows.value.length === 0 && (
          <p class="empty">{processNames.value.length === 0 ? "No processes are configured." : "No matches."}</p>
        )}
      </div>
    </>
  );
}

/** States worth a look that some process is in: a click leaves those in the tree, another one shows all. None that passes by: the tree would jump. */
const FILTERED: readonly ProcessState[] = ["error", "backoff", "waiting"];

function StateFilters() {
  const found = FILTERED.filter((state) => counts.value.has(state) || filter.value === `is:${state}`);
  if (found.length === 0) return null;
  return (
    <div class="state-filters" role="toolbar" aria-label="Show only processes that are">
      {found.map((state) => {
        const text = `is:${state}`;
        const isOn = filter.value.trim() === text;
        return (
          <button
            key={state}
            type="button"
            class={`chip chip-${state}`}
            aria-pressed={isOn}
            aria-label={`${counts.value.get(state) ?? 0} ${state}`}
            title={`${state}: ${isOn ? "show all" : "show only these"}`}
            onClick={() => filterTree(isOn ? "" : text)}
          >
            <StateMark state={state} />
            {counts.value.get(state) ?? 0}
          </button>
        );
      })}
    </div>
  );
}

interface RowProps {
  row: TreeRow;
  top: number;
  isShown: boolean;
  isTabStop: boolean;
}

function Row({ row, top, isShown, isTabStop }: RowProps) {
  const { node, depth, open } = row;
  const isGroup = node.type === "group";
  const members = processesOf(node);
  const state = isGroup ? groupState(members.map((one) => one.state)) : members[0]?.state;
  const running = members.filter(isRunning).length;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => giveFocus(element.current, node.name));
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
      aria-label={`${node.name}, ${state ?? ""}`}
      data-name={node.name}
      style={{ top: `${top}px`, paddingLeft: `${6 + depth * 15}px` }}
      onFocus={() => {
        focusedRow.value = node.name;
      }}
      onClick={(event) => show(viewOf(row), event.ctrlKey || event.metaKey)}
      onDblClick={() => show(viewOf(row), true)}
      onKeyDown={(event) => onKey(event, node.name)}
    >
      {isGroup ? <Twist name={node.name} open={open} /> : <span class="twist" />}
      {state && <StateMark state={state} />}
      <span class="name" title={node.name}>
        {node.name.slice(node.name.lastIndexOf("/") + 1)}
      </span>
      {isGroup && <span class="count" title={`${running} of ${members.length} run`} data-count={`${running}/${members.length}`} />}
      <QuickButton name={node.name} isGroup={isGroup} running={members.some((one) => one.state !== "stopped" && one.state !== "error")} />
    </div>
  );
}

function Twist({ name, open }: { name: string; open: boolean }) {
  return (
    // The row itself has keys for it (arrows), and is what a screen reader speaks of.
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

function QuickButton({ name, isGroup, running }: { name: string; isGroup: boolean; running: boolean }) {
  const verb = running ? "stop" : "start";
  return (
    <span
      class="quick"
      aria-hidden="true"
      title={`${verb} ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        void command({ type: `${verb}_${isGroup ? "group" : "process"}`, name });
      }}
    >
      <Icon name={verb} />
    </span>
  );
}

function viewOf({ node }: TreeRow): View {
  return { kind: node.type, name: node.name };
}

/** Opens or folds all groups. */
export function foldAll(open: boolean): void {
  const groups = (nodes: ProcessTreeNode[]): string[] =>
    nodes.flatMap((node) => (node.type === "group" ? [node.name, ...groups(node.children)] : []));
  folds.value = Object.fromEntries(groups(tree.value).map((name) => [name, open]));
}

function fold(name: string, open: boolean): void {
  folds.value = { ...folds.value, [name]: open };
}

/** Enter in the filter opens the first process that is left. */
function openBest(): void {
  const best = rows.value.find(({ node }) => node.type === "process");
  if (best) show(viewOf(best));
}

/** Scrolls a row into sight, so that it is drawn in this turn. */
function bringInSight(index: number): void {
  const list = document.querySelector<HTMLElement>(".rows");
  if (!list) return;
  const top = index * rowHeight.value;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight.value > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight.value - list.clientHeight;
  else return;
  // Not left to the scroll event of the next frame: the focused row would be gone before the new one is there.
  viewport.value = { ...viewport.peek(), top: list.scrollTop };
}

/** Moves the focus to a row. One out of sight is drawn first, and takes the focus then: a key in between would be lost. */
export function focusRow(index: number): void {
  const row = rows.value[Math.max(0, Math.min(index, rows.value.length - 1))];
  if (!row) return;
  const { name } = row.node;
  focusedRow.value = name;
  wantsFocus = name;
  bringInSight(rows.value.indexOf(row));
  giveFocus(document.querySelector<HTMLElement>(`.rows [data-name="${CSS.escape(name)}"]`), name);
}

function giveFocus(element: HTMLElement | null, name: string): void {
  if (wantsFocus !== name || !element) return;
  wantsFocus = null;
  element.focus({ preventScroll: true });
}

/** The row that has been focused last, or the first. */
export function focusTree(): void {
  focusRow(
    Math.max(
      0,
      rows.value.findIndex(({ node }) => node.name === focusedRow.value),
    ),
  );
}

/** The next or previous process in the tree, from the one that is shown. */
export function stepProcess(by: 1 | -1): void {
  const list = rows.value.filter(({ node }) => node.type === "process");
  const shown = keyOf(current.value);
  const at = list.findIndex((row) => keyOf(viewOf(row)) === shown);
  const next = list[at < 0 ? (by === 1 ? 0 : list.length - 1) : (at + by + list.length) % list.length];
  if (next) show(viewOf(next), false, false);
}

/** The next process in the tree that has failed or is being restarted, after the one that is shown. */
export function nextTrouble(): void {
  const names = tree.value.flatMap(membersOf);
  const view = current.value;
  const at = view.kind === "process" ? names.indexOf(view.name) : -1;
  const next = [...names.slice(at + 1), ...names.slice(0, at + 1)].find((name) => isTrouble(processOf(name)));
  if (next) show({ kind: "process", name: next }, false, false);
  else toast("No failed processes.");
}

/** The tree's keys by the WAI-ARIA pattern. */
function onKey(event: KeyboardEvent, name: string): void {
  // Where the row is now: what comes from the manager is drawn with the next frame only.
  const index = rows.value.findIndex((one) => one.node.name === name);
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
  else if (event.key === "ArrowLeft") focusRow(rows.value.findIndex((one) => one.node.type === "group" && isParent(one.node.name, row)));
  else if (event.key === "Home") focusRow(0);
  else if (event.key === "End") focusRow(rows.value.length - 1);
  else if (event.key === "Enter" || event.key === " ") show(viewOf(row));
  else if (isVerbKey(event.key)) doVerb(VERB_KEYS[event.key], viewOf(row));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function isParent(name: string, { node }: TreeRow): boolean {
  return name === node.name.slice(0, node.name.lastIndexOf("/"));
}
