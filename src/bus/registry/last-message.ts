import { BorrowedMessage } from "../broker/borrowed-message.ts";
import { CRLF } from "../broker/broker-protocol.ts";
import type { ClientSubscription, Subscriber } from "../broker/broker-subscriber.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";

const NO_HEADERS = Buffer.from(`NATS/1.0${CRLF}${CRLF}`);
const MARK = Buffer.from(`Mgr-Last: 1${CRLF}${CRLF}`);
const LINE_END = Buffer.from(CRLF);

/** Approximate memory of a kept message beside its bytes, bytes. */
const OVERHEAD_BYTES = 256;

let made = 0;

/** The moment of the newest kept message; later messages have a higher one. */
export function lastMoment(): number {
  return made;
}

/** The newest message of a topic with `keep_last`, as a copy, because the buffers of a connection are large. */
export class LastMessage {
  readonly #subject: string;
  readonly #headers: Buffer;
  readonly #body: Buffer;
  readonly #publisher: Subscriber;
  /** Increases from one kept message to the next. */
  readonly moment: number;

  /** `moment` of a message that an earlier program kept. */
  constructor(
    publisher: Subscriber,
    { subject, headerBytes, size }: Pick<Envelope, "subject" | "headerBytes" | "size">,
    whole: Buffer,
    moment = made + 1,
  ) {
    this.#publisher = publisher;
    const copy = Buffer.allocUnsafeSlow(size);
    whole.copy(copy, 0, 0, size);
    this.#subject = subject;
    this.#headers = headerBytes === 0 ? NO_HEADERS : copy.subarray(0, headerBytes);
    this.#body = copy.subarray(headerBytes);
    this.moment = moment;
    made = Math.max(made, moment);
  }

  /** Its headers and payload, and the sizes of both. */
  get contents(): { headerBytes: number; pieces: readonly Buffer[]; size: number } {
    const pieces = this.#headers === NO_HEADERS ? [this.#body] : [this.#headers, this.#body];
    return {
      headerBytes: pieces.length === 1 ? 0 : this.#headers.length,
      pieces,
      size: pieces.reduce((sum, { length }) => sum + length, 0),
    };
  }

  /** Approximate memory of the message, bytes. */
  get bytes(): number {
    return this.#headers.length + this.#body.length + OVERHEAD_BYTES;
  }

  deliver(subscription: ClientSubscription): void {
    const { client } = subscription;
    this.send((envelope, message) => {
      if (client.link === null) client.deliver(subscription, envelope, message, this.#publisher);
      else client.link.send(envelope, [], message, this.#publisher);
    });
  }

  /** Sends the message with the header `Mgr-Last: 1`. */
  send(to: (envelope: Envelope, message: BorrowedMessage) => void): void {
    // Headers end with an empty line; the mark is inserted before it.
    const headers = Buffer.concat([this.#headers.subarray(0, this.#headers.length - CRLF.length), MARK]);
    const bytes = Buffer.concat([headers, this.#body, LINE_END]);
    const envelope = { subject: this.#subject, reply: null, headerBytes: headers.length, size: bytes.length - CRLF.length };
    to(envelope, new BorrowedMessage().of(bytes, 0, bytes.length));
  }
}
