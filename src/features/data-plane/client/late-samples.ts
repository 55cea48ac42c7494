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

/** Maximum number of hosts whose numberings are remembered for a topic; the oldest is forgotten. */
const MAX_LOGS = 16;

type Mark = Pick<MessageMarks, "seq" | "time">;

interface Gap {
  /** The live samples before and after it. */
  readonly after: Mark;
  readonly before: Mark;
  /** Samples in it that have not arrived, by the sequence numbers. */
  missing: number;
}

/** Says which late samples of a topic are new: neither received live before the link was cut, nor late already. */
export class LateSamples {
  /** Samples that were missing among the live ones, and have come late. */
  filled = 0;
  /** Index of the next late sample of each numbering: all before it have arrived. */
  readonly #next = new Map<string, number>();
  /** The newest message that the broker had kept for new subscribers: it is a sample of the cut, too. */
  #kept: Mark | null = null;
  /** The first and the newest live sample. */
  #begin: Mark | null = null;
  #last: Mark | null = null;
  readonly #gaps: Gap[] = [];
  /** Late samples that were published after the newest live one: the gap that they are in ends with the next one. */
  #ahead = 0;

  /** Remembers gaps between samples that arrived at once. */
  live({ seq, time, isLast }: MessageMarks): void {
    if (seq === null) return;
    if (isLast) {
      this.#kept = { seq, time };
      return;
    }
    const after = this.#last;
    this.#last = { seq, time };
    this.#begin ??= this.#last;
    const ahead = this.#ahead;
    this.#ahead = 0;
    if (after === null || after.seq === null || seq === after.seq + 1) return;
    const size = Math.max(0, seq - after.seq - 1);
    const filled = Math.min(ahead, size);
    this.filled += filled;
    this.#gaps.push({ after, before: this.#last, missing: size - filled });
    if (this.#gaps.length > MAX_GAPS) this.#gaps.shift();
  }

  /** Index after the last sample of this numbering that arrived without a gap. */
  nextOf(log: string): number {
    return this.#next.get(log) ?? 0;
  }

  /** `gap`: samples before it are missing, it will come again. `duplicate`: it was received before. */
  count({ log, index, first }: LatePlace, marks: Mark): "wanted" | "duplicate" | "gap" {
    // Messages before `first` were confirmed by another subscriber, or dropped.
    const next = Math.max(first, this.nextOf(log));
    this.#remember(log, index === next ? next + 1 : next);
    if (index > next) return "gap";
    return index === next && this.#fill(marks) ? "wanted" : "duplicate";
  }

  #remember(log: string, next: number): void {
    this.#next.delete(log);
    this.#next.set(log, next);
    if (this.#next.size <= MAX_LOGS) return;
    for (const oldest of [...this.#next.keys()].slice(0, 1)) this.#next.delete(oldest);
  }

  /** Whether the sample was missing. It is not any more. */
  #fill(mark: Mark): boolean {
    if (mark.seq === null) return true;
    if (mark.seq === this.#kept?.seq && mark.time === this.#kept.time) return false;
    if (this.#begin === null || this.#last === null) return true;
    if (isAfter(this.#begin, mark)) return true;
    if (isAfter(mark, this.#last)) {
      this.#ahead++;
      return true;
    }
    const gap = this.#gaps.find(({ after, before }) => isAfter(mark, after) && isAfter(before, mark));
    if (gap === undefined) return false;
    if (gap.missing > 0) {
      gap.missing--;
      this.filled++;
    }
    return true;
  }
}

/** Whether a sample was published after another one. Sequence numbers begin anew with the publisher, so times come first. */
function isAfter(one: Mark, other: Mark): boolean {
  if (one.time !== null && other.time !== null && one.time !== other.time) return one.time > other.time;
  return (one.seq ?? 0) > (other.seq ?? 0);
}
