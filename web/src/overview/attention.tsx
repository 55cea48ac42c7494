import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { shownState, stateText, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { canDo } from "../actions/command-effects.ts";
import { forbiddenOf, request, type Target } from "../actions/commands.ts";
import type { ProcessCurve } from "../actions/page-feature.ts";
import { needsAttention } from "../state/attention.ts";
import { linkTo } from "../state/navigation.ts";
import { reasonOf } from "../state/status-reason.ts";
import { processOf } from "../state/store.ts";
import { filterTree } from "../tree/tree-filter.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/marks/icons.tsx";
import { ProcessMark, StateMark } from "../ui/marks/state-mark.tsx";
import { Name } from "../ui/name.tsx";
import { type Cause, causesOf, causeText, heldCauses, isCausedBy } from "./causes.ts";
import { LastOutput } from "./last-output.tsx";
import { heldNames, NoticedRow } from "./noticed-row.tsx";

/** Maximum number of rows, and of processes of an opened row; the others are counted. */
const MAX_ROWS = 40;
/** Maximum number of names in the row of a group. */
const MAX_NAMED = 3;

/** Additions of features to the row of a process. */
interface RowAdditions {
  readonly curves: readonly ProcessCurve[];
  readonly Links: ComponentType<{ process: Process }>;
}

/** Keys of the causes that the user has opened; kept while another view is shown. */
const opened = signal<ReadonlySet<string>>(new Set());

function toggle(key: string): void {
  const now = new Set(opened.value);
  if (!now.delete(key)) now.add(key);
  opened.value = now;
}

/** Processes that need attention: those in a bad state, with equal causes in one row, then those that features have noticed. With `isHeld`, rows keep their place and height. */
export function Attention({ processes, isHeld, ...additions }: { processes: readonly Process[]; isHeld: boolean } & RowAdditions) {
  const last = useRef<readonly Cause[]>([]);
  const now = causesOf(processes);
  const causes = isHeld ? heldCauses(last.current, now) : now;
  last.current = causes;
  const lastNoticed = useRef<readonly string[]>([]);
  const names = processes.map(({ name }) => name).filter(needsAttention);
  const noticed = heldNames(lastNoticed.current, names, isHeld);
  lastNoticed.current = noticed;
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    if (!isHeld) return;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>(".trouble-row, .cause-row") ?? [])];
    const heights = rows.map((row) => row.getBoundingClientRect().height);
    for (const [index, row] of rows.entries()) row.style.minHeight = `${heights[index]}px`;
    return () => {
      for (const row of rows) row.style.minHeight = "";
    };
  }, [isHeld]);
  if (causes.length + noticed.length === 0) return null;
  return (
    <section class="attention">
      <h2>Needs attention</h2>
      <ul class="trouble" aria-label="Needs attention" ref={list}>
        {causes
          .slice(0, MAX_ROWS)
          .map((cause) =>
            cause.isGroup ? (
              <CauseRow key={cause.key} cause={cause} {...additions} />
            ) : (
              <TroubleRow key={cause.key} name={cause.names[0] ?? ""} {...additions} />
            ),
          )}
        {noticed.slice(0, MAX_ROWS).map((name) => (
          <NoticedRow key={`noticed ${name}`} name={name} />
        ))}
      </ul>
      {causes.length > MAX_ROWS && <More count={causes.length - MAX_ROWS} filter="is:trouble" />}
      {noticed.length > MAX_ROWS && <More count={noticed.length - MAX_ROWS} filter="is:attention" />}
    </section>
  );
}

/** A row for processes with the same cause: their number, some names, and the last output of one. Opened, it has a row for each. */
function CauseRow({ cause, ...additions }: { cause: Cause } & RowAdditions) {
  const { key, state, names } = cause;
  const isOpen = opened.value.has(key);
  const members = names.flatMap((name) => processOf(name) ?? []);
  // While rows are held under the mouse, some processes may have changed their state.
  const still = members.filter((process) => isCausedBy(process, cause));
  const startable = still.filter((process) => canDo("start", process));
  const startables = startable.map(({ name }) => name);
  const target: Target = { kind: "list", title: `${startables.length} processes`, names: startables, word: "Restart" };
  const newest = still.reduce<Process | undefined>(
    (best, one) => ((one.exit?.time ?? "") > (best?.exit?.time ?? "") ? one : best),
    still[0],
  );
  const text = causeText(cause, still.length);
  const others = names.length - MAX_NAMED;
  return (
    <li>
      <div class="cause-row">
        <button type="button" class="disclose" aria-expanded={isOpen} onClick={() => toggle(key)}>
          <span class="twist" aria-hidden="true">
            <Icon name="next" />
          </span>
          <StateMark state={state} />
          {text}
        </button>
        <span class="what">
          <span class="names">
            {names.slice(0, MAX_NAMED).join(", ")}
            {others > 0 && ` and ${others} more`}
          </span>
          {newest && !isOpen && <LastOutput process={newest} />}
        </span>
        {(state === "error" || state === "backoff") && (
          <Button
            class="restart"
            needsManager
            enabled={startable.length > 0}
            forbidden={forbiddenOf("start", target)}
            label={`Restart ${startable.length} processes`}
            onClick={() => void request("start", target)}
          >
            <Icon name="restart" /> Restart {startable.length}
          </Button>
        )}
      </div>
      {isOpen && (
        <ul class="cause-members" aria-label={text}>
          {names.slice(0, MAX_ROWS).map((name) => (
            <TroubleRow key={name} name={name} cause={cause} {...additions} />
          ))}
          {names.length > MAX_ROWS && (
            <li>
              <More count={names.length - MAX_ROWS} filter={`is:${wordOf(state)}`} />
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function More({ count, filter }: { count: number; filter: string }) {
  return (
    <p class="soft more">
      and {count} more{" "}
      <button type="button" class="linklike" title={`Show these in the tree (${filter})`} onClick={() => filterTree(filter)}>
        Show in tree
      </button>
    </p>
  );
}

/** `cause`: the cause of its group, which the row does not repeat. */
function TroubleRow({ name, cause, curves, Links }: { name: string; cause?: Cause } & RowAdditions) {
  const process = processOf(name);
  if (!process) return null;
  const reason = reasonOf(process) ?? wordOf(shownState(process));
  const isReported = cause?.state === "error" && isCausedBy(process, cause);
  return (
    <li class="trouble-row">
      <ProcessMark process={process} />
      <a class="member" {...linkTo({ kind: "process", name }, name)} title={name}>
        <Name name={name} />
      </a>
      <span class="what">
        {!isReported && (
          <span class="why">
            {shownState(process) === "backoff" && <b>{stateText(process)} </b>}
            {reason}
          </span>
        )}
        <span class="last-line">
          <LastOutput process={process} />
          <Links process={process} />
        </span>
      </span>
      {curves.map(({ title, Cell }) => (
        <span key={title} class="of-curve" title={title}>
          <Cell name={name} />
        </span>
      ))}
      <Button
        class="restart"
        needsManager
        enabled={process.state === "error" || process.state === "backoff"}
        forbidden={forbiddenOf("start", { kind: "process", name })}
        label={`Restart ${name}`}
        onClick={() => void request("start", { kind: "process", name })}
      >
        <Icon name="restart" /> Restart
      </Button>
    </li>
  );
}
