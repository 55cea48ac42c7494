import { TOPIC_PREFIX } from "../../base/topics/topic-subject.ts";
import { BorrowedMessage } from "./borrowed-message.ts";
import type { SubjectCounters } from "./broker-counters.ts";
import { CRLF } from "./broker-protocol.ts";
import type { Envelope } from "./parser/broker-operations.ts";
import { RepeatedHead } from "./parser/repeated-head.ts";

/** The connection of a subscriber or publisher, as other clients use it. */
export interface SubscriberConnection {
  /** Whether another message would be sent at once. */
  readonly hasRoom: boolean;
  /** Calls back once when there is room; never if the connection ends before. */
  onRoom(next: () => void): void;
  /** Number of queued bytes of one topic. */
  queued(publisher: Subscriber, subject: string): number;
  /**
   * Called when a fast receiver has much to read from this publisher: nothing is read from the publisher until the returned function is
   * called, or `maxMs` have passed; then `expired` is called.
   */
  press(maxMs: number, expired: () => void): () => void;
}

/** A receiver of messages: a client behind a carrier, or this program itself. */
export interface Subscriber {
  readonly id: number;
  /** Accounts of the subjects that it has published. */
  readonly published: SubjectCounters[];
  /** Whether it receives its own messages, too. */
  readonly echo: boolean;
  /** Name of the program behind it, whose connections share limits; null: part of mgr itself, or another broker. */
  readonly program?: string | null;
  /** The link itself, if this is another broker; else null. */
  readonly link: LinkTarget | null;
  /** Publishers with the same key share one turn in queues, such as the connections of one process. */
  readonly fairKey: string | number;
  /** Whether all that it publishes stays in order, except topics. Else only the messages of one subject do. */
  readonly isOrdered: boolean;
  /** Whether the subscriber may receive messages of this subject; called for filtered subscriptions. */
  mayReceive(subject: string): boolean;
  /** Ends one of its subscriptions, for which there is no more room, and sends it the reason. */
  evict?(subscription: ClientSubscription, reason: string): void;
  /** Returns false if the message could not be accepted. */
  deliver(subscription: ClientSubscription, envelope: Envelope, message: BorrowedMessage, publisher: Subscriber): boolean;
  /** The connection of the subscriber; null: it is part of this program, and accepts every message at once. */
  readonly connection: SubscriberConnection | null;
}

/** Another broker, whose subscriptions stand for all its clients: a message goes there once. */
export interface LinkTarget extends Subscriber {
  /** Number of members of the subscription's queue group behind the link. */
  weightOf(subscription: ClientSubscription): number;
  canTake(): boolean;
  /** Sends a message. `queues`: groups of which the other broker chooses a member. Returns false if the message was lost. */
  send(envelope: Envelope, queues: readonly string[], message: BorrowedMessage, publisher: Subscriber): boolean;
}

/** Names the messages of `publisher` that stay in order (`Subscriber.isOrdered`). */
export function flowOf(publisher: Subscriber, subject: string): string {
  return publisher.isOrdered && !subject.startsWith(TOPIC_PREFIX) ? "" : linkFlowOf(subject);
}

/** As `flowOf`, on a link, which keeps the subjects of all publishers apart. All answers to one request stay in order. */
export function linkFlowOf(subject: string): string {
  if (!subject.startsWith(INBOX)) return subject;
  const name = subject.indexOf(".", INBOX.length);
  const end = name < 0 ? -1 : subject.indexOf(".", name + 1);
  return end < 0 ? subject : subject.slice(0, end);
}

const INBOX = "_INBOX.";

/** A subscription of a client, or the interest of another broker. Brokers hold many of them, so each costs little. */
export class ClientSubscription {
  readonly client: Subscriber;
  readonly subject: string;
  readonly queue: string | null;
  readonly sid: string;
  /** Whether its wildcard may match subjects that the client must not receive. */
  readonly isFiltered: boolean;
  /** Number of deliveries after which it ends; 0: never. */
  max = 0;
  delivered = 0;
  isEnded = false;
  #head: RepeatedHead | null = null;

  constructor(client: Subscriber, { subject, queue, sid, isFiltered }: SubscriptionFields) {
    this.client = client;
    this.subject = subject;
    this.queue = queue;
    this.sid = sid;
    this.isFiltered = isFiltered;
  }

  get isRemote(): boolean {
    return this.client.link !== null;
  }

  /** The line before each of its messages, created when first used: most subscriptions of a flood never get a message. */
  get head(): RepeatedHead {
    this.#head ??= new RepeatedHead((envelope) => headText(this.sid, envelope));
    return this.#head;
  }
}

type SubscriptionFields = Pick<ClientSubscription, "subject" | "queue" | "sid" | "isFiltered">;

function headText(sid: string, { subject, reply, headerBytes, size }: Envelope): string {
  const to = reply === null ? `${subject} ${sid}` : `${subject} ${sid} ${reply}`;
  return headerBytes === 0 ? `MSG ${to} ${size}${CRLF}` : `HMSG ${to} ${headerBytes} ${size}${CRLF}`;
}

/** The message without its headers, for a client that does not support them. */
export function withoutHeaders(
  { sid }: ClientSubscription,
  { subject, reply, headerBytes, size }: Envelope,
  message: BorrowedMessage,
): [string, BorrowedMessage] {
  const body = message.whole().subarray(headerBytes);
  const head = `MSG ${subject} ${sid} ${reply === null ? "" : `${reply} `}${size - headerBytes}${CRLF}`;
  return [head, new BorrowedMessage().of(body, 0, body.length)];
}
