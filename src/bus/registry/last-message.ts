import { BorrowedMessage } from "../broker/borrowed-message.ts";
import { CRLF } from "../broker/broker-protocol.ts";
import type { ClientSubscription } from "../broker/broker-subscriber.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";

const NO_HEADERS = Buffer.from(`NATS/1.0${CRLF}${CRLF}`);
const MARK = Buffer.from(`Mgr-Last: 1${CRLF}${CRLF}`);
const LINE_END = Buffer.from(CRLF);

/** The newest message of a topic with `keep_last`, as a copy, because the buffers of a connection are large. */
export class LastMessage {
  readonly #subject: string;
  readonly #headers: Buffer;
  readonly #body: Buffer;

  constructor({ subject, headerBytes, size }: Envelope, message: BorrowedMessage) {
    const copy = Buffer.from(message.whole().subarray(0, size));
    this.#subject = subject;
    this.#headers = headerBytes === 0 ? NO_HEADERS : copy.subarray(0, headerBytes);
    this.#body = copy.subarray(headerBytes);
  }

  deliver(subscription: ClientSubscription): void {
    const { client } = subscription;
    this.send((envelope, message) => {
      if (client.link === null) client.deliver(subscription, envelope, message);
      else client.link.send(envelope, [], message);
    });
  }

  /** With the header `Mgr-Last: 1`. */
  send(to: (envelope: Envelope, message: BorrowedMessage) => void): void {
    // Headers end with an empty line; the mark is inserted before it.
    const headers = Buffer.concat([this.#headers.subarray(0, this.#headers.length - CRLF.length), MARK]);
    const bytes = Buffer.concat([headers, this.#body, LINE_END]);
    const envelope = { subject: this.#subject, reply: null, headerBytes: headers.length, size: bytes.length - CRLF.length };
    to(envelope, new BorrowedMessage().of(bytes, 0, bytes.length));
  }
}
