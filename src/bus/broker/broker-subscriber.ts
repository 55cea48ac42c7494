import { BorrowedMessage } from "./borrowed-message.ts";
import type { SubjectCounters } from "./broker-counters.ts";
import type { Envelope } from "./broker-parser.ts";
import { CRLF } from "./broker-protocol.ts";

/** A receiver of messages: a client behind a carrier, or this program itself. */
export interface Subscriber {
  readonly id: number;
  /** Accounts of the subjects that it has published. */
  readonly published: SubjectCounters[];
  /** Whether it receives its own messages, too. */
  readonly echo: boolean;
  /** Itself, if it is another broker; else null. */
  readonly link: LinkTarget | null;
  /** Asked for subscriptions that are filtered. */
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
  /** Its wildcard may match what the client must not see. */
  readonly isFiltered: boolean;
  /** Ends after this many deliveries; 0: never. */
  max: number;
  delivered: number;
  isEnded: boolean;
  /**
   * Subject and sizes of its last message; `bytes` is its header once two messages in a row had the same. Making it anew for each
   * message costs 54 % more processor time in the broker (bench/bus-throughput.ts, 128 bytes: 0.65 instead of 0.42 µs).
   */
  readonly header: { subject: string; headerBytes: number; size: number; bytes: Buffer | null };
}

export function newSubscription(
  client: Subscriber,
  given: Pick<ClientSubscription, "subject" | "queue" | "sid" | "isFiltered">,
): ClientSubscription {
  return { client, ...given, max: 0, delivered: 0, isEnded: false, header: { subject: "", headerBytes: 0, size: -1, bytes: null } };
}

/** The line before a message. */
export function headOf({ header, sid }: ClientSubscription, envelope: Envelope): string | Buffer {
  const { subject, reply, headerBytes, size } = envelope;
  if (reply !== null) return headText(sid, envelope);
  const isSame = header.size === size && header.headerBytes === headerBytes && header.subject === subject;
  if (isSame && header.bytes !== null) return header.bytes;
  const text = headText(sid, envelope);
  header.bytes = isSame ? Buffer.from(text, "latin1") : null;
  header.subject = subject;
  header.headerBytes = headerBytes;
  header.size = size;
  return text;
}

function headText(sid: string, { subject, reply, headerBytes, size }: Envelope): string {
  const to = reply === null ? `${subject} ${sid}` : `${subject} ${sid} ${reply}`;
  return headerBytes === 0 ? `MSG ${to} ${size}${CRLF}` : `HMSG ${to} ${headerBytes} ${size}${CRLF}`;
}

/** For a client that does not know headers: the message less its headers. */
export function withoutHeaders(
  { sid }: ClientSubscription,
  { subject, reply, headerBytes, size }: Envelope,
  message: BorrowedMessage,
): [string, BorrowedMessage] {
  const body = message.whole().subarray(headerBytes);
  const head = `MSG ${subject} ${sid} ${reply === null ? "" : `${reply} `}${size - headerBytes}${CRLF}`;
  return [head, new BorrowedMessage().of(body, 0, body.length)];
}
