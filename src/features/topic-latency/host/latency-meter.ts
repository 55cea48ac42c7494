import type { z } from "zod";
import type { TappedMessage } from "../../data-plane/host/index.ts";
import { parseStages, type Stage } from "../../data-plane/stages.ts";
import type { HostLatency, TOPIC_LATENCY_REQUESTS } from "../contract.ts";
import { MAX_MEASURED_PER_SECOND, MAX_PATHS } from "../limits.ts";
import { LatencySeries } from "./latency-series.ts";

export type MeterOptions = Pick<z.infer<typeof TOPIC_LATENCY_REQUESTS.begin_latency.request>, "topic" | "chain" | "clocks" | "late_ns">;

/** Time after which the rate is checked again, nanoseconds. */
const SLOT_NS = 100_000_000n;
const MAX_PER_SLOT = MAX_MEASURED_PER_SECOND / 10;
const STAGES = /\r\nMgr-Stages: ?([^\r]+)\r/;

interface Path {
  readonly topics: readonly string[];
  readonly total: LatencySeries;
  /** From each topic to the next one; the last to the broker. */
  readonly legs: readonly LatencySeries[];
}

/** Measures the latency of a topic and of the chains that lead to it. Messages of further chains than MAX_PATHS are only counted. */
export class LatencyMeter {
  readonly #options: MeterOptions;
  readonly #ahead: ReadonlyMap<string, bigint>;
  readonly #paths = new Map<string, Path>();
  readonly #counts = { messages: 0, lost: 0, unstamped: 0, late: 0, one_in: 1, other_paths: 0, unmatched: 0 };
  #lastSequence: bigint | null = null;
  #slot = { number: -1n, messages: 0, oneIn: 1 };

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#ahead = new Map(options.clocks.map(({ topic, ahead_ns }) => [topic, BigInt(Math.round(ahead_ns))]));
  }

  take(message: Pick<TappedMessage, "sequence" | "published" | "received">, headers: string): void {
    const { sequence, published, received } = message;
    this.#counts.messages++;
    const last = this.#lastSequence;
    // A smaller number is a publisher that was restarted.
    if (sequence !== null && last !== null && sequence > last)
      this.#counts.lost = Math.min(Number.MAX_SAFE_INTEGER, this.#counts.lost + Number(sequence - last - 1n));
    this.#lastSequence = sequence ?? last;
    if (published === null) this.#counts.unstamped++;
    else if (this.#isMeasured(received)) this.#measure(published, message, STAGES.exec(headers)?.[1]);
  }

  result(): HostLatency {
    const paths = [...this.#paths.values()].map(({ topics, total, legs }) => ({
      topics: [...topics],
      total: total.figures(),
      legs: legs.map((leg) => leg.figures()),
    }));
    return { ...this.#counts, paths: paths.sort((a, b) => b.total.messages - a.total.messages) };
  }

  /** Chooses messages by the rate in the slot before. */
  #isMeasured(received: bigint): boolean {
    const number = received / SLOT_NS;
    if (number !== this.#slot.number)
      this.#slot = { number, messages: 0, oneIn: Math.max(1, Math.ceil(this.#slot.messages / MAX_PER_SLOT)) };
    const { oneIn } = this.#slot;
    this.#counts.one_in = Math.max(this.#counts.one_in, oneIn);
    return this.#slot.messages++ % oneIn === 0;
  }

  #measure(published: bigint, { received, sequence }: Pick<TappedMessage, "sequence" | "received">, stages: string | undefined): void {
    const { topic, late_ns } = this.#options;
    const before = stages === undefined ? [] : parseStages(stages);
    // A client that does not use the libraries may state the topic itself: the chain begins anew behind it, as in the libraries.
    const all = [...before.slice(before.findLastIndex((stage) => stage.topic === topic) + 1), { topic, time: published }];
    const passed = this.#matching(all);
    if (passed === null) {
      this.#counts.unmatched++;
      return;
    }
    const path = this.#path(passed.map((stage) => stage.topic));
    if (path === null) {
      this.#counts.other_paths++;
      return;
    }
    const times = passed.map((stage) => stage.time - (this.#ahead.get(stage.topic) ?? 0n));
    const [origin = received] = times;
    path.total.add(origin, received, sequence);
    for (const [index, leg] of path.legs.entries()) leg.add(times[index] ?? received, times[index + 1] ?? received, sequence);
    const sent = times.at(-1) ?? received;
    if (late_ns !== null && Number(received - sent) > late_ns) this.#counts.late++;
  }

  /** The stages that the chain names, if the message passed them in this order; all without a chain. */
  #matching(all: readonly Stage[]): readonly Stage[] | null {
    const { chain } = this.#options;
    if (chain === null) return all;
    const found: Stage[] = [];
    for (const stage of all) if (stage.topic === chain[found.length]) found.push(stage);
    return found.length === chain.length ? found : null;
  }

  #path(topics: readonly string[]): Path | null {
    const key = topics.join("\n");
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    if (this.#paths.size >= MAX_PATHS) return null;
    const path = { topics, total: new LatencySeries(), legs: topics.map(() => new LatencySeries()) };
    this.#paths.set(key, path);
    return path;
  }
}
