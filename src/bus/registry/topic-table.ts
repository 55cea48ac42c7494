import { type ErrorCode, MgrError } from "../../base/errors.ts";
import { subjectOfTopic, topicOfSubject } from "../../base/topics/topic-subject.ts";
import { MAX_CLIENT_TOPICS, type RegisteredTopic } from "../../contract/registry.ts";
import type { BorrowedMessage } from "../broker/borrowed-message.ts";
import type { HookedClient, Refusal } from "../broker/broker-hooks.ts";
import { readableText } from "../broker/broker-protocol.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import type { MemoryBudget } from "../broker/queues/memory-budget.ts";
import type { CheckedDefinition } from "./definition-checks.ts";
import { KeptShare } from "./kept-share.ts";
import { ProgramCounts } from "./program-counts.ts";
import type { RegistryState } from "./registry-state.ts";
import { TopicEntry, type TopicSink } from "./topic-entry.ts";

/** Maximum number of topics of one broker; later ones are refused or, without a registration, not shown. */
const MAX_TOPICS = 10_000;
/** Maximum number of topics of all connections of one program, so that none can occupy the places of others. */
const MAX_PROGRAM_TOPICS = 2_500;

export interface TopicTableOptions {
  /** Returns the name of a client, for error messages to other clients. */
  readonly nameOf: (client: HookedClient) => string;
  readonly changed: (entry: TopicEntry) => void;
  readonly gone: (subject: string) => void;
  readonly memory: () => MemoryBudget;
  /** Maximum number of bytes of a topic that wait for one receiver. */
  readonly waiting: (publisher: HookedClient, subject: string) => number;
}

/** A topic that was not reserved; `bad_field`: it was reserved, but its definition cannot be parsed. */
export interface TopicProblem {
  readonly topic: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The topics of one broker: publishers, reservations, counters, newest messages. */
export class TopicTable {
  readonly #options: TopicTableOptions;
  readonly #entries = new Map<string, TopicEntry>();
  /** Number of topics that a client publishes without having registered them. */
  readonly #discovered = new WeakMap<HookedClient, number>();
  /** Kept messages by client. */
  readonly #shares = new Map<HookedClient, KeptShare>();
  readonly #programs = new ProgramCounts();
  /** Topics that a client of another host published first, with the message for clients of this broker. */
  #lost: ReadonlyMap<string, string> = new Map();
  #sinkOf: (topic: string) => TopicSink | null = () => null;

  constructor(options: TopicTableOptions) {
    this.#options = options;
  }

  entries(): IterableIterator<TopicEntry> {
    return this.#entries.values();
  }

  /** Topics that no client of another host has. */
  *published(): Generator<TopicEntry> {
    for (const entry of this.#entries.values()) if (!entry.isLost) yield entry;
  }

  get(subject: string): TopicEntry | undefined {
    return this.#entries.get(subject);
  }

  /** Counts a message; returns a refusal if another client has the subject. */
  publishing(client: HookedClient, envelope: Envelope, message: BorrowedMessage): Refusal | null {
    if (this.#lost.size > 0 && this.#lost.has(envelope.subject)) return refusal(envelope.subject);
    const entry = this.#entries.get(envelope.subject) ?? this.#discover(client, envelope.subject);
    if (entry === null) return null;
    if (entry.owner !== client) {
      if (entry.isReserved) return refusal(entry.subject);
      if (!entry.others.has(client)) {
        entry.others.add(client);
        this.#options.changed(entry);
      }
    }
    const within = entry.policy?.reliableBytes ?? null;
    if (within !== null && this.#options.waiting(client, entry.subject) + envelope.size > within)
      return { text: `${refusal(entry.subject).text}: a subscriber has not read the ${within} bytes that may wait` };
    entry.published(envelope, message);
    return null;
  }

  /**
   * Replaces everything that `client` has registered, and returns the topics that it cannot have. Other programs can then no longer publish
   * these topics without a registration. Throws `bad_field`, and then nothing has changed.
   */
  reserve(client: HookedClient, topics: readonly RegisteredTopic[]): TopicProblem[] {
    const requested = new Map(topics.map((topic) => [subjectOfTopic(topic.name), topic]));
    if (requested.size < topics.length) throw new MgrError("bad_field", "topics: names a topic twice");
    for (const entry of [...this.#entries.values()])
      if (entry.owner === client && entry.isReserved && !requested.has(entry.subject)) this.#remove(entry);
    const problems: TopicProblem[] = [];
    for (const [subject, topic] of requested) {
      const problem = this.#problemOf(client, subject, topic.name);
      if (problem !== null) {
        problems.push(problem);
        continue;
      }
      // Reserved nevertheless, so that it can be published as soon as the other host releases it.
      const lost = this.#lost.get(subject);
      if (lost !== undefined) problems.push({ topic: topic.name, code: "conflict", message: lost });
      const entry = this.#entries.get(subject) ?? this.#add(subject, topic.name, client);
      this.#moved(entry, client);
      if (entry.reserve(client, topic)) this.#options.changed(entry);
    }
    return problems;
  }

  /** Records the result of a check of the definition that `client` has registered for a topic. */
  checked(client: HookedClient, { name, definition }: RegisteredTopic, checked: CheckedDefinition): void {
    const entry = this.#entries.get(subjectOfTopic(name));
    if (entry?.owner !== client || entry.definition.definition !== definition) return;
    if (entry.checked(checked)) this.#options.changed(entry);
  }

  /** Removes the topics of a disconnected client, or hands them over to another publisher. */
  release(client: HookedClient): void {
    for (const entry of [...this.#entries.values()]) {
      if (entry.others.delete(client)) this.#options.changed(entry);
      if (entry.owner !== client) continue;
      const [heir] = entry.others;
      if (heir === undefined) this.#remove(entry);
      else {
        entry.others.delete(heir);
        this.#moved(entry, heir);
        entry.handOver(heir);
        this.#options.changed(entry);
      }
    }
    this.#shares.get(client)?.close();
    this.#shares.delete(client);
  }

  /** Sets the topics that lost a conflict with another host: subject and reason. Always the whole list. */
  lose(topics: ReadonlyMap<string, string>): void {
    this.#lost = topics;
    for (const entry of this.#entries.values()) {
      if (entry.isLost === topics.has(entry.subject)) continue;
      entry.isLost = !entry.isLost;
      this.#options.changed(entry);
    }
  }

  /** Also passes the messages of each topic to its sink from now on. Call it again when the results of `sinkOf` change. */
  tap(sinkOf: (topic: string) => TopicSink | null): void {
    this.#sinkOf = sinkOf;
    for (const entry of this.#entries.values()) entry.sink = sinkOf(entry.name);
  }

  /** State for the next program, and the bytes of the kept messages. */
  saved(): Pick<RegistryState, "topics" | "lost"> & { readonly kept: Buffer } {
    const saved = [...this.#entries.values()].map((entry) => entry.saved());
    return { topics: saved.map(({ state }) => state), lost: [...this.#lost], kept: Buffer.concat(saved.flatMap(({ kept }) => kept)) };
  }

  /** Continues the topics of an earlier program whose owners are among `clients`. */
  restore({ topics, lost }: Pick<RegistryState, "topics" | "lost">, kept: Buffer, clients: ReadonlyMap<number, HookedClient>): void {
    this.#lost = new Map(lost);
    let at = 0;
    for (const state of topics) {
      const bytes = kept.subarray(at, at + (state.kept?.bytes ?? 0));
      at += bytes.length;
      const owner = clients.get(state.owner);
      if (owner === undefined) continue;
      const entry = this.#add(state.subject, state.name, owner);
      entry.restore(state, bytes);
      for (const id of state.others) {
        const other = clients.get(id);
        if (other !== undefined) entry.others.add(other);
      }
    }
  }

  /** Number of topics that a client publishes without a registration. */
  discoveredBy(client: HookedClient): number {
    return this.#discovered.get(client) ?? 0;
  }

  restoreDiscovered(client: HookedClient, count: number): void {
    this.#discovered.set(client, count);
  }

  #problemOf(client: HookedClient, subject: string, topic: string): TopicProblem | null {
    if (!client.mayPublish(subject)) return { topic, code: "forbidden", message: `this client must not publish '${topic}'` };
    const entry = this.#entries.get(subject);
    if (entry === undefined && this.#entries.size >= MAX_TOPICS)
      return { topic, code: "busy", message: `this broker has ${MAX_TOPICS} topics already; '${topic}' was not reserved` };
    if (entry === undefined && this.#programs.of(client) >= MAX_PROGRAM_TOPICS)
      return { topic, code: "busy", message: `one program may have at most ${MAX_PROGRAM_TOPICS} topics; '${topic}' was not reserved` };
    if (entry === undefined || !entry.isReserved || entry.owner === client) return null;
    const other = this.#options.nameOf(entry.owner);
    const message = `the topic '${topic}' is published by client '${other}': end that client, or use another name`;
    return { topic, code: "conflict", message };
  }

  /** Adds a topic that `client` publishes without having registered it; null: there is no room. */
  #discover(client: HookedClient, subject: string): TopicEntry | null {
    if (this.#entries.size >= MAX_TOPICS || this.#programs.of(client) >= MAX_PROGRAM_TOPICS) return null;
    const name = topicOfSubject(readableText(subject));
    const count = this.discoveredBy(client);
    if (name === null || count >= MAX_CLIENT_TOPICS) return null;
    this.#discovered.set(client, count + 1);
    const entry = this.#add(subject, name, client);
    this.#options.changed(entry);
    return entry;
  }

  #add(subject: string, name: string, client: HookedClient): TopicEntry {
    const entry = new TopicEntry(subject, name, client, this.#shareOf);
    entry.isLost = this.#lost.has(subject);
    entry.sink = this.#sinkOf(name);
    this.#entries.set(subject, entry);
    this.#programs.add(client, 1);
    return entry;
  }

  readonly #shareOf = (client: HookedClient): KeptShare => {
    const known = this.#shares.get(client);
    if (known !== undefined) return known;
    const share = new KeptShare(client.owner, this.#options.memory());
    this.#shares.set(client, share);
    return share;
  };

  /** Called before the entry is handed over. */
  #moved({ owner }: TopicEntry, to: HookedClient): void {
    this.#programs.add(owner, -1);
    this.#programs.add(to, 1);
  }

  #remove(entry: TopicEntry): void {
    const { subject, owner } = entry;
    entry.close();
    this.#entries.delete(subject);
    this.#programs.add(owner, -1);
    this.#options.gone(subject);
  }
}

function refusal(subject: string): Refusal {
  return { text: `Permissions Violation for Publish to "${subject}"` };
}
