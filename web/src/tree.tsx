import { computed, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { groupState } from "../../src/protocol/resources.ts";
import { isRunning, processesOf } from "./actions.ts";
import { fuzzyScore } from "./fuzzy.ts";
import { Icon } from "./icons.tsx";
import { current, show } from "./navigation.ts";
import { folds, isNarrow } from "./settings.ts";
import { StateMark } from "./state-mark.tsx";
import { command, isLoaded, processNames, processOf, tree } from "./store.ts";
import { type TreeRow, treeRows } from "./tree-rows.ts";
import { keyOf, type View } from "./views.ts";

const filter = signal("");
/** Name of the row that Tab comes to. */
const focusedRow = signal("");
const scroll = signal({ top: 0, height: 600 });

/** Rows are of one height, so that only those in sight are drawn; fingers need higher ones. */
const rowHeight = computed(() => (isNarrow.value ? 42 : 27));
/** Rows drawn above and below what is in sight. */
const SPARE = 6;

const rows = computed<TreeRow[]>(() => {
  const wanted = filter.value.trim();
  return treeRows(tree.value, folds.value, (name) => fits(name, wanted), wanted !== "");
});

/** A state's name finds what is in it; anything else is looked for in the name. */
function fits(name: string, wanted: string): boolean {
  const state = /^is:(\w+)$/.exec(wanted)?.[1];
  if (state) return processOf(name)?.state === state;
  return name.toLowerCase().includes(wanted.toLowerCase()) || (fuzzyScore(wanted, name) ?? -1) > 8;
}

/** Shows only processes whose name or state (`is:error`) fits. */
export function filterTree(text: string): void {
  filter.value = text;
}

export function focusFilter(): void {
  document.getElementById("filter")?.focus();
}

export function Tree() {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const look = () => {
      scroll.value = { top: element.scrollTop, height: element.clientHeight };
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const height = rowHeight.value;
  const first = Math.max(0, Math.floor(scroll.value.top / height) - SPARE);
  const last = Math.ceil((scroll.value.top + scroll.value.height) / height) + SPARE;
  const drawn = rows.value.slice(first, last);
  const shown = keyOf(current.value);
  const tabStop = rows.value.some(({ node }) => node.name === focusedRow.value) ? focusedRow.value : rows.value[0]?.node.name;
  return (
    <>
      <div class="filter">
        <input
          id="filter"
          type="search"
          placeholder="Filter   /"
          aria-label="Filter processes by name, or by state as in is:error"
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
      </div>
      <div class="rows" ref={list}>
        <div role="tree" aria-label="Process tree" style={{ height: `${rows.value.length * height}px`, position: "relative" }}>
          {drawn.map((row, index) => (
            <Row
              key={row.node.name}
              row={row}
              index={first + index}
              top={(first + index) * height}
              isShown={shown === keyOf(viewOf(row))}
              isTabStop={row.node.name === tabStop}
            />
          ))}
        </div>
        {isLoaded.value && rows.value.length === 0 && (
          <p class="empty">{processNames.value.length === 0 ? "No processes are configured." : "Nothing fits."}</p>
        )}
      </div>
    </>
  );
}

interface RowProps {
  row: TreeRow;
  index: number;
  top: number;
  isShown: boolean;
  isTabStop: boolean;
}

function Row({ row, index, top, isShown, isTabStop }: RowProps) {
  const { node, depth, open } = row;
  const isGroup = node.type === "group";
  const members = processesOf(node);
  const state = isGroup ? groupState(members.map((one) => one.state)) : members[0]?.state;
  const running = members.filter(isRunning).length;
  return (
    <div
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
      onKeyDown={(event) => onKey(event, row, index)}
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

function fold(name: string, open: boolean): void {
  folds.value = { ...folds.value, [name]: open };
}

/** Enter in the filter opens the first process that is left. */
function openBest(): void {
  const best = rows.value.find(({ node }) => node.type === "process");
  if (best) show(viewOf(best));
}

/** Moves the focus to a row, which has to be drawn first when it is out of sight. */
export function focusRow(index: number): void {
  const row = rows.value[Math.max(0, Math.min(index, rows.value.length - 1))];
  const list = document.querySelector<HTMLElement>(".rows");
  if (!row || !list) return;
  const at = rows.value.indexOf(row);
  const top = at * rowHeight.value;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight.value > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight.value - list.clientHeight;
  focusedRow.value = row.node.name;
  requestAnimationFrame(() => {
    requestAnimationFrame(() =>
      list.querySelector<HTMLElement>(`[data-name="${CSS.escape(row.node.name)}"]`)?.focus({ preventScroll: true }),
    );
  });
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

/** The tree's keys by the WAI-ARIA pattern. */
function onKey(event: KeyboardEvent, row: TreeRow, index: number): void {
  const { node, open } = row;
  const isGroup = node.type === "group";
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(scroll.value.height / rowHeight.value) - 1);
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
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function isParent(name: string, { node }: TreeRow): boolean {
  return name === node.name.slice(0, node.name.lastIndexOf("/"));
}
