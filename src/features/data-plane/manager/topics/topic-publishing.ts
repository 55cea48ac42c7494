import { MgrError } from "../../../../base/errors.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { withTimeout } from "../../../../base/timing/wait.ts";
import { subjectOfTopic } from "../../../../base/topics/topic-subject.ts";
import type { Bus } from "../../../../bus/client/bus.ts";
import { MAX_CLIENT_NAME_CHARS } from "../../../../contract/registry.ts";
import type { LogBook } from "../../../../log/log-book.ts";
import { DataClient } from "../../client/data-client.ts";
import { jsonSchemaProblem } from "../../client/json-schema-problem.ts";
import { definitionOf, type TopicPublisher, withWellKnownSchema } from "../../client/topic-publisher.ts";
import type { PublishedTopic, TopicMessage } from "../data-plane.ts";
import type { DataPlaneTables } from "../data-plane-tables.ts";

/** Time after the last message for which a user keeps a topic, milliseconds: then other clients may publish it. */
const RETENTION_MS = 10_000;
/** Maximum time that a message waits for the bus, milliseconds. */
const TIMEOUT_MS = 5_000;
/** Maximum number of topics that all users together publish at the same time. */
const MAX_TOPICS = 100;
const LIBRARY_VERSION = 1;

export interface TopicPublishingOptions {
  readonly tables: Pick<DataPlaneTables, "topic" | "subscribers">;
  readonly clock: Clock;
  readonly log: LogBook;
  /** Opens a connection to the bus with the rights of a user; null: there is no bus. */
  readonly connect: ((user: string) => Promise<Bus>) | null;
}

interface OpenTopic {
  readonly user: string;
  /** Definition and its name; another one needs another publisher. */
  readonly definition: string;
  readonly publisher: Promise<TopicPublisher>;
  timer: unknown;
}

/** Publishes messages that users enter on the page: each user is a client of the bus while it publishes (docs/protocol.md, `publish_topic`). */
export class TopicPublishing {
  readonly #options: TopicPublishingOptions;
  readonly #clients = new Map<string, Promise<DataClient>>();
  readonly #topics = new Map<string, OpenTopic>();
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: TopicPublishingOptions) {
    this.#options = options;
  }

  /** Rejects with `bad_field` if the value does not fit the definition, `conflict` if another client has the topic, `busy`, `host_unavailable`. */
  async publish(message: TopicMessage, by: string): Promise<PublishedTopic> {
    const { name, value } = message;
    const subject = subjectOfTopic(name);
    this.#requireFree(name, subject, by);
    const definition = await withWellKnownSchema(definitionOf(message.definition ?? "{}"));
    const problem = typeof definition === "object" ? jsonSchemaProblem(definition, value) : null;
    if (problem !== null) throw new MgrError("bad_field", `the value does not fit the definition: ${problem}`);
    const topic = this.#open(message, by);
    this.#keep(name, topic);
    const late = () => new MgrError("timeout", `'${name}' was not published: the bus did not answer within ${TIMEOUT_MS / 1_000} s`);
    const publisher = await withTimeout(topic.publisher, TIMEOUT_MS, late, this.#options.clock);
    if (!publisher.publish(value)) throw new MgrError("host_unavailable", `'${name}' was not published: the bus cannot be reached`);
    return { subscribers: this.#options.tables.subscribers(subject).length };
  }

  close(): void {
    this.#isClosed = true;
    for (const name of [...this.#topics.keys()]) this.#drop(name);
  }

  /** Refuses a topic of another client. The registration alone would also take it from a client that has not registered it. */
  #requireFree(name: string, subject: string, by: string): void {
    const known = this.#topics.get(name);
    const topic = this.#options.tables.topic(subject);
    if (known?.user === by || topic === null || topic.resource.publisher === clientName(by)) return;
    const { publisher, publisher_host } = topic.resource;
    throw new MgrError(
      "conflict",
      `client '${publisher}' of host '${publisher_host}' publishes '${name}', and a topic has one publisher: end that client, or use another name`,
    );
  }

  #open({ name, definition = "", definition_name = "" }: TopicMessage, by: string): OpenTopic {
    const key = JSON.stringify([definition, definition_name]);
    const known = this.#topics.get(name);
    if (known?.user === by && known.definition === key) return known;
    if (known !== undefined && known.user !== by)
      throw new MgrError(
        "conflict",
        `'${known.user}' publishes '${name}', and a topic has one publisher: try again in ${RETENTION_MS / 1_000} s`,
      );
    if (known === undefined && this.#topics.size >= MAX_TOPICS)
      throw new MgrError("busy", `users publish ${MAX_TOPICS} topics already: try again in ${RETENTION_MS / 1_000} s`);
    const publisher = this.#publisher({ name, definition, definition_name }, by, known);
    const topic: OpenTopic = { user: by, definition: key, publisher, timer: null };
    this.#topics.set(name, topic);
    // The caller receives the rejection.
    publisher.catch(() => {
      if (this.#topics.get(name) === topic) this.#drop(name);
    });
    return topic;
  }

  async #publisher(
    { name, definition, definition_name }: Required<Omit<TopicMessage, "value">>,
    by: string,
    before: OpenTopic | undefined,
  ): Promise<TopicPublisher> {
    if (before !== undefined) {
      this.#options.clock.clearTimeout(before.timer);
      (await before.publisher.catch(() => null))?.close();
    }
    const client = await this.#client(by);
    const definitionName = definition_name === "" ? {} : { definitionName: definition_name };
    const publisher = await client.publisher(name, definitionOf(definition || "{}"), definitionName);
    this.#options.log.info(`'${by}' publishes topic '${name}'`);
    return publisher;
  }

  #client(user: string): Promise<DataClient> {
    const known = this.#clients.get(user);
    if (known !== undefined) return known;
    const made = this.#connect(user);
    this.#clients.set(user, made);
    made.catch(() => this.#clients.delete(user));
    return made;
  }

  async #connect(user: string): Promise<DataClient> {
    // Until the old client is closed, the broker may still reserve this user's topics for it.
    await this.#closing;
    const { connect, log } = this.#options;
    if (connect === null || this.#isClosed) throw new MgrError("host_unavailable", "this manager has no bus to publish on");
    const identity = { name: clientName(user), pid: process.pid, library_version: LIBRARY_VERSION };
    const client = new DataClient(
      await connect(user),
      { ...identity, svn_revision: 0, modified: false, svc_debug: false },
      (level, msg) => void log.append({ level, source: "bus", msg }),
    );
    if (this.#isClosed) await client.close();
    return client;
  }

  #keep(name: string, topic: OpenTopic): void {
    const { clock } = this.#options;
    clock.clearTimeout(topic.timer);
    topic.timer = clock.setTimeout(() => this.#drop(name), RETENTION_MS);
  }

  /** Drops a topic; the user's client ends with its last topic. */
  #drop(name: string): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    this.#topics.delete(name);
    this.#options.clock.clearTimeout(topic.timer);
    const { user } = topic;
    if ([...this.#topics.values()].some((other) => other.user === user)) {
      topic.publisher.then(
        (publisher) => publisher.close(),
        () => {},
      );
      return;
    }
    const client = this.#clients.get(user);
    this.#clients.delete(user);
    this.#closing = client?.then((open) => open.close()).catch(() => {});
  }
}

/** Name of a user's client on the bus; it differs from the names of processes. */
function clientName(user: string): string {
  return [...`@${user}`].slice(0, MAX_CLIENT_NAME_CHARS).join("");
}
