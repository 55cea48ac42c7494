import type { BorrowedMessage } from "../borrowed-message.ts";

/** What a client can ask for. Subjects, queues and ids hold the bytes of the wire as latin1 characters. */
export interface BrokerOperations {
  connect(json: string): void;
  ping(): void;
  pong(): void;
  subscribe(subject: string, queue: string | null, sid: string): void;
  /** `max` 0: at once; else after that many messages since the subscription began. */
  unsubscribe(sid: string, max: number): void;
  /** A message with this envelope follows; throwing refuses it. */
  announce(envelope: Envelope): void;
  /** Both are valid only during the call: copy what must be kept. The first `headerBytes` of the message are headers. */
  publish(envelope: Envelope, message: BorrowedMessage): void;
  /** The other side is another broker and uses the operations of a leaf node; null: it is a client. */
  readonly link: LinkOperations | null;
}

/** What another broker can ask for; its messages come by `announce` and `publish`. */
export interface LinkOperations {
  /** It wants this subject, or has `weight` members of the queue group. Repeated when the weight changes. */
  interest(subject: string, queue: string | null, weight: number): void;
  disinterest(subject: string, queue: string | null): void;
  /** INFO, -ERR or +OK, and the text after it. */
  told(word: string, text: string): void;
}

/** What PUB or HPUB says about the message that follows. */
export interface Envelope {
  readonly subject: string;
  readonly reply: string | null;
  /** 0 for PUB. */
  readonly headerBytes: number;
  /** Headers and payload together, without the CR LF behind them. */
  readonly size: number;
  /**
   * Only in messages of other brokers: the queue groups of which this broker chooses one member each. Messages of clients go to all groups.
   */
  readonly queues?: readonly string[] | undefined;
}
