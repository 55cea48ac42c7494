import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import type { DomainEvents } from "../../../actors/domain-events.ts";
import { inProcessLink } from "../../../app/embedded/in-process-link.ts";
import type { Principal } from "../../../base/access/principal.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { subjectOfTopic } from "../../../base/topics/topic-subject.ts";
import { ManagerClient } from "../../../client/manager-client.ts";
import type { SocketRequest } from "../../../http/extension.ts";
import { VERSION } from "../../../http/package-files.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { viewOf } from "../../../transport/view.ts";
import { endWhenUnanswered } from "../../../transport/websocket-pings.ts";
import { isSeen, type ManagerDataPlane } from "../../data-plane/manager/index.ts";
import { CLOCK_TOPIC } from "../../replay/player/topic-plan.ts";
import { MAX_SUBSCRIPTIONS } from "../limits.ts";
import { Advertised } from "./advertised.ts";
import { timeMessage } from "./binary-message.ts";
import { type ClientMessage, parseBinaryMessage, parseClientMessage } from "./client-message.ts";
import { ConnectionGraph } from "./connection-graph.ts";
import type { FeedSample, TopicFeeds } from "./topic-feeds.ts";
import { ViewerParameters } from "./viewer-parameters.ts";
import { ViewerQueue } from "./viewer-queue.ts";
import { type Endpoint, ViewerRequests } from "./viewer-requests.ts";
import { ViewerTopics } from "./viewer-topics.ts";

/** Time after a change in which further changes are collected, ms. */
const COLLECT_MS = 50;
const ERROR_LEVEL = 2;
const CAPABILITIES = ["clientPublish", "parameters", "parametersSubscribe", "services", "connectionGraph"];
/** Sample of `mgr/clock`: nanoseconds since 1970. */
const PLAYED_TIME = z.object({ time: z.string().regex(/^\d{1,19}$/) });
const ANY_JSON = { encoding: "json", schemaEncoding: "jsonschema", schema: '{"type":"object"}' };

export interface ViewerParts {
  readonly clock: Clock;
  readonly events: DomainEvents;
  readonly log: LogBook;
  readonly dataPlane: ManagerDataPlane;
  readonly feeds: TopicFeeds;
  readonly sessionId: string;
}

/** One viewer: the messages of its WebSocket, in both directions. */
export class Viewer {
  readonly #parts: ViewerParts;
  readonly #queue: ViewerQueue;
  /** The grants of a viewer who does not see everything. */
  readonly #sight: Principal["grants"] | null;
  readonly #topics: ViewerTopics;
  readonly #endpoints = new Advertised<Endpoint>();
  readonly #parameters: ViewerParameters;
  readonly #requests: ViewerRequests;
  readonly #client: ManagerClient;
  #graph: ConnectionGraph | null = null;
  /** Ends the subscription to the time of a play; null: nothing is played. Undefined: no server info was sent. */
  #clockEnd: (() => void) | null | undefined = undefined;
  #timer: unknown = null;

  constructor(ws: WebSocket, { principal, connect }: Pick<SocketRequest, "principal" | "connect">, parts: ViewerParts) {
    this.#parts = parts;
    const { clock, dataPlane, events, feeds, log } = parts;
    const view = viewOf({ kind: "full" }, principal.grants);
    this.#sight = view.kind === "granted" ? view.grants : null;
    this.#queue = new ViewerQueue(ws, clock);
    this.#client = new ManagerClient(inProcessLink({ connect }, { kind: "full" }, principal), { clock });
    this.#topics = new ViewerTopics({
      ...{ queue: this.#queue, feeds, log: this.#sight === null ? log : null },
      record: (subject) => dataPlane.tables.topic(subject)?.known.record,
      maySee: (publishers) => isSeen(this.#sight, publishers),
    });
    this.#parameters = new ViewerParameters({ client: this.#client, clock, send: (message) => this.#queue.send(message) });
    this.#requests = new ViewerRequests({ client: this.#client, queue: this.#queue, endpoint: (id) => this.#endpoints.get(id) });
    const unsubscribe = events.subscribe(({ type }) => {
      if (/^(?:topic|service|client)_(?:upsert|remove)$/.test(type)) this.#timer ??= clock.setTimeout(() => this.#update(), COLLECT_MS);
    });
    ws.once("close", () => {
      unsubscribe();
      this.#close();
    });
    // ws closes by itself after a protocol error.
    ws.on("error", () => ws.terminate());
    ws.on("message", (data, isBinary) => this.#receive(data, isBinary));
    endWhenUnanswered(ws);
    this.#update();
  }

  #close(): void {
    this.#parts.clock.clearTimeout(this.#timer);
    this.#topics.close();
    this.#parameters.close();
    this.#clockEnd?.();
    this.#client.close();
  }

  #update(): void {
    this.#timer = null;
    const { dataPlane } = this.#parts;
    const names = dataPlane.topics(this.#sight).map(({ name }) => name);
    this.#updateClock(names.includes(CLOCK_TOPIC));
    this.#topics.update(names);
    this.#updateServices();
    const graph = this.#graph?.update(dataPlane.clients(this.#sight)) ?? null;
    if (graph !== null) this.#queue.send(graph);
  }

  /** Viewers follow the server's time if it has the capability for it, which needs `mgr/clock`. */
  #updateClock(isPlayed: boolean): void {
    if (this.#clockEnd !== undefined && isPlayed === (this.#clockEnd !== null)) return;
    this.#queue.send({
      op: "serverInfo",
      name: "mgr",
      capabilities: isPlayed ? [...CAPABILITIES, "time"] : CAPABILITIES,
      supportedEncodings: ["json"],
      metadata: { version: VERSION },
      sessionId: this.#parts.sessionId,
    });
    this.#clockEnd?.();
    this.#clockEnd = isPlayed ? this.#parts.feeds.follow(subjectOfTopic(CLOCK_TOPIC), (sample) => this.#sendTime(sample)) : null;
  }

  #sendTime({ data, publishers }: FeedSample): void {
    const played = PLAYED_TIME.safeParse(parseJson(Buffer.from(data).toString()));
    if (played.success && isSeen(this.#sight, publishers)) this.#queue.sample(timeMessage(BigInt(played.data.time)));
  }

  #updateServices(): void {
    const { dataPlane } = this.#parts;
    const endpoints = dataPlane.services(this.#sight).flatMap(({ name: service }) => {
      const [instance] = dataPlane.tables.instances(service);
      return (instance?.record.endpoints ?? []).map(({ name: endpoint }) => ({ service, endpoint }));
    });
    const { added, removed } = this.#endpoints.update(new Map(endpoints.map((each) => [JSON.stringify(each), each])));
    if (removed.length > 0) this.#queue.send({ op: "unadvertiseServices", serviceIds: removed });
    if (added.length > 0) this.#queue.send({ op: "advertiseServices", services: added.map(describedService) });
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#handle(data as Buffer, isBinary).catch((error: unknown) => this.#refuse(error));
  }

  #refuse(error: unknown): void {
    this.#queue.send({ op: "status", level: ERROR_LEVEL, message: messageOf(error) });
  }

  /** Does the part of each entry; a refused one does not affect the others. */
  #each<Entry>(entries: readonly Entry[], run: (entry: Entry) => void): void {
    for (const entry of entries) {
      try {
        run(entry);
      } catch (error) {
        this.#refuse(error);
      }
    }
  }

  async #handle(bytes: Buffer, isBinary: boolean): Promise<void> {
    if (!isBinary) return this.#handleText(parseClientMessage(bytes.toString()), bytes.length);
    const message = parseBinaryMessage(bytes);
    return message.op === "message" ? this.#requests.publish(message) : this.#requests.call(message);
  }

  async #handleText(message: ClientMessage, bytes: number): Promise<void> {
    switch (message.op) {
      case "subscribe":
        return this.#each(message.subscriptions, ({ id, channelId }) => this.#topics.subscribe(id, channelId));
      case "unsubscribe":
        return this.#each(message.subscriptionIds, (id) => this.#topics.unsubscribe(id));
      case "advertise":
        return this.#each(message.channels, (channel) => this.#requests.advertise(channel));
      case "unadvertise":
        return this.#each(message.channelIds, (id) => this.#requests.unadvertise(id));
      case "getParameters":
        return this.#requests.run(bytes, () => this.#parameters.get(message.parameterNames, message.id));
      case "setParameters":
        return this.#requests.run(bytes, () => this.#parameters.set(message.parameters, message.id));
      case "subscribeParameterUpdates":
        if (this.#parameters.followed + message.parameterNames.length > MAX_SUBSCRIPTIONS)
          throw new MgrError("busy", `at most ${MAX_SUBSCRIPTIONS} parameters can be subscribed to: unsubscribe from some first`);
        return this.#parameters.follow(message.parameterNames);
      case "unsubscribeParameterUpdates":
        return this.#parameters.unfollow(message.parameterNames);
      case "subscribeConnectionGraph": {
        this.#graph = new ConnectionGraph();
        const graph = this.#graph.update(this.#parts.dataPlane.clients(this.#sight));
        if (graph !== null) this.#queue.send(graph);
        return;
      }
      case "unsubscribeConnectionGraph":
        this.#graph = null;
        return;
    }
  }
}

/** A service of mgr has several endpoints, each of which is a service for viewers. */
function describedService({ id, entry: { service, endpoint } }: { readonly id: number; readonly entry: Endpoint }) {
  const name = `${service}/${endpoint}`;
  const [request, response] = ["request", "response"].map((kind) => ({ ...ANY_JSON, schemaName: `${name}.${kind}` }));
  return { id, name, type: name, request, response };
}
