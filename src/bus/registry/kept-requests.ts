import { randomBytes } from "node:crypto";
import { subjectProblem } from "../../base/subject-limits.ts";
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
/** Answers that come later are ignored, milliseconds. */
const MAX_WAIT_MS = 10_000;
/** Maximum number of requests that wait for answers; beyond it, the oldest is given up. */
const MAX_WAITING = 256;
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
  readonly asked: { readonly subscription: ClientSubscription; readonly since: number }[];
  chars: number;
  timer: ReturnType<typeof setTimeout> | null;
}

/**
 * Requests the newest messages of topics with `keep_last` from other brokers. A link announces a subject once, so without requests only the
 * first of several subscribers would get the message. Therefore each new subscription causes a request to all brokers, which answer to an
 * inbox of this one.
 */
export class KeptRequests implements Subscriber {
  readonly id: number;
  readonly published: SubjectCounters[] = [];
  readonly echo = false;
  readonly link = null;
  readonly #router: BrokerAccess["router"];
  readonly #topics: () => Iterable<KeptTopic>;
  readonly #inbox = `_INBOX.${randomBytes(16).toString("hex")}.`;
  readonly #waiting = new Map<number, Waiting>();
  /**
   * Subjects of messages that arrived over a link while requests wait, with the value of `#moment`. Answers use the same link, so they are
   * not newer.
   */
  #seen = new Map<string, number>();
  /** The request that is sent at the end of this turn. */
  #next: Waiting | null = null;
  #requests = 0;
  #moment = 0;

  /** `topics`: those of this broker. */
  constructor({ id, router }: BrokerAccess, topics: () => Iterable<KeptTopic>) {
    this.id = id;
    this.#router = router;
    this.#topics = topics;
    for (const subject of [SUBJECT, `${this.#inbox}>`])
      router.tree.insert(new ClientSubscription(this, { subject, queue: null, sid: "", isFiltered: false }));
  }

  /** Requests the newest messages for a new subscription from the other brokers. */
  ask(subscription: ClientSubscription): void {
    const { length } = subscription.subject;
    const full = this.#next !== null && (this.#next.asked.length >= MAX_PATTERNS || this.#next.chars + length > MAX_REQUEST_CHARS);
    if (full) this.#send();
    this.#next ??= this.#begin();
    this.#next.asked.push({ subscription, since: ++this.#moment });
    this.#next.chars += length + 1;
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

  close(): void {
    for (const { timer } of this.#waiting.values()) if (timer !== null) clearTimeout(timer);
    this.#waiting.clear();
    this.#next = null;
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

  #begin(): Waiting {
    const [oldest] = this.#waiting.values();
    if (this.#waiting.size >= MAX_WAITING && oldest !== undefined) this.#end(oldest);
    const waiting: Waiting = { id: ++this.#requests, asked: [], chars: 0, timer: null };
    this.#waiting.set(waiting.id, waiting);
    queueMicrotask(() => {
      if (this.#next === waiting) this.#send();
    });
    return waiting;
  }

  #send(): void {
    const waiting = this.#next;
    this.#next = null;
    if (waiting === null) return;
    const patterns = [...new Set(waiting.asked.map(({ subscription }) => subscription.subject))];
    const bytes = Buffer.from(patterns.join("\n") + CRLF, "latin1");
    const envelope = { subject: SUBJECT, reply: this.#inbox + waiting.id, headerBytes: 0, size: bytes.length - CRLF.length };
    const isHeard = this.#router.route(this, envelope, new BorrowedMessage().of(bytes, 0, bytes.length));
    if (isHeard) waiting.timer = setTimeout(() => this.#end(waiting), MAX_WAIT_MS).unref();
    else this.#end(waiting);
  }

  #end({ id, timer }: Waiting): void {
    if (timer !== null) clearTimeout(timer);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#seen = new Map();
  }

  #answer(reply: string, text: string): void {
    // A tree, because thousands of patterns for thousands of topics would delay everything else.
    const patterns = new SubscriptionTree<Subscribed>();
    for (const subject of text.split("\n", MAX_PATTERNS))
      if (isValidSubscription(subject) && subjectProblem(subject) === null) patterns.insert({ subject, queue: null });
    for (const { subject, last } of this.#topics()) {
      if (last === null || patterns.match(subject).plainSize === 0) continue;
      // One token: with all of its tokens, the subject of the answer could be too long. Subjects of topics hold no `/`.
      const answer = `${reply}.${subject.replaceAll(".", "/")}`;
      last.send((envelope, message) => this.#router.route(this, { ...envelope, subject: answer }, message));
    }
  }

  /** To `<inbox><request>.<subject>`, with `/` for the dots of the subject. */
  #answered(envelope: Envelope, message: BorrowedMessage): void {
    const [id = ""] = envelope.subject.slice(this.#inbox.length).split(".", 1);
    const subject = envelope.subject.slice(this.#inbox.length + id.length + 1).replaceAll("/", ".");
    const waiting = this.#waiting.get(Number(id));
    if (waiting === undefined || !subject.startsWith("topic.")) return;
    const seen = this.#seen.get(subject) ?? 0;
    for (const { subscription, since } of waiting.asked) {
      const { client, isEnded, isFiltered } = subscription;
      if (isEnded || seen > since || !subjectMatches(subscription.subject, subject)) continue;
      if (!isFiltered || client.mayReceive(subject)) client.deliver(subscription, { ...envelope, subject }, message);
    }
  }
}
