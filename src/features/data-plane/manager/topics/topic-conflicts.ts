import type { LogBook } from "../../../../log/log-book.ts";
import type { BrokerTables, KnownTopic } from "../broker-tables.ts";

interface TopicConflictsOptions {
  readonly log: LogBook;
  /** Name of a topic's publisher, with its host. */
  readonly publisherOf: (topic: KnownTopic) => string;
  /** The processes that publish it. */
  readonly processesOf: (subject: string) => readonly string[];
  /** Sends a broker the whole list of topics that its clients must not publish. */
  readonly lose: (broker: BrokerTables, topics: ReadonlyMap<string, string>) => void;
}

const FOREIGN =
  "also published by a client that is connected to the nats-server itself, so packets of both are mixed: mgr cannot refuse it; end that client, or deny it this subject in the nats-server";

/** Topics that clients of several brokers publish: the first client keeps the topic, the others are refused (docs/clients.md, "Registration"). */
export class TopicConflicts {
  readonly #options: TopicConflictsOptions;
  readonly #lost = new Map<BrokerTables, Map<string, string>>();
  readonly #changed = new Set<BrokerTables>();
  /** Problems that were logged, by subject. */
  readonly #problems = new Map<string, string>();

  constructor(options: TopicConflictsOptions) {
    this.#options = options;
  }

  /** Decides between the topics of one subject; returns the topic that is shown, and its problem. */
  settle(subject: string, topics: readonly KnownTopic[]): { topic: KnownTopic; problem: string | null } | null {
    const [first, ...others] = [...topics].sort(precedence);
    const losers = first?.record.reserved ? others : [];
    for (const [broker, lost] of this.#lost) {
      if (lost.has(subject) && !losers.some((topic) => topic.broker === broker)) {
        lost.delete(subject);
        this.#changed.add(broker);
      }
    }
    if (first === undefined) {
      this.#problems.delete(subject);
      return null;
    }
    const { publisherOf } = this.#options;
    for (const { broker, record } of losers) {
      const lost = this.#lost.get(broker) ?? new Map<string, string>();
      const message = `the topic '${record.name}' is published by ${publisherOf(first)}: end that client, or use another name`;
      if (lost.get(subject) === message) continue;
      this.#lost.set(broker, lost.set(subject, message));
      this.#changed.add(broker);
    }
    return { topic: first, problem: this.#problem(subject, first, others) };
  }

  /** Sends the list to brokers whose list has changed. */
  send(): void {
    for (const broker of this.#changed) this.resend(broker);
    this.#changed.clear();
  }

  /** Sends the list to a broker that has lost it. */
  resend(broker: BrokerTables): void {
    this.#options.lose(broker, this.#lost.get(broker) ?? new Map());
  }

  forget(broker: BrokerTables): void {
    this.#lost.delete(broker);
    this.#changed.delete(broker);
  }

  #problem(subject: string, first: KnownTopic, others: readonly KnownTopic[]): string | null {
    const problem = this.#words(first, others);
    if (problem === null) {
      this.#problems.delete(subject);
      return null;
    }
    const { log, processesOf } = this.#options;
    if (this.#problems.get(subject) !== problem)
      log.append({ level: "warning", source: "bus", msg: `topic '${first.record.name}': ${problem}`, about: processesOf(subject) });
    this.#problems.set(subject, problem);
    return problem;
  }

  #words(first: KnownTopic, others: readonly KnownTopic[]): string | null {
    const { publisherOf } = this.#options;
    if (others.length === 0) return first.record.foreign ? FOREIGN : null;
    const also = others.map(publisherOf).join(", ");
    const outcome = first.record.reserved
      ? "; what they publish is refused"
      : "; none of them has registered it, so packets of all are mixed";
    return `also published by ${also}, ${publisherOf(first)} came first${outcome}`;
  }
}

/**
 * Order of precedence: a decision of an earlier manager holds; then a registered topic precedes one that is only published; then the first
 * publisher.
 */
function precedence(a: KnownTopic, b: KnownTopic): number {
  return Number(a.record.lost) - Number(b.record.lost) || Number(b.record.reserved) - Number(a.record.reserved) || a.arrival - b.arrival;
}
