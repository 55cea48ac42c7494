import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parseJson } from "../../base/json.ts";
import type { ServiceRecord } from "../../contract/registry.ts";
import { BorrowedMessage } from "../broker/borrowed-message.ts";
import type { HookedClient } from "../broker/broker-hooks.ts";
import { CRLF, readableText } from "../broker/broker-protocol.ts";
import type { ClientSubscription } from "../broker/broker-subscriber.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import { ProgramCounts } from "./program-counts.ts";
import type { RegistryState } from "./registry-state.ts";

/** `$SRV.INFO.<name>.<id>`: the subject that every instance of a NATS micro service subscribes to. */
const INFO = /^\$SRV\.INFO\.([^.*>]+)\.([^.*>]+)$/;
/** Time without a new endpoint after which INFO is requested, milliseconds: a service adds its endpoints one by one, each with a subscription. */
const SETTLE_MS = 50;
/** Pause before INFO is requested again from a service that did not answer, milliseconds. */
const RETRY_MS = 2_000;
const MAX_TRIES = 5;
const MAX_CLIENT_SERVICES = 1_000;
/** Maximum number of instances of all connections of one program, and of all clients. */
const MAX_PROGRAM_SERVICES = 2_000;
const MAX_SERVICES = 10_000;
/** Maximum number of INFO bytes that are kept of all services of one program; beyond it, services are shown by their subscriptions. */
const MAX_PROGRAM_INFO_BYTES = 8 * 1024 * 1024;
const MAX_ENDPOINTS = 1_000;

const infoAnswer = z.object({
  name: z.string().max(1_000),
  id: z.string(),
  metadata: z.record(z.string(), z.string()).nullish(),
  endpoints: z
    .array(z.object({ name: z.string().max(1_000), subject: z.string().max(1_000) }))
    .max(MAX_ENDPOINTS)
    .nullish(),
});

export interface ServiceTableOptions {
  /** Returns the endpoint at which a client reaches the broker. */
  readonly endpointOf: (client: HookedClient) => { port: number; unix_socket: string | null };
  readonly nameOf: (client: HookedClient) => string;
  readonly changed: (record: ServiceRecord) => void;
  readonly gone: (connection: number, id: string) => void;
}

interface Instance {
  readonly client: HookedClient;
  readonly subscription: ClientSubscription;
  readonly id: string;
  readonly natsName: string;
  record: ServiceRecord | null;
  /** Size of the instance's INFO, bytes. */
  bytes: number;
  tries: number;
  /** Token of the current request for INFO; null: none. */
  token: string | null;
  /** Whether the timer waits before INFO is requested; otherwise it waits for the answer. */
  isSettling: boolean;
  timer: ReturnType<typeof setTimeout> | null;
}

/** Instances of services. They are found by their subscriptions, through which their INFO is requested. */
export class ServiceTable {
  readonly #options: ServiceTableOptions;
  readonly #instances = new Map<ClientSubscription, Instance>();
  readonly #ofClient = new Map<HookedClient, Set<Instance>>();
  /** Subject for answers. Nothing subscribes to it: the registry intercepts messages to it. */
  #inbox = `_INBOX.${randomBytes(12).toString("hex")}.`;
  readonly #asked = new Map<string, Instance>();
  readonly #programs = new ProgramCounts();
  readonly #infoBytes = new ProgramCounts();
  #next = 0;

  constructor(options: ServiceTableOptions) {
    this.#options = options;
  }

  *records(): Generator<ServiceRecord> {
    for (const { record } of this.#instances.values()) if (record !== null) yield record;
  }

  /** State for the next program. */
  saved(): Pick<RegistryState, "services" | "inbox"> {
    const services = [...this.#instances.values()].map(({ client, subscription, record, bytes, timer }) => {
      return { client: client.id, sid: subscription.sid, record, bytes, isAsked: timer !== null };
    });
    return { services, inbox: this.#inbox };
  }

  /** Continues the services of an earlier program. Answers to its requests for INFO are discarded, and INFO is requested again. */
  restore({ services, inbox }: Pick<RegistryState, "services" | "inbox">, clients: ReadonlyMap<number, HookedClient>): void {
    this.#inbox = inbox;
    // Tokens of the earlier program do not come again.
    this.#next = Date.now();
    for (const { client: id, sid, record, bytes, isAsked } of services) {
      const client = clients.get(id);
      const subscription = client?.subscriptions.get(sid);
      const instance = client === undefined || subscription === undefined ? null : this.#add(client, subscription);
      if (client === undefined || instance === null) continue;
      instance.record = record;
      instance.bytes = bytes;
      this.#infoBytes.add(client, bytes);
      if (isAsked) this.#askSoon(instance);
    }
  }

  subscribed(client: HookedClient, subscription: ClientSubscription): void {
    const known = this.#ofClient.get(client);
    // An endpoint was added: INFO is requested again.
    if (known !== undefined && !subscription.subject.startsWith("_INBOX.")) for (const instance of known) this.#askSoon(instance);
    const instance = this.#add(client, subscription);
    if (instance !== null) this.#askSoon(instance);
  }

  /** Adds an instance; null: the subscription is not that of one, or there is no room. */
  #add(client: HookedClient, subscription: ClientSubscription): Instance | null {
    const known = this.#ofClient.get(client);
    const [, natsName, id] = INFO.exec(subscription.subject) ?? [];
    if (natsName === undefined || id === undefined || (known?.size ?? 0) >= MAX_CLIENT_SERVICES) return null;
    if (this.#instances.size >= MAX_SERVICES || this.#programs.of(client) >= MAX_PROGRAM_SERVICES) return null;
    this.#programs.add(client, 1);
    const names = { natsName: readableText(natsName), id: readableText(id) };
    const instance: Instance = {
      client,
      subscription,
      ...names,
      record: null,
      bytes: 0,
      tries: 0,
      token: null,
      isSettling: false,
      timer: null,
    };
    this.#instances.set(subscription, instance);
    this.#ofClient.set(client, (known ?? new Set()).add(instance));
    return instance;
  }

  unsubscribed(client: HookedClient, subscription: ClientSubscription): void {
    const instance = this.#instances.get(subscription);
    if (instance === undefined) {
      for (const other of this.#ofClient.get(client) ?? []) this.#askSoon(other);
      return;
    }
    if (instance.timer) clearTimeout(instance.timer);
    this.#instances.delete(subscription);
    this.#programs.add(client, -1);
    this.#infoBytes.add(client, -instance.bytes);
    const own = this.#ofClient.get(client);
    own?.delete(instance);
    if (own?.size === 0) this.#ofClient.delete(client);
    this.#forgetQuestion(instance);
    if (instance.record !== null) this.#options.gone(client.id, instance.id);
  }

  /** Returns true if the message is an answer to a request of this table. */
  takes(client: HookedClient, { subject, headerBytes, size }: Envelope, message: BorrowedMessage): boolean {
    if (!subject.startsWith(this.#inbox)) return false;
    const instance = this.#asked.get(subject.slice(this.#inbox.length));
    if (instance?.client !== client) return true;
    this.#forgetQuestion(instance);
    const text = message.whole().toString("utf8", headerBytes, size);
    const answer = infoAnswer.safeParse(parseJson(text));
    // Without a valid answer, the instance is shown with the name and id of its subscription.
    if (answer.success && answer.data.id === instance.id && this.#hasRoom(instance, size)) this.#learn(instance, answer.data);
    else this.#learn(instance, { name: instance.natsName, id: instance.id });
    return true;
  }

  close(): void {
    for (const { timer } of this.#instances.values()) if (timer) clearTimeout(timer);
  }

  #hasRoom(instance: Instance, bytes: number): boolean {
    const { client } = instance;
    if (this.#infoBytes.of(client) + bytes - instance.bytes > MAX_PROGRAM_INFO_BYTES) return false;
    this.#infoBytes.add(client, bytes - instance.bytes);
    instance.bytes = bytes;
    return true;
  }

  #askSoon(instance: Instance): void {
    instance.tries = 0;
    if (instance.isSettling) return;
    if (instance.timer) clearTimeout(instance.timer);
    instance.isSettling = true;
    instance.timer = setTimeout(() => this.#ask(instance), SETTLE_MS).unref();
  }

  #ask(instance: Instance): void {
    const { subscription } = instance;
    instance.isSettling = false;
    instance.timer = null;
    this.#forgetQuestion(instance);
    if (instance.tries > 0 && instance.record === null) this.#learn(instance, { name: instance.natsName, id: instance.id });
    if (subscription.isEnded || instance.tries++ >= MAX_TRIES) return;
    const token = (this.#next++).toString(36);
    instance.token = token;
    this.#asked.set(token, instance);
    instance.timer = setTimeout(() => this.#ask(instance), RETRY_MS).unref();
    const envelope = { subject: subscription.subject, reply: this.#inbox + token, headerBytes: 0, size: 0 };
    subscription.client.deliver(subscription, envelope, NOTHING, subscription.client);
  }

  /** Ends a request: its answer has arrived, or is no longer awaited. */
  #forgetQuestion(instance: Instance): void {
    if (instance.token === null) return;
    this.#asked.delete(instance.token);
    instance.token = null;
    if (instance.timer && !instance.isSettling) clearTimeout(instance.timer);
  }

  #learn(instance: Instance, { name, metadata, endpoints }: z.infer<typeof infoAnswer>): void {
    const { client, id } = instance;
    const given = metadata ?? {};
    const record: ServiceRecord = {
      connection: client.id,
      id,
      name: given.name ?? name,
      interface: given.interface ?? "",
      provider: given.provider ?? this.#options.nameOf(client),
      ...this.#options.endpointOf(client),
      endpoints: (endpoints ?? []).map((endpoint) => ({ name: endpoint.name, subject: endpoint.subject })),
    };
    if (JSON.stringify(record) === JSON.stringify(instance.record)) return;
    instance.record = record;
    this.#options.changed(record);
  }
}

const EMPTY = Buffer.from(CRLF);
const NOTHING = new BorrowedMessage().of(EMPTY, 0, EMPTY.length);
