import { MgrError, messageOf } from "../../../base/errors.ts";
import type { WarningLog } from "../../../base/throttled-warning.ts";
import { BorrowedMessage } from "../borrowed-message.ts";
import { countIn, countOut, type SubjectCounters } from "../broker-counters.ts";
import type { BrokerParts } from "../broker-parts.ts";
import { CRLF } from "../broker-protocol.ts";
import { ClientSubscription, type LinkTarget, type Subscriber } from "../broker-subscriber.ts";
import type { BusMessage } from "../bus-message.ts";
import type { Envelope } from "../parser/broker-operations.ts";

type PortEnvironment = Pick<BrokerParts, "router" | "counters">;
type Receive = (message: BusMessage) => void;

/** The broker's in-process endpoint. Subjects must be ASCII. */
export class BrokerPort implements Subscriber {
  readonly id: number;
  readonly published: SubjectCounters[] = [];
  readonly echo = true;
  readonly isOrdered = true;
  readonly link = null;
  readonly connection = null;
  readonly #environment: PortEnvironment;
  readonly #log: WarningLog;
  readonly #receivers = new Map<ClientSubscription, Receive>();
  #isClosed = false;

  constructor(id: number, environment: PortEnvironment, log: WarningLog) {
    this.id = id;
    this.#environment = environment;
    this.#log = log;
  }

  /** Returns false if there are no subscribers. Messages of one turn are sent together at its end. Throws `host_unavailable` once it is closed. */
  publish(subject: string, data: Uint8Array | string, reply: string | null = null): boolean {
    if (this.#isClosed) throw new MgrError("host_unavailable", `the bus is closed; ${subject} was not sent`);
    const bytes = typeof data === "string" ? Buffer.from(data + CRLF) : Buffer.concat([data, LINE_END]);
    const size = bytes.length - CRLF.length;
    countIn(this.#environment.counters, size);
    const message = new BorrowedMessage().of(bytes, 0, bytes.length);
    return this.#environment.router.route(this, { subject, reply, headerBytes: 0, size }, message);
  }

  /** Whether brokers behind links have subscribed to this subject, by a pattern that begins with its first part. */
  isWantedOverLinks(subject: string): boolean {
    return this.#linksOf(subject).size > 0;
  }

  /**
   * Sends a message to the brokers behind links that have subscribed to its subject, and to no client of this broker. `bytes` begins with the
   * header block of `headerBytes` bytes. Returns false if no link accepted it: it is too large, or none wants it.
   */
  sendOverLinks(subject: string, bytes: Buffer, { headerBytes, reply }: { headerBytes: number; reply: string | null }): boolean {
    const envelope = { subject, reply, headerBytes, size: bytes.length };
    const whole = Buffer.concat([bytes, LINE_END]);
    let isSent = false;
    for (const link of this.#linksOf(subject))
      if (link.send(envelope, [], new BorrowedMessage().of(whole, 0, whole.length), this)) isSent = true;
    if (isSent) countIn(this.#environment.counters, bytes.length);
    return isSent;
  }

  /** Calls back while the broker works, in the order of arrival; messages may be kept. Returns a function that unsubscribes. */
  subscribe(subject: string, receive: Receive): () => void {
    const subscription = new ClientSubscription(this, { subject, queue: null, sid: "", isFiltered: false });
    this.#receivers.set(subscription, receive);
    this.#environment.router.tree.insert(subscription);
    return () => this.#remove(subscription);
  }

  get fairKey(): number {
    return this.id;
  }

  mayReceive(): boolean {
    return true;
  }

  deliver(subscription: ClientSubscription, { subject, reply, headerBytes, size }: Envelope, message: BorrowedMessage): boolean {
    countOut(this.#environment.counters, 1, size);
    const data = message.whole().subarray(headerBytes, size);
    try {
      this.#receivers.get(subscription)?.({ subject, data, ...(reply === null ? {} : { reply }) });
    } catch (cause) {
      // The sender is not at fault, and must not lose its connection.
      this.#log("error", `a defect in the receiver of ${subject}: ${messageOf(cause)}`);
    }
    return true;
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of [...this.#receivers.keys()]) this.#remove(subscription);
  }

  #linksOf(subject: string): Set<LinkTarget> {
    const links = new Set<LinkTarget>();
    const first = subject.slice(0, subject.indexOf(".") + 1);
    for (const subscription of this.#environment.router.tree.match(subject).plain()) {
      const { link } = subscription.client;
      if (link !== null && subscription.subject.startsWith(first)) links.add(link);
    }
    return links;
  }

  #remove(subscription: ClientSubscription): void {
    subscription.isEnded = true;
    if (this.#receivers.delete(subscription)) this.#environment.router.tree.remove(subscription);
  }
}

const LINE_END = Buffer.from(CRLF);
