import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { groupState, type Process } from "../../src/protocol/resources.ts";
import { canDo, isRunning, processesOf, progressOf } from "./actions.ts";
import { Icon, IconButton } from "./icons.tsx";
import { linkTo } from "./navigation.ts";
import { groupStyle } from "./settings.ts";
import { StateChip, StateMark } from "./state-mark.tsx";
import { command, isLoaded, tree } from "./store.ts";
import { TerminalBox } from "./terminal-box.tsx";
import { lasting } from "./time.ts";
import { findGroup } from "./tree-rows.ts";
import { whyText } from "./why.ts";

export function GroupView({ name }: { name: string }) {
  const node = findGroup(tree.value, name);
  if (!node) return isLoaded.value ? <p class="empty nothing">There is no group “{name}”.</p> : null;
  const members = processesOf(node);
  const ask = (verb: "start" | "stop" | "restart") => void command({ type: `${verb}_group`, name });
  return (
    <section class="group" aria-label={`Group ${name}`}>
      <header class="bar">
        <h1 title={name}>
          <span class="path">{name.slice(0, name.lastIndexOf("/") + 1)}</span>
          {node.display_name}
        </h1>
        <StateChip state={groupState(members.map(({ state }) => state))} />
        <span class="facts">
          <span>
            {members.filter(isRunning).length} of {members.length} running
          </span>
        </span>
        <span class="actions">
          <button type="button" class="start" disabled={!members.some((one) => canDo("start", one))} onClick={() => ask("start")}>
            <Icon name="start" />
            <span class="word">Start all</span>
          </button>
          <button type="button" class="stop" disabled={!members.some((one) => canDo("stop", one))} onClick={() => ask("stop")}>
            <Icon name="stop" />
            <span class="word">Stop all</span>
          </button>
          <button type="button" onClick={() => ask("restart")}>
            <Icon name="restart" />
            <span class="word">Restart all</span>
          </button>
          <IconButton
            icon="table"
            label="Members as a table"
            pressed={groupStyle.value === "table"}
            onClick={() => {
              groupStyle.value = "table";
            }}
          />
          <IconButton
            icon="grid"
            label="Members as live terminals"
            pressed={groupStyle.value === "terminals"}
            onClick={() => {
              groupStyle.value = "terminals";
            }}
          />
        </span>
      </header>
      <Progress members={members} />
      {groupStyle.value === "table" ? <MemberTable name={name} members={members} /> : <TerminalGrid members={members} />}
    </section>
  );
}

/** While something is on its way: how far, and what is waited for. */
function Progress({ members }: { members: Process[] }) {
  const coming = members.filter((one) => progressOf(one) === "coming");
  if (coming.length === 0) return null;
  const done = members.filter((one) => progressOf(one) === "there").length;
  const named = coming
    .slice(0, 3)
    .map((one) => (one.waiting_for[0] ? `${one.display_name} (for ${one.waiting_for[0]})` : `${one.display_name} (${one.state})`));
  return (
    <div class="progress">
      <progress max={members.length} value={done} aria-label="Members that are where they should be" />
      <span>
        {done} of {members.length}; waiting for {named.join(", ")}
        {coming.length > named.length && ` and ${coming.length - named.length} more`}
      </span>
    </div>
  );
}

/** A row's height in the style sheet, pixels: rows out of sight are not drawn. */
const ROW = 33;
const SPARE = 10;

function MemberTable({ name, members }: { name: string; members: Process[] }) {
  const box = useRef<HTMLDivElement>(null);
  const sight = useRef(signal({ top: 0, height: 800 })).current;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      sight.value = { top: element.scrollTop, height: element.clientHeight };
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [sight]);
  const first = Math.max(0, Math.floor(sight.value.top / ROW) - SPARE);
  const last = Math.min(members.length, Math.ceil((sight.value.top + sight.value.height) / ROW) + SPARE);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <section class="members" ref={box} tabIndex={0} aria-label="Members">
      <table aria-rowcount={members.length + 1}>
        <thead>
          <tr>
            <th>Process</th>
            <th>State</th>
            <th class="number">pid</th>
            <th>Since</th>
            <th class="number">Restarts</th>
            <th class="wide">What</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr class="spacer" style={{ height: `${first * ROW}px` }} />}
          {members.slice(first, last).map((process, index) => (
            <MemberRow key={process.name} process={process} group={name} index={first + index} />
          ))}
          {last < members.length && <tr class="spacer" style={{ height: `${(members.length - last) * ROW}px` }} />}
        </tbody>
      </table>
    </section>
  );
}

function MemberRow({ process, group, index }: { process: Process; group: string; index: number }) {
  const { name } = process;
  const since = process.pid === null ? process.stop_time : process.start_time;
  const verb = canDo("start", process) ? "start" : "stop";
  return (
    <tr aria-rowindex={index + 2}>
      <td>
        <a class="member" {...linkTo({ kind: "process", name })}>
          {name.slice(group.length + 1)}
        </a>
      </td>
      <td>
        <span class="in-row">
          <StateMark state={process.state} /> {process.state}
        </span>
      </td>
      <td class="number">{process.pid ?? ""}</td>
      <td>{since ? lasting(since) : ""}</td>
      <td class="number">{process.restarts || ""}</td>
      <td class="wide soft">{whyText(process) ?? process.current_command}</td>
      <td>
        <IconButton
          icon={verb}
          label={`${verb === "start" ? "Start" : "Stop"} ${name}`}
          onClick={() => void command({ type: `${verb}_process`, name })}
        />
      </td>
    </tr>
  );
}

/** Terminals drawn at once; more would take a second each to draw. */
const MOST_TERMINALS = 16;

function TerminalGrid({ members }: { members: Process[] }) {
  const shown = members.slice(0, MOST_TERMINALS);
  return (
    <>
      <div class="terminal-grid" style={{ "--columns": String(Math.max(1, Math.round(Math.sqrt(shown.length)))) }}>
        {shown.map((process) => (
          <section key={process.name} class="cell" aria-label={`Process ${process.name}`}>
            <header>
              <StateMark state={process.state} />
              <a class="member" {...linkTo({ kind: "process", name: process.name })}>
                {process.name}
              </a>
            </header>
            <TerminalBox name={process.name} webgl={false} />
          </section>
        ))}
      </div>
      {members.length > shown.length && (
        <p class="soft note">
          The first {shown.length} of {members.length}; the table has all.
        </p>
      )}
    </>
  );
}
