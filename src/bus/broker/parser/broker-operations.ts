import type { BorrowedMessage } from "../borrowed-message.ts";

/** Operations that a client can request. Subjects, queues and ids hold the bytes of the wire as latin1 characters. */
export interface BrokerOperations {
  connect(json: string): void;
  ping(): void;
  pong(): void;
  subscribe(subject: string, queue: string | null, sid: string): void;
  /** Ends a subscription. `max` 0: at once; else after that many messages since the subscription began. */
  unsubscribe(sid: string, max: number): void;
  /** Called before a message with this envelope; throwing refuses it. */
  announce(envelope: Envelope): void;
  /** Both arguments are valid only during the call: copy what must be kept. The first `headerBytes` of the message are headers. */
  publish(envelope: Envelope, message: BorrowedMessage): void;
  /** Operations of a leaf node, if the other side is another broker; null: it is a client. */
  readonly link: LinkOperations | null;
}

/** Operations that another broker can request; its messages use `announce` and `publish`. */
export interface LinkOperations {
  /** The other broker subscribes to this subject, or has `weight` members of the queue group. Repeated when the weight changes. */
  interest(subject: string, queue: string | null, weight: number): void;
  disinterest(subject: string, queue: string | null): void;
  /** Called for INFO, -ERR or +OK, with the text after it. */
  statusLine(word: string, text: string): void;
}

/** Arguments of PUB or HPUB for the message that follows. */
export interface Envelope {
  readonly subject: string;
  readonly reply: string | null;
  /** Size of the headers, bytes; 0 for PUB. */
  readonly headerBytes: number;
  /** Size of headers and payload together, bytes, without the CR LF behind them. */
  readonly size: number;
  /**
   * Only in messages of other brokers: the queue groups of which this broker chooses one member each. Messages of clients go to all groups.
   */
  readonly queues?: readonly string[] | undefined;
}
