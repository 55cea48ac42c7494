import { isWithin } from "../../../base/text/names.ts";
import type { LogEntry } from "../../../protocol/resources/resources.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import type { HistoryEvent } from "../event-wire.ts";
import { EVENT_KINDS, type EventKind } from "../series.ts";
import type { Events } from "./load-history.ts";

/** Entries of the log that are searched for one answer, at most: it may keep a million. */
const MAX_SEARCHED = 200_000;
/** Longest text of an event, characters: reasons quote what programs wrote. */
const MAX_TEXT = 500;

export interface EventSelection {
  readonly from: string;
  readonly until: string;
  readonly limit: number;
  readonly kinds: readonly EventKind[] | undefined;
  /** The process whose states are followed: the one before the range counts, too; null: there is none. */
  readonly process: string | null;
  /** Whether a process, or a process or group that a user commanded, is requested. Null: the whole instance. */
  readonly isWanted: (name: string | null) => boolean;
}

/** The events of a range in a log. `newestFirst`: its entries. */
export function eventsOf(newestFirst: Iterable<LogEntry>, selection: EventSelection): Omit<Events, "oldest"> {
  const { from, until, limit, process } = selection;
  const kinds = new Set<EventKind>(selection.kinds ?? EVENT_KINDS);
  const followed = kinds.has("state") ? process : null;
  const events: HistoryEvent[] = [];
  let left_out = 0;
  let searched = 0;
  for (const entry of newestFirst) {
    if (++searched > MAX_SEARCHED) break;
    if (entry.ts > until) continue;
    const isBefore = entry.ts < from;
    if (isBefore && followed === null) break;
    const event = eventOf(entry);
    if (event === null || !kinds.has(event.kind) || !selection.isWanted(event.name)) continue;
    if (isBefore && (event.change === undefined || event.name !== followed)) continue;
    if (events.length < limit || isBefore) events.push(event);
    else left_out++;
    if (isBefore) break;
  }
  return { events: events.reverse(), left_out };
}

function eventOf({ ts, msg, change, action }: LogEntry): HistoryEvent | null {
  const text = msg.slice(0, MAX_TEXT);
  if (action !== undefined) return { ts, kind: action.kind, name: action.name, text };
  if (change === undefined) return null;
  const { process: name, ...rest } = change;
  const reason = rest.reason === null ? null : rest.reason.slice(0, MAX_TEXT);
  return { ts, kind: kindOf(rest), name, text: reason === null ? text : `${text}: ${reason}`, change: { ...rest, reason } };
}

function kindOf({ from, to }: Pick<NonNullable<LogEntry["change"]>, "from" | "to">): EventKind {
  if (from === null) return "state";
  if (to === "error" || to === "backoff") return "crash";
  return from === "backoff" && to === "starting" ? "restart" : "state";
}

/** Whether a name is requested and in view. `name`: the requested process or group; undefined: everything. */
export function wantedNames(
  { name, isOnHost }: { name: string | undefined; isOnHost: (process: string) => boolean },
  view: ViewMode,
): EventSelection["isWanted"] {
  return (each) => {
    if (each === null) return view.kind === "full";
    if (!contains(view, each)) return false;
    // A command to a group is one to each of its members.
    return (name === undefined || isWithin(each, name) || isWithin(name, each)) && isOnHost(each);
  };
}
