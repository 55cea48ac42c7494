import { effect } from "@preact/signals";
import { client, command, frames$, isConnected } from "../app/store.ts";

export interface Sample {
  /** A time of the protocol. */
  readonly ts: string;
  readonly value: unknown;
}
interface Reader {
  readonly rate: number;
  readonly take: (sample: Sample) => void;
}

/** A connection has one subscription for each topic; the fastest reader decides its rate. */
const readers = new Map<string, Set<Reader>>();

frames$.subscribe((frame) => {
  if (frame.type === "topic_sample") for (const { take } of readers.get(frame.name) ?? []) take(frame);
});

// A new connection has no subscriptions.
effect(() => {
  if (isConnected.value) for (const name of readers.keys()) subscribe(name);
});

/** Samples of a topic, at most `rate` a second; while the manager is away, none. Returns what ends it. */
export function readTopic(name: string, rate: number, take: (sample: Sample) => void): () => void {
  const reader = { rate, take };
  const all = readers.get(name) ?? new Set();
  const before = fastest(all);
  readers.set(name, all.add(reader));
  if (isConnected.peek() && rate > before) subscribe(name);
  return () => {
    const known = fastest(all);
    all.delete(reader);
    if (all.size === 0) readers.delete(name);
    if (!isConnected.peek()) return;
    if (all.size === 0) client.link.send({ type: "unsubscribe_topic", name });
    else if (fastest(all) < known) subscribe(name);
  };
}

function subscribe(name: string): void {
  void command({ type: "subscribe_topic", name, max_rate: fastest(readers.get(name) ?? []) });
}

const fastest = (of: Iterable<Reader>) => Math.max(0, ...[...of].map(({ rate }) => rate));
