import { computed, signal } from "@preact/signals";
import type { ProcessTreeNode } from "../../src/protocol/resources.ts";
import { groupState } from "../../src/protocol/resources.ts";
import { StateMark } from "./state-mark.tsx";
import { command, processNames, processSignal, select, selected, tree } from "./store.ts";

const filter = signal("");
/** Groups whose fold the user has changed, by name. */
const folds = signal<Record<string, boolean>>({});

interface Row {
  node: ProcessTreeNode;
  depth: number;
  open: boolean;
  /** Names of all processes below, for groups. */
  members: string[];
}

/** The visible rows, top to bottom: what is folded or filtered away is not there. */
const rows = computed<Row[]>(() => {
  const wanted = filter.value.trim().toLowerCase();
  const found: Row[] = [];
  const walk = (nodes: ProcessTreeNode[], depth: number) => {
    for (const node of nodes) {
      const members = membersOf(node);
      if (wanted !== "" && !members.some((name) => name.toLowerCase().includes(wanted))) continue;
      const open = node.type === "group" && (wanted !== "" || (folds.value[node.name] ?? node.opened));
      found.push({ node, depth, open, members });
      if (node.type === "group" && open) walk(node.children, depth + 1);
    }
  };
  walk(tree.value, 0);
  return found;
});

function membersOf(node: ProcessTreeNode): string[] {
  return node.type === "process" ? [node.name] : node.children.flatMap(membersOf);
}

export function Tree() {
  return (
    <nav class="sidebar" aria-label="Processes">
      <div class="filter">
        <input
          id="filter"
          type="search"
          placeholder="Filter  ( / )"
          aria-label="Filter processes"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") focusRow(0);
            if (event.key === "Escape") filter.value = "";
          }}
        />
      </div>
      <div class="rows" role="tree" aria-label="Process tree">
        {rows.value.map((row, index) => (
          <TreeRow key={row.node.name} row={row} index={index} />
        ))}
        {rows.value.length === 0 && (
          <p class="empty">{processNames.value.length === 0 ? "No processes are configured." : "Nothing matches."}</p>
        )}
      </div>
    </nav>
  );
}

function TreeRow({ row, index }: { row: Row; index: number }) {
  const { node, depth, open, members } = row;
  const isGroup = node.type === "group";
  const process = isGroup ? undefined : processSignal(node.name)?.value;
  const states = members.flatMap((name) => processSignal(name)?.value.state ?? []);
  const state = isGroup ? groupState(states) : process?.state;
  const alive = states.filter((one) => one === "started" || one === "ready").length;
  const current = selected.value === node.name;
  const activate = () => (isGroup ? fold(node.name, !open) : select(node.name));
  return (
    <div
      class={`row ${current ? "current" : ""} ${isGroup ? "group" : ""}`}
      role="treeitem"
      tabIndex={current || index === 0 ? 0 : -1}
      aria-level={depth + 1}
      aria-selected={current}
      aria-expanded={isGroup ? open : undefined}
      aria-label={`${node.name}, ${state ?? ""}`}
      data-name={node.name}
      style={{ paddingLeft: `${10 + depth * 14}px` }}
      onClick={activate}
      onKeyDown={(event) => onKey(event, row, index, activate)}
    >
      <span class={`twist ${isGroup ? (open ? "open" : "shut") : ""}`} aria-hidden="true" />
      {state && <StateMark state={state} />}
      <span class="name" title={node.name}>
        {node.name.slice(node.name.lastIndexOf("/") + 1)}
      </span>
      {isGroup && (
        <span class="count">
          {alive}/{members.length}
        </span>
      )}
      <span class="quick">
        <QuickButton name={node.name} isGroup={isGroup} running={alive > 0 || states.some((one) => one !== "stopped" && one !== "error")} />
      </span>
    </div>
  );
}

function QuickButton({ name, isGroup, running }: { name: string; isGroup: boolean; running: boolean }) {
  const verb = running ? "stop" : "start";
  return (
    <button
      type="button"
      class="icon"
      tabIndex={-1}
      aria-label={`${verb} ${name}`}
      title={`${verb} ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        void command({ type: `${verb}_${isGroup ? "group" : "process"}`, name });
      }}
    >
      {running ? "■" : "▶"}
    </button>
  );
}

function fold(name: string, open: boolean): void {
  folds.value = { ...folds.value, [name]: open };
}

function focusRow(index: number): void {
  document.querySelectorAll<HTMLElement>(".row")[index]?.focus();
}

/** The tree's keys by the WAI-ARIA pattern: arrows move and fold, Enter opens, letters are left to the browser. */
function onKey(event: KeyboardEvent, row: Row, index: number, activate: () => void): void {
  const isGroup = row.node.type === "group";
  if (event.key === "ArrowDown") focusRow(index + 1);
  else if (event.key === "ArrowUp") focusRow(Math.max(0, index - 1));
  else if (event.key === "ArrowRight" && isGroup) row.open ? focusRow(index + 1) : fold(row.node.name, true);
  else if (event.key === "ArrowLeft" && isGroup && row.open) fold(row.node.name, false);
  else if (event.key === "Home") focusRow(0);
  else if (event.key === "End") focusRow(rows.value.length - 1);
  else if (event.key === "Enter" || event.key === " ") activate();
  else return;
  event.preventDefault();
}
