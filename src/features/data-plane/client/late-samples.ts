import type { MsgHdrs } from "@nats-io/nats-core";
import { LATE, LATE_INDEX, parseLateIndex } from "../late-headers.ts";
import type { MessageMarks } from "./loss-counter.ts";

/** Maximum number of gaps in the live samples that are remembered; the oldest are forgotten, and samples in them are taken as received. */
const MAX_GAPS = 1_000;

/** The place of a late sample among those that its host has kept of the topic. */
export interface LatePlace {
  /** When the broker of its host received it, nanoseconds since 1970. */
  readonly received: bigint;
  /** Identifies the numbering of `index`. */
  readonly log: string;
  readonly index: number;
  /** Index of the first sample that was sent together with this one. */
  readonly first: number;
}

/** The place of a late sample by its headers; null: they are not those of one. */
export function latePlaceOf(headers: MsgHdrs | undefined): LatePlace | null {
  const received = headers?.get(LATE) ?? "";
  const place = parseLateIndex(headers?.get(LATE_INDEX) ?? "");
  return place === null || !/^\d{1,19}$/.test(received) ? null : { received: BigInt(received), ...place };
}

type Mark = Pick<MessageMarks, "seq" | "time">;

/** Says which late samples of a topic are new: neither received live before the link was cut, nor late already. */
export class LateSamples {
  #log = "";
  /** Index of the next late sample: all before it have arrived. */
  next = 0;
  /** The first and the newest live sample. */
  #begin: Mark | null = null;
  #last: Mark | null = null;
  /** Live samples before and after each gap. */
  readonly #gaps: { readonly after: Mark; readonly before: Mark }[] = [];

  /** Remembers gaps between samples that arrived at once. */
  live({ seq, time, isLast }: MessageMarks): void {
    if (isLast || seq === null) return;
    const after = this.#last;
    this.#last = { seq, time };
    this.#begin ??= this.#last;
    if (after === null || after.seq === null || seq === after.seq + 1) return;
    this.#gaps.push({ after, before: this.#last });
    if (this.#gaps.length > MAX_GAPS) this.#gaps.shift();
  }

  /** `gap`: samples before it are missing, it will come again. `duplicate`: it was received before. */
  count({ log, index, first }: LatePlace, marks: Mark): "wanted" | "duplicate" | "gap" {
    if (log !== this.#log) {
      this.#log = log;
      this.next = first;
    }
    // Those before `first` were confirmed by another subscriber, or dropped.
    if (first > this.next) this.next = first;
    if (index > this.next) return "gap";
    if (index < this.next) return "duplicate";
    this.next++;
    return this.#isMissing(marks) ? "wanted" : "duplicate";
  }

  #isMissing(mark: Mark): boolean {
    if (mark.seq === null || this.#begin === null || this.#last === null) return true;
    return (
      isAfter(this.#begin, mark) ||
      isAfter(mark, this.#last) ||
      this.#gaps.some(({ after, before }) => isAfter(mark, after) && isAfter(before, mark))
    );
  }
}

/** Whether a sample was published after another one. Sequence numbers begin anew with the publisher, so times come first. */
function isAfter(one: Mark, other: Mark): boolean {
  if (one.time !== null && other.time !== null && one.time !== other.time) return one.time > other.time;
  return (one.seq ?? 0) > (other.seq ?? 0);
}
