import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { TaskColumn, TaskRow } from "../../../../src/features/process-list/wire.ts";
import { linkTo } from "../../state/navigation.ts";
import { hasProcess } from "../../state/store.ts";
import { isNarrow } from "../../ui/browser/screen.ts";
import type { HeldRows } from "../../ui/list/held-rows.ts";
import { scrollToRow } from "../../ui/list/row-focus.ts";
import { useRowWindow } from "../../ui/list/row-window.ts";
import { lasting } from "../../ui/time.ts";
import type { Order } from "./task-query.ts";

/** Widths of columns in characters, in the order of the screen. The panel shows the other columns. */
const WIDTHS: Readonly<Record<string, number>> = {
  pid: 9,
  tid: 9,
  process: 18,
  name: 18,
  user: 10,
  state: 10,
  cpu_percent: 8,
  memory_rss: 11,
  threads: 9,
  policy: 9,
  prio: 9,
  nice: 7,
  affinity: 8,
  processor: 9,
  cpu_time: 11,
  start_time: 9,
  command: 60,
  env: 60,
};
const NARROW: Readonly<Record<string, number>> = { pid: 9, name: 16, cpu_percent: 7, memory_rss: 11 };
const OF_THREADS = new Set(["tid", "processor"]);
const OF_PROCESSES = new Set(["threads"]);

/** Row heights in the style sheet, px: rows out of view are not drawn. */
const rowHeight = () => (isNarrow.value ? 44 : 26);

interface TableProps {
  box: RefObject<HTMLElement | null>;
  columns: TaskColumn[];
  rows: readonly TaskRow[];
  /** The current rows: a row that is not among them has ended, and only keeps its place. */
  known: readonly TaskRow[];
  hold: HeldRows<TaskRow>["hold"];
  order: Order;
  threads: boolean;
  selected: string | null;
  onOrder: (column: string) => void;
  onSelect: (key: string) => void;
}

/** A table of thousands of rows, of which only the visible ones are drawn. Its keys follow the WAI-ARIA pattern of a grid with focusable rows. */
export function TaskTable({ box, columns, rows, known, hold, order, threads, selected, onOrder, onSelect }: TableProps) {
  const { first, last, drawn, tabStop, ...list } = useRowWindow({ box, rows, keyOf: ({ key }) => key, height: rowHeight(), selected });
  const height = rowHeight();
  const shown = shownColumns(columns, threads);
  const live = useMemo(() => new Set(known.map(({ key }) => key)), [known]);
  useScrollIntoView(box, rows, selected);
  const onKey = (event: KeyboardEvent) => {
    const row = rows[list.focusedIndex()];
    if (!row || event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const to = list.target(event.key);
    if (to !== null) list.go(to);
    else if (event.key === "Enter" || event.key === " ") onSelect(row.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="task-table" ref={box} aria-label="Tasks" {...hold}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the WAI-ARIA grid pattern allows it, and rows can be selected */}
      <table role="grid" aria-rowcount={rows.length + 1} aria-label="Tasks" style={{ "--columns": `${widthOf(shown)}ch` }}>
        <colgroup>
          {shown.map(({ column, width }) => (
            <col key={column.name} style={{ width: `${width}ch` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {shown.map(({ column }) => (
              <th key={column.name} class={column.align} aria-sort={sortOf(order, column)} scope="col">
                <button type="button" class="linklike" onClick={() => onOrder(column.name)}>
                  {column.label}
                  {order.column === column.name && <span aria-hidden="true">{order.descending ? " ↓" : " ↑"}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr class="spacer" style={{ height: `${first * height}px` }} />}
          {drawn.map((row, index) => (
            <tr
              key={row.key}
              data-key={row.key}
              class={live.has(row.key) ? "" : "gone"}
              tabIndex={row.key === tabStop ? 0 : -1}
              aria-rowindex={first + index + 2}
              aria-selected={row.key === selected}
              onFocus={() => list.onFocus(row.key)}
              onClick={() => onSelect(row.key)}
              onKeyDown={onKey}
            >
              {shown.map(({ column, at }) => (
                <Cell key={column.name} column={column} cell={row.cells[at]} managed={row.process} />
              ))}
            </tr>
          ))}
          {last < rows.length && <tr class="spacer" style={{ height: `${(rows.length - last) * height}px` }} />}
        </tbody>
      </table>
      {rows.length === 0 && columns.length > 0 && <p class="empty nothing">No matches.</p>}
    </section>
  );
}

interface Shown {
  column: TaskColumn;
  /** Index of the column in the cells. */
  at: number;
  width: number;
}

function shownColumns(columns: TaskColumn[], threads: boolean): Shown[] {
  const widths = isNarrow.value ? NARROW : WIDTHS;
  const hidden = threads ? OF_PROCESSES : OF_THREADS;
  return Object.entries(widths).flatMap(([name, width]) => {
    const at = columns.findIndex((column) => column.name === name);
    const column = columns[at];
    return column && !hidden.has(name) ? [{ column, at, width }] : [];
  });
}

const widthOf = (shown: Shown[]) => shown.reduce((sum, { width }) => sum + width, 0);

function sortOf({ column, descending }: Order, { name }: TaskColumn): "ascending" | "descending" | "none" {
  return column !== name ? "none" : descending ? "descending" : "ascending";
}

interface CellProps {
  column: TaskColumn;
  cell: TaskRow["cells"][number] | undefined;
  /** Name of the managed process that the task belongs to. */
  managed: string | null;
}

function Cell({ column, cell, managed }: CellProps) {
  if (!cell || cell.raw === null) return <td />;
  const { raw, formatted } = cell;
  // Narrow screens have one column for both names.
  if (managed !== null && hasProcess(managed) && column.name === (isNarrow.value ? "name" : "process"))
    return (
      <td>
        <a class="member" tabIndex={-1} {...linkTo({ kind: "process", name: managed })} title={managed}>
          {managed}
        </a>
      </td>
    );
  if (column.name === "cpu_percent")
    return (
      <td class={`cpu-bar ${column.align}`} style={{ "--load": `${Math.min(100, Number(raw))}%` }}>
        {formatted}
      </td>
    );
  if (column.name === "start_time") return <td title={`${formatted} UTC`}>{lasting(String(raw))}</td>;
  return (
    <td class={column.align} title={column.type === "string" ? formatted.slice(0, 2_000) : undefined}>
      {formatted.slice(0, 400)}
    </td>
  );
}

/** Scrolls once to the row that the address names, when it exists; afterwards only the user scrolls. */
function useScrollIntoView(box: RefObject<HTMLElement | null>, rows: readonly TaskRow[], target: string | null): void {
  const isDone = useRef(target === null);
  useEffect(() => {
    if (isDone.current || rows.length === 0 || !box.current) return;
    isDone.current = true;
    const at = rows.findIndex(({ key }) => key === target);
    if (at >= 0) scrollToRow(box.current, at, rowHeight());
  }, [box, rows, target]);
}
