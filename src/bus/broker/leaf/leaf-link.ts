import type { ThrottledWarning } from "../../../base/throttled-warning.ts";
import type { BorrowedMessage } from "../borrowed-message.ts";
import { countDropped, countIn, countOut, type SubjectCounters } from "../broker-counters.ts";
import type { BrokerParts } from "../broker-parts.ts";
import { CRLF, readableText } from "../broker-protocol.ts";
import { ClientSubscription, type LinkTarget, linkFlowOf, type Subscriber, type SubscriberConnection } from "../broker-subscriber.ts";
import { publishLengthRefusal, shownSubject, subscriptionProblem, subscriptionRefusal } from "../client/client-permissions.ts";
import type { Envelope, LinkOperations } from "../parser/broker-operations.ts";
import { RecentSubjects } from "../parser/recent-subjects.ts";
import { RepeatedHead } from "../parser/repeated-head.ts";
import type { Waiting } from "../queues/fair-queue.ts";
import { AnnouncedInterest } from "./announced-interest.ts";
import type { AnswerBook } from "./answer-book.ts";
import type { InboxOwners } from "./inbox-owners.ts";
import { type InterestTable, interestKey } from "./interest-table.ts";
import { fitsIntoLine, LOOP_ERROR, LOOP_PREFIX, linkHead } from "./leaf-protocol.ts";
import type { LinkAccount } from "./link-account.ts";
import { inboxName, isInbox, isLoopSubject, mayCross, mayMatchWildcard, mayWant } from "./link-filter.ts";
import type { LinkLimits } from "./link-limits.ts";

/** The broker that a link belongs to. */
export interface LinkEnvironment extends BrokerParts {
  readonly interest: InterestTable;
  readonly inboxes: InboxOwners;
  readonly answers: AnswerBook;
  readonly linkLimits: LinkLimits;
  /** Name of this broker for the detection of loops. It is sent to hubs only, because a leaf that knew it could fake a loop. */
  readonly loopId: string;
  /** Warnings about refusals of links, and about messages that links lost. */
  readonly refusals: ThrottledWarning;
  readonly losses: ThrottledWarning;
}

/** The connection of a link. */
export interface LinkWire extends SubscriberConnection {
  /** Number of bytes that the other side has not read yet. */
  readonly pending: number;
  readonly isFull: boolean;
  readonly isQueueing: boolean;
  /** Queued messages by subject. */
  waiting(): Map<string, Waiting>;
  message(header: string | Buffer, message: BorrowedMessage, payload: number, publisher: Subscriber, flow: string): void;
  answer(text: string): void;
  /** Stops reading until `decision` resolves. */
  hold(decision: Promise<void>): void;
}

interface LeafLinkOptions {
  /** Id among the broker's connections. */
  readonly id: number;
  /** Name of the other side, for messages. */
  readonly name: string;
  /** Role of the other side: a hub is trusted with the names of inboxes, a leaf is not. */
  readonly peer: "hub" | "leaf";
  /** Whether the other side is a broker of mgr, which requests newest messages of topics itself (bus/registry/kept-requests). */
  readonly isOwnKind: boolean;
  /** Largest message that the other side accepts, bytes. */
  readonly maxPayload: number;
  readonly account: LinkAccount;
  /** Owner of the other side's inboxes. */
  readonly owner: string;
  readonly wire: LinkWire;
  readonly environment: LinkEnvironment;
  /** Ends the connection with an error. */
  readonly fail: (text: string) => void;
  /** Called when the other side has announced all its interest. */
  readonly onComplete?: () => void;
  /** Called when the link ends. `wanted`: the interest of the other side; null: it had not announced all of it. */
  readonly onEnding?: (remoteInterest: readonly ClientSubscription[] | null) => void;
  readonly onClosed?: () => void;
}

/**
 * One connection between two brokers. Each side announces its interest, each subject and queue group once. The other side sends every
 * matching message once, whatever the number of subscribers.
 */
export class LeafLink implements LinkTarget, LinkOperations {
  readonly id: number;
  readonly echo = false;
  readonly isOrdered = false;
  readonly link = this;
  readonly published: SubjectCounters[] = [];
  readonly #options: LeafLinkOptions;
  /** The interest of the other side, with the number of members of queue groups. */
  readonly #remoteInterest = new Map<string, { subscription: ClientSubscription; weight: number }>();
  readonly #announced: AnnouncedInterest;
  readonly #head = new RepeatedHead((envelope) => linkHead(envelope, []));
  readonly #crossable = new RecentSubjects();
  #isSlow = false;
  #isComplete = false;
  #isClosed = false;

  constructor(options: LeafLinkOptions) {
    this.id = options.id;
    this.#options = options;
    const { account, peer, wire } = options;
    const { interest, loopId, router } = options.environment;
    this.#announced = new AnnouncedInterest({
      ...{ peer, interest, loopId, router },
      isFromPeer: (key) => this.#remoteInterest.has(key),
      isHeld: (key) => account.held.has(key),
      send: (line) => wire.answer(line),
    });
  }

  /** Number of distinct interests of the other side, and of this one. */
  get interests(): { theirs: number; ours: number } {
    return { theirs: this.#remoteInterest.size, ours: this.#announced.size };
  }

  get pending(): number {
    return this.#options.wire.pending;
  }

  get name(): string {
    return this.#options.name;
  }

  get fairKey(): number {
    return this.id;
  }

  get connection(): LinkWire {
    return this.#options.wire;
  }

  /** Announces the interest of this side, and its changes from now on. */
  announce(): void {
    this.#announced.begin();
  }

  interest(subject: string, queue: string | null, weight: number): void {
    // Input of a connection may be read after another connection has replaced it.
    if (this.#isClosed) return;
    const { environment } = this.#options;
    const tooLong = subscriptionProblem(subject, queue);
    if (tooLong !== null) {
      this.#refuseInterest({ subject, queue }, tooLong);
      return;
    }
    if (isLoopSubject(subject)) {
      this.#loopInterest(subject);
      return;
    }
    const allowed = mayWant(subject);
    const isForeignInbox =
      isInbox(subject) && this.#options.peer === "leaf" && !environment.inboxes.claim(inboxName(subject), this.#options.owner);
    // nats-server always announces some internal subjects of its own.
    if (allowed === false && this.#options.peer === "hub") return;
    if (allowed === false || isForeignInbox) {
      this.#refuseInterest({ subject, queue }, null);
      return;
    }
    const key = interestKey(subject, queue);
    const known = this.#remoteInterest.get(key);
    if (known) known.weight = weight;
    else this.#insert(key, new ClientSubscription(this, { subject, queue, sid: key, isFiltered: allowed === "filtered" }), weight);
  }

  /** Refuses one interest of the other side; the link stays open. */
  #refuseInterest({ subject, queue }: Pick<ClientSubscription, "subject" | "queue">, reason: string | null): void {
    const { account, environment, name, peer, wire } = this.#options;
    const shown = readableText(shownSubject(subject));
    account.counters.refused_msgs++;
    environment.refusals.warn(`${name} must not subscribe to ${shown}; refused${reason === null ? "" : `: ${reason}`}`);
    // nats-server treats errors of a leaf as defects.
    if (peer === "leaf") wire.answer(`-ERR '${subscriptionRefusal(subject, queue, reason)}'${CRLF}`);
  }

  held(): Iterable<ClientSubscription> {
    return Array.from(this.#remoteInterest.values(), ({ subscription }) => subscription);
  }

  evict(subscription: ClientSubscription, reason: string): void {
    this.#remove(subscription.sid);
    this.#refuseInterest(subscription, reason);
  }

  disinterest(subject: string, queue: string | null): void {
    this.#remove(interestKey(subject, queue));
  }

  /** Detects a loop: the subject is this broker's own, or another link has announced it. Messages would circulate. */
  #loopInterest(subject: string): void {
    const { environment, fail, name } = this.#options;
    const isOwn = subject === LOOP_PREFIX + environment.loopId;
    const isOnOtherLink = !this.#remoteInterest.has(subject) && environment.interest.get(subject) !== undefined;
    if (!isOwn && !isOnOtherLink) {
      if (!this.#remoteInterest.has(subject))
        this.#insert(subject, new ClientSubscription(this, { subject, queue: null, sid: subject, isFiltered: false }), 1);
      return;
    }
    environment.refusals.warn(`${name} leads back to this broker by another way; it is not used`);
    fail(LOOP_ERROR);
  }

  #insert(key: string, subscription: ClientSubscription, weight: number): void {
    const { router, hooks, linkLimits } = this.#options.environment;
    const reason = isLoopSubject(subscription.subject) ? null : linkLimits.add(this.#options, this, subscription);
    if (reason !== null) {
      this.#refuseInterest(subscription, reason);
      return;
    }
    this.#remoteInterest.set(key, { subscription, weight });
    router.tree.insert(subscription);
    if (!this.#isComplete || !this.#options.isOwnKind) hooks?.interested(subscription);
  }

  #remove(key: string): void {
    const known = this.#remoteInterest.get(key);
    if (!known) return;
    known.subscription.isEnded = true;
    // Removed before the table changes, because `AnnouncedInterest` excludes the other side's own interest.
    this.#remoteInterest.delete(key);
    const { router, linkLimits } = this.#options.environment;
    if (!isLoopSubject(known.subscription.subject)) linkLimits.remove(this.#options, known.subscription);
    router.tree.remove(known.subscription);
  }

  mayReceive(subject: string): boolean {
    return mayMatchWildcard(readableText(subject));
  }

  weightOf({ sid }: ClientSubscription): number {
    return this.#remoteInterest.get(sid)?.weight ?? 1;
  }

  canTake(): boolean {
    return !this.#isClosed && !this.#options.wire.isFull;
  }

  /** Not used: the router calls `send`, once for all subscriptions of the link. */
  deliver(): boolean {
    return false;
  }

  send(envelope: Envelope, queues: readonly string[], message: BorrowedMessage, publisher: Subscriber): boolean {
    const { environment, maxPayload, wire, name } = this.#options;
    const { subject, size, reply } = envelope;
    if (this.#isClosed) return false;
    environment.answers.sends(envelope);
    if (size > maxPayload || !fitsIntoLine(queues)) {
      environment.losses.warn(`${name} accepts at most ${maxPayload} bytes; a message of ${size} to ${subject} was dropped`);
      this.#lose(subject, 1, size);
      return false;
    }
    if (reply !== null) this.#announced.announceInbox(reply);
    const head = queues.length === 0 ? this.#head.of(envelope) : linkHead(envelope, queues);
    wire.message(head, message, size, publisher, linkFlowOf(subject));
    return true;
  }

  sent(_publisher: Subscriber, subject: string, msgs: number, payload: number): void {
    const { account, environment, wire } = this.#options;
    countOut(account.counters, msgs, payload);
    countOut(environment.counters, msgs, payload);
    environment.router.crossed(subject, msgs, payload);
    this.#isSlow &&= wire.isQueueing;
  }

  /** Counts queued messages that were dropped for others, or were not sent before the connection was lost. */
  dropped(_publisher: Subscriber, subject: string, msgs: number, payload: number): void {
    const { account, environment, name } = this.#options;
    if (this.#isClosed) {
      account.missed(msgs, payload);
      environment.router.crossed(subject, msgs, payload);
      return;
    }
    this.#lose(subject, msgs, payload);
    if (this.#isSlow) return;
    this.#isSlow = true;
    environment.losses.warn(`${name} does not read fast enough and loses messages, the first of them of ${readableText(subject)}`);
  }

  #lose(subject: string, msgs: number, payload: number): void {
    const { account, environment } = this.#options;
    account.dropped.add(subject, msgs);
    countDropped(account.counters, msgs, payload);
    countDropped(environment.counters, msgs, payload);
    environment.router.crossed(subject, msgs, payload);
    environment.hooks?.dropped(subject, msgs);
  }

  /** Receives a message of the other side. */
  receive(envelope: Envelope, message: BorrowedMessage): void {
    const { account, environment, name, wire } = this.#options;
    const { subject, reply, size } = envelope;
    countIn(account.counters, size);
    countIn(environment.counters, size);
    const tooLong = publishLengthRefusal(envelope);
    const refused = tooLong !== null || !this.#mayCross(subject) ? subject : reply !== null && !mayCross(reply) ? reply : null;
    if (refused === null) {
      environment.answers.receives(envelope);
      environment.hooks?.arrived(subject, this.#options.isOwnKind);
      environment.router.route(this, envelope, message);
      environment.router.deliveries.holdWhilePending(this, wire);
      return;
    }
    account.counters.refused_msgs++;
    environment.refusals.warn(`${name} must not publish to ${readableText(shownSubject(refused))}; refused`);
    wire.answer(`-ERR '${tooLong ?? `Permissions Violation for Publish to "${refused}"`}'${CRLF}`);
  }

  #mayCross(subject: string): boolean {
    if (this.#crossable.has(subject)) return true;
    if (!mayCross(subject)) return false;
    this.#crossable.add(subject);
    return true;
  }

  statusLine(word: string, text: string): void {
    if (word === "-ERR") this.#options.environment.refusals.warn(`${this.#options.name} reports ${text}`);
  }

  /** Called when the other side has announced all its interest: a leaf then sends its second PING, a hub answers the first. */
  complete(): void {
    if (this.#isClosed) return;
    this.#isComplete = true;
    this.#options.account.restored();
    this.#options.onComplete?.();
    if (this.#options.peer === "hub") this.#options.environment.hooks?.linked();
  }

  /** The other side's interest; null: it has not announced all of it. */
  get wanted(): readonly ClientSubscription[] | null {
    return this.#isComplete ? [...this.#remoteInterest.values()].map(({ subscription }) => subscription) : null;
  }

  /** Called when the connection is closed, or about to be. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#announced.end();
    const { account, environment } = this.#options;
    const remoteInterest = this.wanted;
    account.end(remoteInterest);
    this.#options.onEnding?.(remoteInterest);
    for (const key of [...this.#remoteInterest.keys()]) this.#remove(key);
    environment.linkLimits.closed(this.#options, this);
    environment.router.forget(this);
    this.#options.onClosed?.();
  }
}
