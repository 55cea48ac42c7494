import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { refusalOf } from "../../state/access.ts";
import { hosts, instance } from "../../state/store.ts";
import type { ViewOf } from "../../state/views.ts";
import { Button } from "../../ui/button.tsx";
import { useHeldRows } from "../../ui/list/held-rows.ts";
import { IconButton } from "../../ui/marks/icons.tsx";
import { useTaskList } from "./task-list.ts";
import { TaskPanel } from "./task-panel.tsx";
import { filterTasks, inOrder, type Order, parseTaskQuery, queryOfProcess } from "./task-query.ts";
import { TaskTable } from "./task-table.tsx";

const PACES: readonly (readonly [number, string])[] = [
  [1_000, "every second"],
  [2_000, "every 2 s"],
  [5_000, "every 5 s"],
  [0, "paused"],
];
/** Delay from the last key to the request with the typed filter, ms. */
const TYPING_MS = 250;

/** All processes or threads of a host, live. */
export function TaskView({ view }: { view: ViewOf<"tasks"> }) {
  const [host, setHost] = useState(view.host ?? "");
  const [text, setText] = useState(view.pid === undefined ? "" : queryOfProcess(view.pid));
  const [threads, setThreads] = useState(view.pid !== undefined);
  const [env, setEnv] = useState(false);
  const [every, setEvery] = useState(2_000);
  const [order, setOrder] = useState<Order>({ column: "cpu_percent", descending: true });
  const [selected, setSelected] = useState<string | null>(view.pid === undefined ? null : `${view.pid}:${view.tid ?? view.pid}`);
  const query = parseTaskQuery(useSettled(text));
  const known = host || view.host || instance.value.host;
  const { list, again } = useTaskList({ host: known, threads, env, filter: query.filter, every });
  const { columns, rows, problem, isLoading } = list.value;
  const words = query.words.join(" ");
  const shown = useMemo(() => inOrder(filterTasks(rows, query), columns, order), [rows, columns, order, words]);
  const row = rows.find(({ key }) => key === selected);
  const held = useHeldRows(shown, ({ key }) => key, [text, order.column, order.descending, known, threads, env].join());
  const table = useRef<HTMLElement>(null);
  return (
    <section
      class="tasks"
      aria-label={`Tasks of ${known}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || selected === null) return;
        setSelected(null);
        table.current?.querySelector<HTMLElement>("tr[tabindex='0']")?.focus();
        event.stopPropagation();
      }}
    >
      <header class="bar">
        <h1>Tasks</h1>
        {hosts.value.length > 1 ? (
          <select aria-label="Host" value={nameOf(known)} onChange={(event) => setHost(event.currentTarget.value)}>
            {hosts.value.map(({ name, daemon_ready }) => (
              <option key={name} value={name}>
                {name}
                {daemon_ready ? "" : " (away)"}
              </option>
            ))}
          </select>
        ) : (
          <span class="soft host">{nameOf(known)}</span>
        )}
        <input
          type="search"
          class="task-filter"
          value={text}
          placeholder="Filter: words, or cpu>5 user==root name~x"
          aria-label="Filter tasks: words, or items such as cpu>5, user==root, name~x"
          aria-invalid={problem !== null}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            table.current?.querySelector<HTMLElement>("tr[tabindex='0']")?.focus();
            event.preventDefault();
          }}
        />
        <span class="actions">
          <Toggle label="Managed only" pressed={/(^| )process!=( |$)/.test(text)} onToggle={(on) => setText(withManaged(text, on))} />
          <Toggle label="Threads" pressed={threads} onToggle={setThreads} />
          <Toggle
            label="Environment"
            pressed={env}
            forbidden={refusalOf({ type: "request_process_list", host: known, show_env: true }, "The environment")}
            onToggle={setEnv}
          />
          <select aria-label="Refresh interval" value={every} onChange={(event) => setEvery(Number(event.currentTarget.value))}>
            {PACES.map(([pace, words]) => (
              <option key={pace} value={pace}>
                {words}
              </option>
            ))}
          </select>
          <IconButton icon="restart" label="Refresh" onClick={again} />
        </span>
      </header>
      {problem !== null && (
        <p class="why bad" role="alert">
          {problem}
        </p>
      )}
      <div class="tasks-body">
        <TaskTable
          box={table}
          columns={columns}
          rows={held.rows}
          known={rows}
          hold={held.hold}
          order={order}
          threads={threads}
          selected={selected}
          onOrder={(column) => setOrder(nextOrder(order, column))}
          onSelect={setSelected}
        />
        {row && (
          <TaskPanel key={row.key} host={nameOf(known)} columns={columns} row={row} onClose={() => setSelected(null)} onChanged={again} />
        )}
      </div>
      <footer class="tasks-count soft" aria-live="off">
        {columns.length === 0
          ? isLoading
            ? "Measuring…"
            : ""
          : `${shown.length} ${nounOf(threads, shown.length)}${shown.length < rows.length ? ` of ${rows.length}` : ""}${held.isHeld ? " · order held while the pointer is over the list" : ""}`}
      </footer>
    </section>
  );
}

const nounOf = (threads: boolean, count: number) =>
  threads ? (count === 1 ? "thread" : "threads") : count === 1 ? "process" : "processes";

const nameOf = (host: string) => hosts.value.find(({ all_names }) => all_names.includes(host))?.name ?? host;

interface ToggleProps {
  label: string;
  pressed: boolean;
  forbidden?: string | null;
  onToggle: (on: boolean) => void;
}

function Toggle({ label, pressed, forbidden = null, onToggle }: ToggleProps) {
  return (
    <Button class="toggle" pressed={pressed} forbidden={forbidden} onClick={() => onToggle(!pressed)}>
      {label}
    </Button>
  );
}

/** The order after a click on a column's head: numbers begin with the largest. */
function nextOrder({ column, descending }: Order, wanted: string): Order {
  if (column === wanted) return { column, descending: !descending };
  return { column: wanted, descending: ["cpu_percent", "memory_rss", "cpu_time", "threads", "prio", "start_time"].includes(wanted) };
}

function withManaged(text: string, on: boolean): string {
  const rest = text
    .split(" ")
    .filter((word) => word !== "process!=" && word !== "")
    .join(" ");
  return on ? `${rest} process!=`.trim() : rest;
}

/** The value, once it has not changed for TYPING_MS. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
