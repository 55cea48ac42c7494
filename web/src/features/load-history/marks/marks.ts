import type { HistoryEvent } from "../../../../../src/features/load-history/event-wire.ts";
import type { EventKind } from "../../../../../src/features/load-history/series.ts";
import type { Span } from "../range.ts";

export type MarkKind = Exclude<EventKind, "state">;

/** Kinds of marks, the most important first, with their words. */
export const MARK_KINDS: readonly (readonly [kind: MarkKind, word: string])[] = [
  ["crash", "failure"],
  ["configuration", "configuration"],
  ["command", "command"],
  ["restart", "restart"],
];

/** Events so near to each other that they share a mark. */
export interface Mark {
  /** ms since 1970, of the first. */
  readonly time: number;
  /** Its place, as a fraction of the span. */
  readonly place: number;
  /** The most important one. */
  readonly kind: MarkKind;
  readonly events: readonly HistoryEvent[];
}

export const timeOf = ({ ts }: HistoryEvent): number => Date.parse(`${ts}Z`);

/** The marks of a span that is `width` px wide; each takes `least` px at least. `events`: oldest first. */
export function marksOf(events: readonly HistoryEvent[], span: Span, { width, least }: { width: number; least: number }): Mark[] {
  const marks: Mark[] = [];
  const length = Math.max(1, span.until - span.from);
  for (const event of events) {
    const { kind } = event;
    const time = timeOf(event);
    if (kind === "state" || time < span.from || time > span.until) continue;
    const place = (time - span.from) / length;
    const last = marks.at(-1);
    if (last !== undefined && (place - last.place) * width < least)
      marks[marks.length - 1] = { ...last, kind: moreImportant(last.kind, kind), events: [...last.events, event] };
    else marks.push({ time, place, kind, events: [event] });
  }
  return marks;
}

const rank = (kind: MarkKind) => MARK_KINDS.findIndex(([one]) => one === kind);
const moreImportant = (one: MarkKind, other: MarkKind) => (rank(one) <= rank(other) ? one : other);

/** The text of a mark: its event, or how many of each kind it stands for. */
export function markText({ events }: Mark): string {
  const [only] = events;
  if (events.length === 1 && only !== undefined) return only.text;
  return MARK_KINDS.flatMap(([kind, word]) => {
    const count = events.filter((event) => event.kind === kind).length;
    return count === 0 ? [] : [`${count} ${word}${count === 1 || kind === "configuration" ? "" : "s"}`];
  }).join(", ");
}
