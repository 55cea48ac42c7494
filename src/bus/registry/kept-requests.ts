import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parseJson } from "../../base/json.ts";
import { subjectProblem } from "../../base/topics/subject-limits.ts";
import { TOPIC_PREFIX } from "../../base/topics/topic-subject.ts";
import { BorrowedMessage } from "../broker/borrowed-message.ts";
import type { SubjectCounters } from "../broker/broker-counters.ts";
import type { BrokerAccess } from "../broker/broker-hooks.ts";
import { CRLF } from "../broker/broker-protocol.ts";
import { ClientSubscription, type Subscriber } from "../broker/broker-subscriber.ts";
import { isValidSubscription, SubscriptionTree, subjectMatches } from "../broker/broker-subscriptions.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import type { Subscribed } from "../broker/subscriptions/bucket.ts";
import type { LastMessage } from "./last-message.ts";

/** Subject of the requests. Clients can neither publish nor subscribe to it (bus/broker/permissions). */
const SUBJECT = "$MGR.kept";
/** Time after which answers are ignored, milliseconds. */
const MAX_WAIT_MS = 10_000;
/** Time limit for a subscriber to read one page, milliseconds; after it, no further pages are requested. */
const MAX_READING_MS = 60_000;
/** Maximum number of requests that wait for answers; beyond it, the oldest is cancelled. */
const MAX_WAITING = 256;
/** Maximum number of messages and bytes of one page of an answer: further ones are sent when the subscriber has read these. */
const MAX_PAGE_MESSAGES = 256;
const MAX_PAGE_BYTES = 256 * 1024;
/** First character of a request for pages, and the last token of the subject that announces a further page. */
const PAGED = "@";
const MORE = "more";
/** Maximum number of subscriptions in one request, and of characters of their subjects. */
const MAX_PATTERNS = 1_000;
const MAX_REQUEST_CHARS = 64 * 1024;
/** Maximum number of subjects that are recorded while requests wait; then the one seen longest ago is forgotten. */
const MAX_SEEN = 10_000;

interface KeptTopic {
  readonly subject: string;
  readonly last: LastMessage | null;
}

interface Waiting {
  readonly id: number;
  /** The client that has subscribed. */
  readonly client: Subscriber;
  readonly asked: { readonly subscription: ClientSubscription; readonly since: number }[];
  chars: number;
  timer: ReturnType<typeof setTimeout> | null;
}

/** A further page of an answer: its broker, and the message after which it begins. */
const morePages = z.object({ broker: z.string().max(64), after: z.int().min(0) });

/**
 * Requests the newest messages of topics with `keep_last` from other brokers. A link announces a subject once, so without requests only the
 * first of several subscribers would get the message. Therefore each new subscription causes a request to all brokers, which answer to an
 * inbox of this one, in pages: the next one is requested when the subscriber has read the last.
 *
 * A request is `@` with, for a further page, ` <broker> <after>`, and then the subjects, one a line. Without the first line (from versions
 * before pages) it is answered as a whole.
 */
export class KeptRequests implements Subscriber {
  readonly id: number;
  readonly published: SubjectCounters[] = [];
  readonly echo = false;
  readonly isOrdered = false;
  readonly link = null;
  readonly connection = null;
  readonly #router: BrokerAccess["router"];
  readonly #topics: () => Iterable<KeptTopic>;
  readonly #inbox = `_INBOX.${randomBytes(16).toString("hex")}.`;
  readonly #waiting = new Map<number, Waiting>();
  /** The requests that are sent at the end of this turn, by client. */
  readonly #next = new Map<Subscriber, Waiting>();
  /** Identifies this broker in requests for further pages; a program that replaces this one keeps it. */
  broker = randomBytes(9).toString("base64url");
  /**
   * Subjects of messages that arrived over a link while requests wait, with the value of `#moment`. Answers use the same link, so they are
   * not newer.
   */
  #seen = new Map<string, number>();
  #requests = 0;
  #moment = 0;

  /** `topics` returns those of this broker. */
  constructor({ id, router }: BrokerAccess, topics: () => Iterable<KeptTopic>) {
    this.id = id;
    this.#router = router;
    this.#topics = topics;
    for (const subject of [SUBJECT, `${this.#inbox}>`])
      router.tree.insert(new ClientSubscription(this, { subject, queue: null, sid: "", isFiltered: false }));
  }

  /** Requests the newest messages for a new subscription from the other brokers. */
  ask(subscription: ClientSubscription): void {
    const { client, subject } = subscription;
    const open = this.#next.get(client);
    if (open !== undefined && (open.asked.length >= MAX_PATTERNS || open.chars + subject.length > MAX_REQUEST_CHARS)) this.#send(open);
    const next = this.#next.get(client) ?? this.#begin(client);
    next.asked.push({ subscription, since: ++this.#moment });
    next.chars += subject.length + 1;
  }

  /** Called when a message arrived over a link. */
  arrived(subject: string): void {
    if (this.#waiting.size === 0) return;
    // Deleted first, so that the map stays in the order of the last arrivals.
    this.#seen.delete(subject);
    this.#seen.set(subject, ++this.#moment);
    if (this.#seen.size <= MAX_SEEN) return;
    const [oldest = ""] = this.#seen.keys();
    this.#seen.delete(oldest);
  }

  /** Ends the requests of a closed client. */
  forget(client: Subscriber): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of this.#waiting.values()) if (waiting.client === client) this.#end(waiting);
  }

  close(): void {
    for (const { timer } of this.#waiting.values()) if (timer !== null) clearTimeout(timer);
    this.#waiting.clear();
    this.#next.clear();
  }

  get fairKey(): number {
    return this.id;
  }

  mayReceive(): boolean {
    return true;
  }

  deliver(_subscription: ClientSubscription, envelope: Envelope, message: BorrowedMessage): boolean {
    const { subject, reply, size } = envelope;
    if (subject === SUBJECT && reply !== null) this.#answer(reply, message.whole().toString("latin1", 0, size));
    else if (subject.startsWith(this.#inbox)) this.#answered(envelope, message);
    return true;
  }

  #begin(client: Subscriber): Waiting {
    const [oldest] = this.#waiting.values();
    if (this.#waiting.size >= MAX_WAITING && oldest !== undefined) this.#end(oldest);
    const waiting: Waiting = { id: ++this.#requests, client, asked: [], chars: 0, timer: null };
    this.#waiting.set(waiting.id, waiting);
    this.#next.set(client, waiting);
    queueMicrotask(() => {
      if (this.#next.get(client) === waiting) this.#send(waiting);
    });
    return waiting;
  }

  #send(waiting: Waiting): void {
    this.#next.delete(waiting.client);
    if (!this.#request(waiting, PAGED)) this.#end(waiting);
  }

  /** Returns false if no other broker receives the request. */
  #request(waiting: Waiting, first: string): boolean {
    const patterns = new Set(waiting.asked.map(({ subscription }) => subscription.subject));
    const bytes = Buffer.from([first, ...patterns].join("\n") + CRLF, "latin1");
    const envelope = { subject: SUBJECT, reply: this.#inbox + waiting.id, headerBytes: 0, size: bytes.length - CRLF.length };
    this.#endAfter(waiting, MAX_WAIT_MS);
    return this.#router.route(this, envelope, new BorrowedMessage().of(bytes, 0, bytes.length));
  }

  #endAfter(waiting: Waiting, milliseconds: number): void {
    if (waiting.timer !== null) clearTimeout(waiting.timer);
    waiting.timer = setTimeout(() => this.#end(waiting), milliseconds).unref();
  }

  #end({ id, client, timer }: Waiting): void {
    if (timer !== null) clearTimeout(timer);
    if (this.#next.get(client)?.id === id) this.#next.delete(client);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#seen = new Map();
  }

  #answer(reply: string, text: string): void {
    const lines = text.split("\n", MAX_PATTERNS + 1);
    const [first = ""] = lines;
    const isPaged = first.startsWith(PAGED);
    const [, broker = this.broker, after = "0"] = first.split(" ");
    if (isPaged && broker !== this.broker) return;
    // A tree, because thousands of patterns for thousands of topics would delay everything else.
    const patterns = new SubscriptionTree<Subscribed>();
    for (const subject of lines.slice(isPaged ? 1 : 0))
      if (isValidSubscription(subject) && subjectProblem(subject) === null) patterns.insert({ subject, queue: null });
    const found: LastMessage[] = [];
    for (const { subject, last } of this.#topics())
      if (last !== null && last.moment > Number(after) && patterns.match(subject).plainSize > 0) found.push(last);
    found.sort((a, b) => a.moment - b.moment);
    let left = isPaged ? MAX_PAGE_BYTES : Number.POSITIVE_INFINITY;
    for (const [index, last] of found.entries()) {
      last.send((envelope, message) => {
        // One token: with all of its tokens, the subject of the answer could be too long. Subjects of topics hold no `/`.
        const answer = `${reply}.${envelope.subject.replaceAll(".", "/")}`;
        this.#router.route(this, { ...envelope, subject: answer }, message);
      });
      left -= last.bytes;
      const isLast = index === found.length - 1;
      if (isLast || !isPaged || (left > 0 && index < MAX_PAGE_MESSAGES)) continue;
      this.#announceMore(reply, last.moment);
      return;
    }
  }

  #announceMore(reply: string, after: number): void {
    const bytes = Buffer.from(JSON.stringify({ broker: this.broker, after }) + CRLF);
    const envelope = { subject: `${reply}.${MORE}`, reply: null, headerBytes: 0, size: bytes.length - CRLF.length };
    this.#router.route(this, envelope, new BorrowedMessage().of(bytes, 0, bytes.length));
  }

  /** Handles an answer to `<inbox><request>.<subject>`, with `/` for the dots of the subject. */
  #answered(envelope: Envelope, message: BorrowedMessage): void {
    const [id = ""] = envelope.subject.slice(this.#inbox.length).split(".", 1);
    const subject = envelope.subject.slice(this.#inbox.length + id.length + 1).replaceAll("/", ".");
    const waiting = this.#waiting.get(Number(id));
    if (waiting === undefined) return;
    if (subject === MORE) this.#requestMore(waiting, message.whole().toString("utf8", envelope.headerBytes, envelope.size));
    if (!subject.startsWith(TOPIC_PREFIX)) return;
    const seen = this.#seen.get(subject) ?? 0;
    for (const { subscription, since } of waiting.asked) {
      const { client, isEnded, isFiltered } = subscription;
      if (isEnded || seen > since || !subjectMatches(subscription.subject, subject)) continue;
      if (!isFiltered || client.mayReceive(subject)) client.deliver(subscription, { ...envelope, subject }, message, this);
    }
  }

  /** Requests a further page when the subscriber has read the last one. */
  #requestMore(waiting: Waiting, text: string): void {
    const more = morePages.safeParse(parseJson(text));
    if (!more.success) return;
    const { broker, after } = more.data;
    const goOn = () => {
      if (this.#waiting.has(waiting.id)) this.#request(waiting, `${PAGED} ${broker} ${after}`);
    };
    const { connection } = waiting.client;
    this.#endAfter(waiting, MAX_READING_MS);
    if (connection === null || connection.hasRoom) goOn();
    else connection.onRoom(goOn);
  }
}
