import { BorrowedMessage } from "./borrowed-message.ts";
import type { SubjectCounters } from "./broker-counters.ts";
import { CRLF } from "./broker-protocol.ts";
import type { Envelope } from "./parser/broker-operations.ts";
import { RepeatedHead } from "./parser/repeated-head.ts";

/** A receiver of messages: a client behind a carrier, or this program itself. */
export interface Subscriber {
  readonly id: number;
  /** Accounts of the subjects that it has published. */
  readonly published: SubjectCounters[];
  /** Whether it receives its own messages, too. */
  readonly echo: boolean;
  /** The link itself, if this is another broker; else null. */
  readonly link: LinkTarget | null;
  /** Called for subscriptions that are filtered. */
  mayReceive(subject: string): boolean;
  /** False: the message could not be taken. */
  deliver(subscription: ClientSubscription, envelope: Envelope, message: BorrowedMessage): boolean;
}

/** Another broker, whose subscriptions stand for all its clients: a message goes there once. */
export interface LinkTarget extends Subscriber {
  /** Members of the subscription's queue group behind it. */
  weightOf(subscription: ClientSubscription): number;
  canTake(): boolean;
  /** `queues`: groups of which the other broker chooses a member. False: the message was lost. */
  send(envelope: Envelope, queues: readonly string[], message: BorrowedMessage): boolean;
}

export interface ClientSubscription {
  readonly client: Subscriber;
  readonly subject: string;
  readonly queue: string | null;
  readonly sid: string;
  /** Its wildcard may match subjects that the client must not receive. */
  readonly isFiltered: boolean;
  /** Ends after this many deliveries; 0: never. */
  max: number;
  delivered: number;
  isEnded: boolean;
  /** The line before each of its messages. */
  readonly head: RepeatedHead;
}

export function newSubscription(
  client: Subscriber,
  given: Pick<ClientSubscription, "subject" | "queue" | "sid" | "isFiltered">,
): ClientSubscription {
  return { client, ...given, max: 0, delivered: 0, isEnded: false, head: new RepeatedHead((envelope) => headText(given.sid, envelope)) };
}

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
