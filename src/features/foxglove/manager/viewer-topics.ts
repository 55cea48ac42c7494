import type { Owners } from "../../../base/access/access.ts";
import { MgrError } from "../../../base/errors.ts";
import { subjectOfTopic } from "../../../base/topics/topic-subject.ts";
import type { TopicRecord } from "../../../contract/registry.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { LogEntry } from "../../../protocol/resources/log.ts";
import { channelOf, LOG_LINE, logLine } from "../../recordings/samples/mcap/channels.ts";
import { MAX_SUBSCRIPTIONS } from "../limits.ts";
import { Advertised } from "./advertised.ts";
import { messageData } from "./binary-message.ts";
import type { TopicFeeds } from "./topic-feeds.ts";
import type { ViewerQueue } from "./viewer-queue.ts";

/** The topic of the manager's log; only for viewers of everything. */
const LOG_TOPIC = "mgr/log";
/** Number of older log entries that a subscription begins with. */
const LOG_BACKLOG = 100;
const NS_PER_MS = 1_000_000n;

interface ViewerTopicsOptions {
  readonly queue: Pick<ViewerQueue, "send" | "sample">;
  readonly feeds: Pick<TopicFeeds, "follow">;
  /** Null: the viewer does not see the log. */
  readonly log: Pick<LogBook, "entries" | "subscribe"> | null;
  readonly record: (subject: string) => TopicRecord | undefined;
  readonly maySee: (publishers: Owners) => boolean;
}

type Channel = ReturnType<typeof channelOf>;

/** The topics that one viewer sees, as channels, and its subscriptions. */
export class ViewerTopics {
  readonly #options: ViewerTopicsOptions;
  readonly #channels = new Advertised<Channel>();
  readonly #subscriptions = new Map<number, { readonly channelId: number; readonly end: () => void }>();
  /** Subscriptions that ended with their topic: viewers unsubscribe from them, too. The newest ones. */
  readonly #ended = new Set<number>();

  constructor(options: ViewerTopicsOptions) {
    this.#options = options;
  }

  /** Advertises the topics that exist now. A topic with another definition is another channel. */
  update(names: readonly string[]): void {
    const { queue, record, log } = this.#options;
    const topics = names.flatMap((topic) => {
      const known = record(subjectOfTopic(topic));
      return known === undefined
        ? []
        : { topic, definition: known.definition, definitionName: known.definition_name, encoding: known.encoding };
    });
    const all = log === null ? topics : [...topics.filter(({ topic }) => topic !== LOG_TOPIC), { topic: LOG_TOPIC, ...LOG_LINE }];
    const { added, removed } = this.#channels.update(new Map(all.map((each) => [JSON.stringify(each), channelOf(each, {})])));
    if (removed.length > 0) {
      for (const [id, { channelId }] of this.#subscriptions) if (removed.includes(channelId)) this.#endWithTopic(id);
      queue.send({ op: "unadvertise", channelIds: removed });
    }
    if (added.length > 0) queue.send({ op: "advertise", channels: added.map(({ id, entry }) => ({ id, ...described(entry) })) });
  }

  /** Throws `bad_field`, `not_found` and `busy`. */
  subscribe(id: number, channelId: number): void {
    const channel = this.#channels.get(channelId);
    if (channel === undefined) throw new MgrError("not_found", `there is no channel ${channelId}`);
    if (this.#subscriptions.has(id)) throw new MgrError("bad_field", `the subscription ${id} exists already: choose another id`);
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new MgrError("busy", `at most ${MAX_SUBSCRIPTIONS} subscriptions are possible: end some first`);
    const { log } = this.#options;
    const end = log !== null && channel.topic === LOG_TOPIC ? this.#followLog(id, log) : this.#followTopic(id, channel.topic);
    this.#ended.delete(id);
    this.#subscriptions.set(id, { channelId, end });
  }

  /** Throws `not_found`. */
  unsubscribe(id: number): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined && this.#ended.delete(id)) return;
    if (subscription === undefined) throw new MgrError("not_found", `there is no subscription ${id}`);
    this.#subscriptions.delete(id);
    subscription.end();
  }

  #endWithTopic(id: number): void {
    this.unsubscribe(id);
    this.#ended.add(id);
    const [oldest] = this.#ended;
    if (oldest !== undefined && this.#ended.size > MAX_SUBSCRIPTIONS) this.#ended.delete(oldest);
  }

  close(): void {
    for (const { end } of this.#subscriptions.values()) end();
    this.#subscriptions.clear();
  }

  #followTopic(id: number, topic: string): () => void {
    const { feeds, queue, maySee } = this.#options;
    return feeds.follow(subjectOfTopic(topic), ({ data, time, publishers }) => {
      if (maySee(publishers)) queue.sample(messageData(id, time, data));
    });
  }

  #followLog(id: number, log: Pick<LogBook, "entries" | "subscribe">): () => void {
    const send = ({ ts, level, source, msg }: LogEntry) => {
      const time = BigInt(Date.parse(ts)) * NS_PER_MS;
      this.#options.queue.sample(messageData(id, time, logLine(time, level, source, msg)));
    };
    for (const entry of log.entries({ limit: LOG_BACKLOG })) send(entry);
    return log.subscribe(send);
  }
}

function described({ topic, encoding, schema }: Channel) {
  if (schema === null) return { topic, encoding, schemaName: "", schema: "" };
  return { topic, encoding, schemaName: schema.name, schema: schema.text, schemaEncoding: schema.encoding };
}
