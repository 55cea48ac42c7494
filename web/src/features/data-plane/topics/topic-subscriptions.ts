import { computed, effect } from "@preact/signals";
import type { ManagerFrame } from "../../../../../src/protocol/frames/frames.ts";
import { client, command, connection, frames$ } from "../../../state/store.ts";

type SampleFrame = Extract<ManagerFrame, { type: "topic_sample" }>;
export type Sample = Pick<SampleFrame, "ts" | "value" | "undecoded">;

interface Reader {
  readonly rate: number;
  readonly fields: readonly string[];
  readonly receive: (frame: SampleFrame) => void;
}

/** A connection has one subscription for each topic; the fastest reader decides its rate. */
class Topic {
  readonly readers = new Set<Reader>();
  /** The subscribed fields. The list only grows while the topic is read, so that indices in pending frames stay valid. */
  fields: string[] = [];

  get rate(): number {
    return Math.max(0, ...[...this.readers].map(({ rate }) => rate));
  }

  /** Adds fields; returns whether any of them is not subscribed yet. */
  addFields(fields: readonly string[]): boolean {
    const added = fields.filter((field) => !this.fields.includes(field));
    this.fields.push(...added);
    // A pending frame may then be drawn wrongly, which is better than a refused subscription.
    if (this.fields.length > MAX_FIELDS) this.fields = [...new Set([...this.readers].flatMap((reader) => reader.fields))];
    return added.length > 0;
  }
}

/** Maximum number of fields of one subscription, set by the manager. */
const MAX_FIELDS = 100;
const topics = new Map<string, Topic>();
/** Whether subscriptions can be sent: while the page is connecting, they are refused, and would not be sent again. */
const isOpen = computed(() => connection.value.kind === "open");

frames$.subscribe((frame) => {
  if (frame.type === "topic_sample") for (const { receive } of topics.get(frame.name)?.readers ?? []) receive(frame);
});

// A new connection has no subscriptions.
effect(() => {
  if (isOpen.value) for (const name of topics.keys()) subscribe(name);
});

/** Subscribes to a topic, at most `rate` samples a second; none arrive while disconnected. Returns a function that unsubscribes. */
export function readTopic(name: string, rate: number, receive: (sample: Sample) => void): () => void {
  return read(name, { rate, fields: [], receive });
}

/** Subscribes to numeric fields of all samples of a topic, sent `rate` times a second: times in seconds since 1970, and each field's values. */
export function readFields(
  name: string,
  { rate, fields }: { rate: number; fields: readonly string[] },
  receive: (times: readonly number[], values: readonly (readonly (number | null)[])[]) => void,
): () => void {
  return read(name, {
    rate,
    fields,
    receive: ({ batch }) => {
      if (batch === undefined) return;
      const asked = topics.get(name)?.fields ?? [];
      receive(
        batch.times.map((time) => time / 1e6),
        fields.map((field) => batch.values[asked.indexOf(field)] ?? []),
      );
    },
  });
}

function read(name: string, reader: Reader): () => void {
  const topic = topics.get(name) ?? new Topic();
  topics.set(name, topic);
  const before = topic.rate;
  topic.readers.add(reader);
  const hasNewFields = topic.addFields(reader.fields);
  if (isOpen.peek() && (topic.rate > before || hasNewFields)) subscribe(name);
  return () => {
    const known = topic.rate;
    topic.readers.delete(reader);
    if (topic.readers.size === 0) topics.delete(name);
    if (!isOpen.peek()) return;
    if (topic.readers.size === 0) client.link.send({ type: "unsubscribe_topic", name });
    else if (topic.rate < known) subscribe(name);
  };
}

function subscribe(name: string): void {
  const topic = topics.get(name);
  if (topic === undefined) return;
  const { rate, fields } = topic;
  void command({ type: "subscribe_topic", name, max_rate: rate, ...(fields.length === 0 ? {} : { fields }) });
}
