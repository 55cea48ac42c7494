import { cappedSum } from "../capped-sum.ts";
import { MAX_REPORTED_TOPICS, type RecordingReport } from "../contract.ts";
import type { FoundFile } from "./recording-folder.ts";
import type { CountsState } from "./recording-state.ts";

interface TopicCounts {
  messages: number;
  missed: number;
  dropped: number;
  /** The last `Mgr-Seq`; null: none has arrived. */
  last: bigint | null;
}

/** Counters of one recording since it was started. */
export class RecordingCounts {
  readonly #topics = new Map<string, TopicCounts>();
  readonly #sums = { messages: 0, bytes: 0, missed: 0, dropped: 0 };

  get report(): Pick<RecordingReport, "messages" | "bytes" | "missed" | "dropped" | "topics"> {
    const topics = [...this.#topics].slice(0, MAX_REPORTED_TOPICS).map(([name, { messages, missed, dropped }]) => ({
      name,
      messages,
      missed,
      dropped,
    }));
    return { ...this.#sums, topics };
  }

  handOver(): CountsState {
    const topics = [...this.#topics].map(([name, { last, ...counts }]) => ({ name, ...counts, last: last === null ? null : String(last) }));
    return { topics, sums: { ...this.#sums } };
  }

  /** Continues the counters of an earlier program. */
  adopt({ topics, sums }: CountsState): void {
    Object.assign(this.#sums, sums);
    for (const { name, last, ...counts } of topics) this.#topics.set(name, { ...counts, last: last === null ? null : BigInt(last) });
  }

  /** Counts a message that arrived. Returns how many of its topic were sent since the last one but did not arrive. */
  arrived(topic: string, sequence: bigint | null): number {
    const counts = this.#of(topic);
    const missed = missedBefore(counts, sequence);
    for (const each of [counts, this.#sums]) each.missed = cappedSum(each.missed, missed);
    return missed;
  }

  recorded(topic: string, bytes: number): void {
    for (const each of [this.#of(topic), this.#sums]) each.messages++;
    this.#sums.bytes += bytes;
  }

  dropped(topic: string): void {
    for (const each of [this.#of(topic), this.#sums]) each.dropped++;
  }

  /** Counts messages as dropped that were counted as recorded but are not in the file. */
  lost(topic: string, count: number): void {
    for (const each of [this.#of(topic), this.#sums]) {
      each.messages -= count;
      each.dropped = cappedSum(each.dropped, count);
    }
  }

  /** Adds the counters of files that an earlier daemon wrote for this recording. `startedAt`: milliseconds since 1970; null: unknown. */
  add(found: readonly FoundFile[], startedAt: number | null): void {
    const since = BigInt(Math.floor(startedAt ?? 0)) * 1_000_000n;
    for (const { report, topics } of found) {
      if (report.end === null || BigInt(report.end) < since) continue;
      for (const { topic, messages, missed, dropped } of topics) {
        for (const each of [this.#of(topic), this.#sums]) {
          each.messages += messages;
          each.missed = cappedSum(each.missed, missed);
          each.dropped = cappedSum(each.dropped, dropped);
        }
      }
    }
  }

  #of(topic: string): TopicCounts {
    let counts = this.#topics.get(topic);
    if (counts === undefined) {
      counts = { messages: 0, missed: 0, dropped: 0, last: null };
      this.#topics.set(topic, counts);
    }
    return counts;
  }
}

/** Number of messages that a publisher sent between the last one and this one but that did not arrive. */
function missedBefore(counts: TopicCounts, sequence: bigint | null): number {
  if (sequence === null) return 0;
  const { last } = counts;
  counts.last = sequence;
  // A number that is not higher means that the publisher restarted its count.
  return last === null || sequence <= last ? 0 : Number(sequence - last - 1n);
}
