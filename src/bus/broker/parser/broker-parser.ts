import { BorrowedMessage } from "../borrowed-message.ts";
import { CRLF, ERROR_TEXTS, ProtocolViolation } from "../broker-protocol.ts";
import type { BrokerOperations, Envelope } from "./broker-operations.ts";
import { ControlLine, expect } from "./control-line.ts";
import { executeLinkLine, readLinkedEnvelope } from "./link-line.ts";
import { QuickPublish } from "./quick-publish.ts";

export interface ParserLimits {
  readonly maxPayload: number;
  readonly maxControlLine: number;
}

const LF = 10;
const CR = 13;
/**
 * A message of at least this many bytes that is spread over chunks is passed on in pieces. Copying it costs 23 % more processor
 * time (bench/bus-throughput.ts, 64 KiB: 107 instead of 87 µs).
 */
const MIN_BY_PIECES_BYTES = 16 * 1024;
/** Maximum number of pieces; more are joined: each costs more than the bytes of a small one. */
const MAX_PIECES = 64;
/** Maximum length of a control line of a link, bytes: INFO, or LMSG with the names of its queue groups. */
const MAX_LINK_LINE_BYTES = 32 * 1024;

/**
 * Parses the byte stream of one client, wherever its chunks begin and end. A message within one chunk is passed on without a copy; every
 * other byte is copied once.
 */
export class BrokerParser {
  readonly #operations: BrokerOperations;
  readonly #limits: ParserLimits;
  /** A control line whose end has not arrived yet. */
  #line: Buffer | null = null;
  #lineLength = 0;
  /** Envelope of the message that follows next. */
  #envelope: Envelope | null = null;
  /** The message's bytes so far, if it is spread over chunks: the chunks, or a copy. */
  #pieces: Buffer[] = [];
  #message: Buffer | null = null;
  #messageLength = 0;
  readonly #lent = new BorrowedMessage();
  readonly #quick: QuickPublish;
  readonly #controlLine = new ControlLine();

  constructor(operations: BrokerOperations, limits: ParserLimits) {
    this.#operations = operations;
    this.#limits = limits;
    this.#quick = new QuickPublish(limits);
  }

  /** Number of held bytes of a message whose end has not arrived yet. */
  get heldBytes(): number {
    return this.#message?.length ?? this.#messageLength;
  }

  /** The bytes of an operation whose end has not arrived yet: a parser that reads them is where this one is. */
  pending(): Buffer[] {
    if (this.#line) return [this.#line.subarray(0, this.#lineLength)];
    if (!this.#envelope) return [];
    const head = Buffer.from(publishLine(this.#envelope), "latin1");
    return [head, ...(this.#message ? [this.#message.subarray(0, this.#messageLength)] : this.#pieces)];
  }

  /**
   * Reads at most one operation of `chunk` from `position` on and returns the position after it. Throws
   * `ProtocolViolation`; the stream cannot be read any further then.
   */
  step(chunk: Buffer, position: number): number {
    if (this.#envelope) return this.#readMessage(chunk, position, this.#envelope);
    if (!this.#line && this.#quick.read(chunk, position, this.#operations.link !== null)) return this.#publishQuick(chunk);
    const end = chunk.indexOf(LF, position);
    if (this.#line || end < 0) return this.#readPartOfLine(chunk, position, end);
    if (end - position > this.#maxLine) throw new ProtocolViolation(ERROR_TEXTS.controlLine);
    this.#execute(chunk, position, end);
    return end + 1;
  }

  #publishQuick(chunk: Buffer): number {
    const { envelope, body } = this.#quick;
    const length = envelope.size + 2;
    this.#operations.announce(envelope);
    this.#operations.publish(envelope, this.#lent.of(chunk, body, length));
    return body + length;
  }

  get #maxLine(): number {
    return this.#operations.link === null ? this.#limits.maxControlLine : MAX_LINK_LINE_BYTES;
  }

  #readPartOfLine(chunk: Buffer, position: number, end: number): number {
    const stop = end < 0 ? chunk.length : end;
    const length = this.#lineLength + stop - position;
    if (length > this.#maxLine) throw new ProtocolViolation(ERROR_TEXTS.controlLine);
    // Allocated in full size, so that a line that arrives byte by byte is not copied for each byte.
    const line = this.#line ?? Buffer.allocUnsafe(this.#maxLine);
    chunk.copy(line, this.#lineLength, position, stop);
    this.#line = end < 0 ? line : null;
    this.#lineLength = end < 0 ? length : 0;
    if (end < 0) return chunk.length;
    this.#execute(line, 0, length);
    return end + 1;
  }

  #readMessage(chunk: Buffer, position: number, envelope: Envelope): number {
    const needed = envelope.size + 2;
    if (this.#messageLength === 0 && chunk.length - position >= needed) {
      this.#publish(envelope, this.#lent.of(chunk, position, needed));
      return position + needed;
    }
    const taken = Math.min(chunk.length - position, needed - this.#messageLength);
    if (needed < MIN_BY_PIECES_BYTES || this.#message || this.#pieces.length === MAX_PIECES) this.#copy(chunk, position, needed);
    else this.#pieces.push(chunk.subarray(position, position + taken));
    this.#messageLength += taken;
    if (this.#messageLength === needed) {
      const [first, ...rest] = this.#message ? [this.#message] : this.#pieces;
      if (first) this.#publish(envelope, this.#lent.of(first, 0, needed, rest.length > 0 ? rest : null));
    }
    return position + taken;
  }

  #copy(chunk: Buffer, position: number, needed: number): void {
    if (!this.#message) {
      this.#message = Buffer.allocUnsafeSlow(needed);
      let at = 0;
      for (const piece of this.#pieces) at += piece.copy(this.#message, at);
      this.#pieces = [];
    }
    chunk.copy(this.#message, this.#messageLength, position);
  }

  #publish(envelope: Envelope, message: BorrowedMessage): void {
    this.#envelope = null;
    this.#message = null;
    this.#messageLength = 0;
    this.#pieces = [];
    expect(endsLine(message));
    this.#operations.publish(envelope, message);
  }

  /** Executes one control line, from `start` to its LF at `end`. */
  #execute(bytes: Buffer, start: number, end: number): void {
    const line = this.#controlLine;
    const { link } = this.#operations;
    if (link !== null) line.allowLinkWords();
    line.split(bytes, start, end);
    const { count } = line;
    const operation = count === 0 ? "" : line.word(0).toUpperCase();
    if (link !== null) {
      if (operation === "LMSG" || operation === "HMSG") this.#announce(operation === "HMSG", readLinkedEnvelope);
      else if (operation === "PING") this.#operations.ping();
      else if (operation === "PONG") this.#operations.pong();
      else if (!executeLinkLine(link, operation, line)) throw new ProtocolViolation(ERROR_TEXTS.unknownOperation);
      return;
    }
    switch (operation) {
      case "PUB":
      case "HPUB":
        this.#announce(operation === "HPUB", readEnvelope);
        break;
      case "SUB":
        expect(count === 3 || count === 4);
        this.#operations.subscribe(line.word(1), count === 4 ? line.word(2) : null, line.word(count - 1));
        break;
      case "UNSUB":
        expect(count === 2 || count === 3);
        this.#operations.unsubscribe(line.word(1), count === 3 ? line.number(2) : 0);
        break;
      case "PING":
        this.#operations.ping();
        break;
      case "PONG":
        this.#operations.pong();
        break;
      case "CONNECT":
        this.#operations.connect(line.rest());
        break;
      default:
        throw new ProtocolViolation(ERROR_TEXTS.unknownOperation);
    }
  }

  /** Announces the message that follows. */
  #announce(withHeaders: boolean, read: typeof readEnvelope): void {
    const line = this.#controlLine;
    expect(!line.isTooLong);
    const end = line.count - (withHeaders ? 2 : 1);
    const size = line.number(line.count - 1);
    const headerBytes = withHeaders ? line.number(end) : 0;
    const envelope = read(line, headerBytes, size, end);
    if (size > this.#limits.maxPayload) throw new ProtocolViolation(ERROR_TEXTS.payload);
    expect(headerBytes <= size);
    this.#operations.announce(envelope);
    this.#envelope = envelope;
  }
}

/** `PUB subject [reply] size` or `HPUB subject [reply] header-size size`; the sizes begin at the word `end`. */
function readEnvelope(line: ControlLine, headerBytes: number, size: number, end: number): Envelope {
  expect(end === 2 || end === 3);
  return { subject: line.word(1), reply: end === 3 ? line.word(2) : null, headerBytes, size };
}

function publishLine({ subject, reply, headerBytes, size }: Envelope): string {
  const to = reply === null ? subject : `${subject} ${reply}`;
  return headerBytes === 0 ? `PUB ${to} ${size}${CRLF}` : `HPUB ${to} ${headerBytes} ${size}${CRLF}`;
}

/** Whether the last two bytes are CR LF, in whichever pieces they are. */
function endsLine({ bytes, start, length, rest }: BorrowedMessage): boolean {
  if (rest === null) return bytes[start + length - 2] === CR && bytes[start + length - 1] === LF;
  const last = rest[rest.length - 1] as Buffer;
  const before = last.length > 1 ? last : (rest[rest.length - 2] ?? bytes);
  return last[last.length - 1] === LF && before[before.length - (last.length > 1 ? 2 : 1)] === CR;
}
