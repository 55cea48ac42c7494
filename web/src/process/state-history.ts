import { exitText } from "../../../src/client/handles/exit-text.ts";
import { type ShownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import { isRunningState, type LogEntry } from "../../../src/protocol/resources/resources.ts";
import { clockMinutes } from "../ui/time.ts";

type Detail = Extract<ManagerFrame, { type: "process_detail"; ok: true }>;
type Change = Pick<Detail["changes"][number], "from" | "to" | "by" | "reason">;

/** A state that a process has entered, as shown. */
export interface StateChange {
  /** UTC time, as on the wire. */
  readonly time: string;
  readonly to: ShownState;
  readonly text: string;
}

/** Maximum number of log entries that are searched for the newest changes. */
const MAX_SEARCHED = 5_000;

/**
 * The `count` processes that changed last, the newest first, with their changes since a time (ms since 1970) and the one before it, oldest
 * first; at least the newest one.
 */
export function recentChanges(
  entries: readonly LogEntry[],
  { count, since, startOf }: { count: number; since: number; startOf: (name: string) => string | null },
): { name: string; changes: StateChange[] }[] {
  const found = new Map<string, StateChange[]>();
  // Newest first, since a list can only be extended at its end.
  for (let index = entries.length - 1; index >= Math.max(0, entries.length - MAX_SEARCHED); index--) {
    const { ts, change } = entries[index] ?? {};
    if (!ts || !change) continue;
    const own = found.get(change.process);
    const oldest = own?.at(-1);
    if (own && oldest && Date.parse(`${oldest.time}Z`) > since) own.push(shown(ts, change, startOf(change.process)));
    else if (!own && found.size < count) found.set(change.process, [shown(ts, change, startOf(change.process))]);
  }
  return [...found].map(([name, changes]) => ({ name, changes: changes.reverse() }));
}

/** The states of one process, oldest first: starts and ends of runs older than the log, then the changes in the log. */
export function stateHistory({ changes, history }: Pick<Detail, "changes" | "history">, start: string | null): StateChange[] {
  const first = changes[0]?.ts ?? "9999";
  const earlier = [...history]
    .reverse()
    .flatMap(runChanges)
    .filter(({ time }) => time < first);
  return [...earlier, ...changes.map(({ ts, ...change }) => shown(ts, change, start))];
}

function runChanges({ start_time, stop_time, code, signal, reason }: Detail["history"][number]): StateChange[] {
  if (start_time === null) return [];
  const began: StateChange = { time: start_time, to: "started", text: "started" };
  if (stop_time === null) return [began];
  const how = exitText({ exit: { code, signal, reason, time: stop_time } });
  return [began, { time: stop_time, to: "stopped", text: `ended: ${how}` }];
}

/** `start`: start time of the newest run of the process. */
function shown(time: string, change: Change, start: string | null): StateChange {
  const { from, to, by, reason } = change;
  // A requested stop passes through `stopping`; a process that goes from running to stopped has ended by itself with success.
  const state = to === "stopped" && from !== null && isRunningState(from) ? "completed" : to;
  if (from === null) return { time, to: state, text: adoptedText(to, start) };
  return { time, to: state, text: `${wordOf(state)}${causeOf(state, by)}${reason === null ? "" : `: ${reason}`}` };
}

/** Names the user who caused a state; a transitional state is on the way to the user's request. */
function causeOf(state: StateChange["to"], by: string | null): string {
  if (by === null) return "";
  return state === "stopping" || state === "starting" || state === "waiting" ? `, requested by ${by}` : ` by ${by}`;
}

function adoptedText(to: Change["to"], start: string | null): string {
  if (!isRunningState(to)) return `${wordOf(to)} when the manager started`;
  return `adopted, running since ${start === null ? "before" : clockMinutes(start)}`;
}
