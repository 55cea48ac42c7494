import { signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { SHOWN_STATES, shownState, stateText } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { canDo } from "../actions/command-effects.ts";
import { requestByClick } from "../actions/commands.ts";
import type { ProcessCurve } from "../actions/page-feature.ts";
import { markOf } from "../actions/process-marks.ts";
import { cpuOf, loadOf, memoryOf } from "../state/loads.ts";
import { linkTo } from "../state/navigation.ts";
import { asOf, reasonOf } from "../state/status-reason.ts";
import { rowItems } from "../tree/row-menu.tsx";
import { isNarrow } from "../ui/browser/screen.ts";
import { useHeldRows } from "../ui/list/held-rows.ts";
import { useRowFocus } from "../ui/list/row-focus.ts";
import { drawnRows, useViewport, type Viewport } from "../ui/list/viewport.ts";
import { IconButton } from "../ui/marks/icons.tsx";
import { MarkDot } from "../ui/marks/mark-dot.tsx";
import { ProcessMark } from "../ui/marks/state-mark.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { Name } from "../ui/name.tsx";
import { lasting, millisecondsOf } from "../ui/time.ts";

/** The rank of a process by its state: the states that need attention most come first. */
const rank = (process: Process) => SHOWN_STATES.indexOf(shownState(process));
const sinceOf = ({ pid, stop_time, start_time }: Process) => (pid === null ? stop_time : start_time);
const byName = (a: Process, b: Process) => (a.name < b.name ? -1 : 1);

type Column = "configured" | "name" | "state" | "host" | "pid" | "cpu" | "memory" | "since" | "restarts";
/** The orders of rows by column; a second click on a column's head reverses them. */
const ORDERS: Record<Column, (a: Process, b: Process) => number> = {
  configured: () => 0,
  name: byName,
  state: (a, b) => rank(a) - rank(b) || byName(a, b),
  host: (a, b) => a.host.localeCompare(b.host) || byName(a, b),
  pid: (a, b) => (a.pid ?? Number.POSITIVE_INFINITY) - (b.pid ?? Number.POSITIVE_INFINITY),
  cpu: (a, b) => (loadOf([b.name])?.cpu ?? -1) - (loadOf([a.name])?.cpu ?? -1) || byName(a, b),
  memory: (a, b) => (loadOf([b.name])?.memory ?? -1) - (loadOf([a.name])?.memory ?? -1) || byName(a, b),
  since: (a, b) => millisecondsOf(sinceOf(b) ?? "1970-01-01T00:00:00") - millisecondsOf(sinceOf(a) ?? "1970-01-01T00:00:00"),
  restarts: (a, b) => b.restarts - a.restarts || byName(a, b),
};
const order = signal<{ column: Column; turned: boolean }>({ column: "configured", turned: false });

function sorted(members: readonly Process[]): readonly Process[] {
  const { column, turned } = order.value;
  if (column === "configured") return members;
  const found = [...members].sort(ORDERS[column]);
  return turned ? found.reverse() : found;
}

/** The command that runs; if none runs, that of the next start. */
const commandOf = ({ running_command, current_command }: Process) => running_command ?? current_command;

/** Height of a row in the style sheet, px: rows out of view are not drawn. */
const ROW = 33;
const ROW_NARROW = 44;
const SPARE = 10;

interface TableProps {
  readonly below: string;
  readonly members: readonly Process[];
  /** Curves of features, a column each. */
  readonly curves: readonly ProcessCurve[];
}

export function MemberTable({ below, members, curves }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const viewport = useSignal<Viewport>({ top: 0, height: 800, width: 800 });
  useViewport(box, viewport);
  const { rows, hold } = useHeldRows(sorted(members), ({ name }) => name, `${below} ${order.value.column} ${order.value.turned}`);
  const height = isNarrow.value ? ROW_NARROW : ROW;
  const { first, last } = drawnRows(viewport.value, { height, count: rows.length, spare: SPARE });
  useRowFocus({ box, viewport, height, indexOf: (key) => rows.findIndex(({ name }) => name === key) });
  const hasHosts = new Set(members.map(({ host }) => host)).size > 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <section class="members" ref={box} tabIndex={0} aria-label="Members" {...hold}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <Head column="name">Process</Head>
            <Head column="state">State</Head>
            {hasHosts && <Head column="host">Host</Head>}
            <Head column="pid" class="number">
              pid
            </Head>
            <Head column="cpu" class="number">
              CPU
            </Head>
            {curves.map(({ title }) => (
              <th key={title} class="of-curve">
                {title}
              </th>
            ))}
            <Head column="memory" class="number">
              Memory
            </Head>
            <Head column="since">Since</Head>
            <Head column="restarts" class="number">
              Restarts
            </Head>
            <th class="wide">Details</th>
            <th class="doing">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr class="spacer" style={{ height: `${first * height}px` }} />}
          {rows.slice(first, last).map((process, index) => (
            <MemberRow key={process.name} {...{ process, below, hasHosts, curves }} index={first + index} />
          ))}
          {last < rows.length && <tr class="spacer" style={{ height: `${(rows.length - last) * height}px` }} />}
        </tbody>
      </table>
    </section>
  );
}

function Head({ column, class: name = "", children }: { column: Column; class?: string; children: string }) {
  const isOrder = order.value.column === column;
  const turn = () => {
    if (!isOrder) order.value = { column, turned: false };
    else order.value = order.value.turned ? { column: "configured", turned: false } : { column, turned: true };
  };
  return (
    <th class={`${name} of-${column}`} aria-sort={isOrder ? (order.value.turned ? "descending" : "ascending") : undefined}>
      <button type="button" class="head" onClick={turn} title={`Sort by ${children.toLowerCase()}`}>
        {children}
        {isOrder && <span aria-hidden="true">{order.value.turned ? "↑" : "↓"}</span>}
      </button>
    </th>
  );
}

interface RowProps extends Omit<TableProps, "members"> {
  readonly process: Process;
  readonly index: number;
  readonly hasHosts: boolean;
}

function MemberRow({ process, below, index, hasHosts, curves }: RowProps) {
  const { name, host, host_ready } = process;
  const shortName = below === "" ? name : name.slice(below.length + 1);
  const since = sinceOf(process);
  const verb = canDo("start", process) ? "start" : "stop";
  const word = verb === "start" ? "Start" : "Stop";
  const load = process.pid === null ? null : loadOf([name]);
  const mark = markOf(name);
  return (
    <tr data-key={name} aria-rowindex={index + 2}>
      <td class="of-name">
        {mark !== null && <MarkDot text={mark} />}
        <a class="member" {...linkTo({ kind: "process", name }, shortName)} title={name}>
          <Name name={shortName} />
        </a>
      </td>
      <td class="of-state">
        <span class="in-row">
          <ProcessMark process={process} /> {stateText(process)}
        </span>
      </td>
      {hasHosts && <td class={`of-host ${host_ready ? "" : "warn"}`}>{host}</td>}
      <td class="number of-pid">{process.pid ?? ""}</td>
      <td class="number of-cpu">{cpuOf(load)}</td>
      {curves.map(({ title, Cell }) => (
        <td key={title} class="of-curve">
          <Cell name={name} />
        </td>
      ))}
      <td class="number of-memory">{memoryOf(load)}</td>
      <td class="of-since">{asOf(process) ?? (since ? lasting(since) : "")}</td>
      <td class="number of-restarts">{process.restarts || ""}</td>
      <td class="wide soft" title={commandOf(process)}>
        {process.needs_restart && <span class="tag">restart to apply</span>}
        {reasonOf(process) ?? commandOf(process)}
      </td>
      <td class="doing">
        {isNarrow.value ? (
          <MenuButton label={`More actions of ${name}`} items={rowItems(name)} />
        ) : (
          <IconButton
            icon={verb}
            needsManager
            label={`${word} ${name}`}
            word={word}
            onClick={(event) => requestByClick(event, verb, { kind: "process", name })}
          />
        )}
      </td>
    </tr>
  );
}
