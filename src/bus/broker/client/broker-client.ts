import type { ByteStream } from "../../carriers/byte-stream.ts";
import type { BorrowedMessage } from "../borrowed-message.ts";
import { countDropped, countIn, countOut, newCounters, type SubjectCounters } from "../broker-counters.ts";
import type { HookedClient } from "../broker-hooks.ts";
import type { BrokerParts } from "../broker-parts.ts";
import { CRLF, DEFAULT_CONNECT_OPTIONS, ERROR_TEXTS, ProtocolViolation, parseConnect } from "../broker-protocol.ts";
import { ClientSubscription, flowOf, type Subscriber, withoutHeaders } from "../broker-subscriber.ts";
import type { Departures } from "../departures.ts";
import type { ClientState, HandedClient } from "../handover/handed-client.ts";
import type { BrokerLinks } from "../leaf/broker-links.ts";
import type { LeafLink } from "../leaf/leaf-link.ts";
import { type LeafConnect, type LinkCounts, parseLeafConnect } from "../leaf/leaf-protocol.ts";
import type { BrokerOperations, Envelope } from "../parser/broker-operations.ts";
import type { AcceptOptions, BrokerPermissions, ClientIdentity, Credentials } from "../permissions.ts";
import { ClientSubscriptions } from "../subscriptions/client-subscriptions.ts";
import type { SubscriptionLimits } from "../subscriptions/subscription-limits.ts";
import { SubjectTally } from "../trace/subject-tally.ts";
import { BrokerConnection } from "./broker-connection.ts";
import { ClientLogin } from "./client-login.ts";
import { type ClientPermissions, publishLengthRefusal, subscriptionRefusal } from "./client-permissions.ts";
import { answerOf, noResponders, ownInbox } from "./own-inbox.ts";

/** The parts of a broker that its clients share. */
export interface ClientEnvironment extends BrokerParts {
  readonly subscriptionLimits: SubscriptionLimits;
  readonly links: BrokerLinks;
  readonly departures: Departures;
  /** `counts`: if the client is another broker, the counters of its link. */
  greeting(client: BrokerClient, counts?: LinkCounts): string;
  closed(client: BrokerClient): void;
  /** Called when an operation or hook of a client threw an error. */
  defect(client: BrokerClient, error: unknown): void;
  /** Called when a client has started to lose messages. */
  slow(client: BrokerClient): void;
}

/** Maximum number of refused subjects of subscriptions that are remembered. */
const MAX_REFUSED_SUBJECTS = 32;

/** One client: its permissions, subscriptions and lost messages. */
export class BrokerClient implements BrokerOperations, HookedClient {
  readonly id: number;
  readonly accepted: AcceptOptions;
  readonly counters = newCounters();
  readonly published: SubjectCounters[] = [];
  readonly #environment: ClientEnvironment;
  readonly connection: BrokerConnection;
  readonly #subscriptions: ClientSubscriptions;
  #options = DEFAULT_CONNECT_OPTIONS;
  readonly #permissions: ClientPermissions;
  readonly #login: ClientLogin;
  readonly #lost = new SubjectTally();
  /** Topics whose subscription was refused. */
  readonly refusedSubjects = new Set<string>();
  #pings = 0;
  #link: LeafLink | null = null;
  /** Whether the client has lost messages since its queue was last empty. */
  #isSlow = false;
  #isGone = false;

  constructor(id: number, stream: ByteStream, accepted: AcceptOptions, environment: ClientEnvironment) {
    this.id = id;
    this.accepted = accepted;
    this.#environment = environment;
    this.#subscriptions = new ClientSubscriptions(this, environment);
    this.#login = new ClientLogin(accepted);
    this.#permissions = this.#login.permissions;
    const { limits, turns } = environment;
    this.connection = new BrokerConnection(stream, this, {
      limits,
      turns,
      memory: environment.memory,
      owner: () => this.owner,
      policyOf: (subject) => environment.hooks?.policyOf(subject) ?? null,
      sent: (publisher, subject, msgs, payload) => this.#sent(publisher, subject, msgs, payload),
      dropped: ({ publisher, subject }, msgs, payload) => this.#dropped(publisher, subject, msgs, payload),
      failed: () => this.#forget(),
      defect: (error) => environment.defect(this, error),
      closed: () => {
        this.#forget();
        environment.closed(this);
      },
    });
  }

  get subscriptions(): ReadonlyMap<string, ClientSubscription> {
    return this.#subscriptions.bySid;
  }

  get name(): string {
    return this.#options.name;
  }

  /** The link, if the client is another broker; else null. */
  get link(): LeafLink | null {
    return this.#link;
  }

  /** User name of its credentials or its principal, "" without. */
  get user(): string {
    return this.#permissions.userOf(this.accepted.principal);
  }

  get address(): string {
    return this.accepted.address ?? this.accepted.principal?.address ?? "";
  }

  get identity(): ClientIdentity | undefined {
    return this.#permissions.identity;
  }

  get program(): string | null {
    return this.#permissions.program(this.accepted.principal);
  }

  isValid(): boolean {
    return this.#permissions.isValid();
  }

  mayReceive(subject: string): boolean {
    return this.#permissions.mayReceive(subject);
  }

  mayPublish(subject: string): boolean {
    return this.#permissions.mayPublish(subject);
  }

  get echo(): boolean {
    return this.#options.echo;
  }

  /** `isAdopted`: an earlier broker has greeted the client. */
  open(isAdopted = false): void {
    this.#login.limit(this.#environment.limits.authTimeoutMs, () => this.fail(ERROR_TEXTS.authTimeout));
    this.connection.open(isAdopted ? "" : this.#environment.greeting(this));
  }

  /** Null: another broker cannot continue the connection. */
  handOver(): HandedClient | null {
    const { descriptor } = this.connection;
    const { key } = this.#permissions;
    if (descriptor < 0 || this.#link !== null || this.#isGone || (this.#login.isDone ? key === null : !this.connection.isProcessed))
      return null;
    const { state: connection, ...bytes } = this.connection.handOver();
    const about = { id: this.id, address: this.address, options: this.#options, key: this.#login.isDone ? key : null };
    const own = { isSlow: this.#isSlow, counters: { ...this.counters }, subscriptions: this.#subscriptions.handOver() };
    return { state: { ...about, ...own, connection }, descriptor, bytes };
  }

  /** Continues a client of an earlier broker; null: it has not logged in. Its connection is adopted apart. */
  adopt({ options, isSlow, counters, subscriptions }: ClientState, permissions: BrokerPermissions | null): void {
    this.#options = options;
    this.#isSlow = isSlow;
    Object.assign(this.counters, counters);
    this.#login.adopt(permissions);
    this.#subscriptions.adopt(subscriptions);
  }

  fail(text: string): void {
    this.connection.fail(text);
  }

  /** Sends a line that the client did not request, such as INFO. */
  sendLine(text: string): void {
    this.connection.answer(text);
  }

  /** Sends waiting output, then closes; resolves when the client is gone. */
  drainAndClose(): Promise<void> {
    return this.connection.end();
  }

  destroy(): void {
    this.connection.destroy();
  }

  tick(): void {
    // An in-process client cannot be lost.
    if (this.accepted.kind !== "memory") this.connection.tick();
  }

  get fairKey(): string | number {
    return this.#permissions.identity?.run_id ?? this.id;
  }

  /** Whether its messages stay in order: those of the manager and of hosts build on each other. */
  get isOrdered(): boolean {
    return this.#permissions.identity === undefined;
  }

  /**
   * Sends a message for one of its subscriptions, or queues it. Returns false if the subscription is one of a queue group and the client
   * has too much unread data, so that another member may receive it.
   */
  deliver(subscription: ClientSubscription, envelope: Envelope, message: BorrowedMessage, publisher: Subscriber): boolean {
    if (subscription.queue !== null && this.connection.isFull) {
      this.#dropped(publisher, envelope.subject, 1, envelope.size);
      return false;
    }
    this.#send(subscription, envelope, message, publisher);
    if (++subscription.delivered === subscription.max) this.#subscriptions.remove(subscription);
    return true;
  }

  #send(subscription: ClientSubscription, given: Envelope, message: BorrowedMessage, publisher: Subscriber): void {
    const envelope = given.reply !== null && this.#permissions.hidesReplies ? { ...given, reply: null } : given;
    const flow = flowOf(publisher, envelope.subject);
    if (envelope.headerBytes === 0 || this.#options.headers)
      this.connection.message(subscription.head.of(envelope), message, envelope.size, publisher, flow);
    else this.connection.message(...withoutHeaders(subscription, envelope, message), envelope.size, publisher, flow);
  }

  #sent(publisher: Subscriber, subject: string, msgs: number, payload: number): void {
    if (this.#link !== null) {
      this.#link.sent(publisher, subject, msgs, payload);
      return;
    }
    countOut(this.counters, msgs, payload);
    countOut(this.#environment.counters, msgs, payload);
    this.#isSlow &&= this.connection.isQueueing;
  }

  connect(json: string): void {
    const leaf = this.#link === null ? parseLeafConnect(json) : null;
    if (leaf !== null) {
      this.#connectLeaf(leaf);
      return;
    }
    this.#options = parseConnect(json, this.#options);
    const { user, pass, auth_token: token, name } = this.#options;
    this.#authenticate({ user, pass, token, name }, (given) => this.#admit(given));
  }

  #connectLeaf(leaf: LeafConnect): void {
    const { user = null, pass = null, auth_token: token = null, name } = leaf;
    this.#options = { ...DEFAULT_CONNECT_OPTIONS, name, verbose: false, pedantic: false, headers: true };
    this.#authenticate({ user, pass, token, name }, (given) => {
      this.#login.assertMayLink(given);
      this.#admit(given);
      for (const subscription of this.subscriptions.values()) this.#subscriptions.remove(subscription);
      const { link, counts } = this.#environment.links.accept(this, leaf);
      this.#link = link;
      this.connection.answer(this.#environment.greeting(this, counts));
      link.announce();
    });
  }

  /** Nothing more is read from the client until `then` has been called. */
  #authenticate(credentials: Credentials, then: (given: BrokerPermissions | null) => void): void {
    const answer = this.#login.authenticate(credentials, this.address);
    if (answer instanceof Promise) this.connection.hold(answer.then((given) => (this.#isGone ? undefined : then(given))));
    else then(answer);
  }

  /** Called before memory is allocated for the message. */
  announce(): void {
    this.#login.assertDone();
  }

  ping(): void {
    this.#login.assertDone();
    if (this.#link === null) {
      this.connection.answerInTurn(`PONG${CRLF}`);
      return;
    }
    this.connection.answer(`PONG${CRLF}`);
    if (++this.#pings === 2) this.#link.complete();
  }

  /** Any input counts as a sign of life, so PONG itself needs no further handling. */
  pong(): void {
    this.#login.assertDone();
  }

  subscribe(subject: string, queue: string | null, sid: string): void {
    this.#login.assertDone();
    const allowed = this.#permissions.subscription(subject, queue);
    if (typeof allowed === "string") {
      if (this.refusedSubjects.size < MAX_REFUSED_SUBJECTS) this.refusedSubjects.add(subject);
      this.#refuse(allowed);
      return;
    }
    if (!this.subscriptions.has(sid)) {
      const subscription = new ClientSubscription(this, { subject, queue, sid, ...allowed });
      const reason = this.#subscriptions.add(subscription);
      if (reason !== null) {
        this.#refuse(subscriptionRefusal(subject, queue, reason));
        return;
      }
      this.#environment.hooks?.subscribed(this, subscription);
    }
    this.#acknowledge();
  }

  held(): Iterable<ClientSubscription> {
    return this.subscriptions.values();
  }

  evict(subscription: ClientSubscription, reason: string): void {
    this.#subscriptions.remove(subscription);
    this.#refuse(subscriptionRefusal(subscription.subject, subscription.queue, reason));
  }

  unsubscribe(sid: string, max: number): void {
    this.#login.assertDone();
    const subscription = this.subscriptions.get(sid);
    if (subscription && max > subscription.delivered) subscription.max = max;
    else if (subscription) this.#subscriptions.remove(subscription);
    this.#acknowledge();
  }

  publish(envelope: Envelope, message: BorrowedMessage): void {
    this.#login.assertDone();
    if (this.#link !== null) {
      this.#link.receive(envelope, message);
      return;
    }
    if (envelope.headerBytes > 0 && !this.#options.headers) throw new ProtocolViolation(ERROR_TEXTS.headers);
    const { counters, hooks, router } = this.#environment;
    countIn(this.counters, envelope.size);
    countIn(counters, envelope.size);
    const tooLong = publishLengthRefusal(envelope);
    if (tooLong !== null) {
      this.#refuse(tooLong);
      return;
    }
    const refusal = this.#permissions.publishRefusal(envelope, this.#options.pedantic);
    const verdict = hooks?.publishing(this, envelope, message, refusal === null) ?? (refusal === null ? null : { text: refusal });
    if (verdict !== null) {
      if (verdict === "taken") this.#acknowledge();
      else this.#refuse(verdict.text);
      return;
    }
    this.#acknowledge();
    if (!router.route(this, envelope, message) && envelope.reply !== null) this.#sendNoResponders(envelope.reply);
    router.deliveries.holdWhilePending(this, this.connection);
  }

  #admit(permissions: BrokerPermissions | null): void {
    this.#login.admit(permissions, this);
    this.#environment.hooks?.connected(this);
    this.#acknowledge();
  }

  /** Refuses one operation; the connection stays open. */
  #refuse(text: string): void {
    this.connection.answer(`-ERR '${text}'${CRLF}`);
  }

  /**
   * Sends status 503 to the requester's subscription to the reply subject, so that the request fails at once instead of by a time-out. It
   * is not a message and does not count towards the limit of `UNSUB`.
   */
  #sendNoResponders(reply: string): void {
    if (!this.#options.no_responders || !this.#options.headers) return;
    const subscription = ownInbox(this.#environment.router, this, reply);
    if (!subscription) return;
    const { envelope, message } = noResponders(reply);
    this.#send(subscription, envelope, message, this);
  }

  answerRequest(reply: string, body: string): void {
    const subscription = ownInbox(this.#environment.router, this, reply);
    if (!subscription) return;
    const { envelope, message } = answerOf(reply, body);
    this.deliver(subscription, envelope, message, this);
  }

  #acknowledge(): void {
    if (this.#options.verbose) this.connection.answer(`+OK${CRLF}`);
  }

  #dropped(publisher: Subscriber, subject: string, msgs: number, payload: number): void {
    if (this.#link !== null) {
      this.#link.dropped(publisher, subject, msgs, payload);
      return;
    }
    // Messages that a client had not read when it disconnected are not lost.
    if (this.#isGone) return;
    const { counters, hooks, router } = this.#environment;
    hooks?.dropped(subject, msgs);
    this.#lost.add(subject, msgs);
    countDropped(this.counters, msgs, payload);
    countDropped(counters, msgs, payload);
    router.lost(publisher, subject, msgs, payload);
    if (this.#isSlow) return;
    this.#isSlow = true;
    this.#environment.slow(this);
  }

  /** Number of messages of a subject that it lost because it did not read fast enough. */
  droppedOf(subject: string): number {
    return this.#lost.of(subject);
  }

  /** Owner of the memory that it uses, for messages. */
  get owner(): string {
    return this.#link?.name ?? this.#permissions.programOf() ?? `client ${this.id} '${this.name}'`;
  }

  #forget(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#login.end();
    this.#link?.close();
    this.#subscriptions.end();
  }
}
