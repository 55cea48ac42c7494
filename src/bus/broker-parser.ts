import { ERROR_TEXTS, ProtocolViolation } from "./broker-protocol.ts";

/** What a client can ask for. Subjects, queues and ids hold the bytes of the wire as latin1 characters. */
export interface BrokerOperations {
  connect(json: string): void;
  ping(): void;
  pong(): void;
  subscribe(subject: string, queue: string | null, sid: string): void;
  /** `max` 0: at once; else after that many messages since the subscription began. */
  unsubscribe(sid: string, max: number): void;
  /** A message of this envelope is about to come; what is thrown refuses it. */
  announce(envelope: Envelope): void;
  /** `message` ends with CR LF and is only lent: copy what is to be kept. Its first `headerBytes` are headers. */
  publish(envelope: Envelope, message: Buffer): void;
}

/** What PUB or HPUB says about the message that follows. */
export interface Envelope {
  readonly subject: string;
  readonly reply: string | null;
  /** 0 for PUB. */
  readonly headerBytes: number;
  /** Headers and payload together, without the CR LF behind them. */
  readonly size: number;
}

export interface ParserLimits {
  readonly maxPayload: number;
  readonly maxControlLine: number;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;
/** The operation and its arguments: HPUB has four. */
const MAX_WORDS = 5;
const DIGITS = /^\d{1,10}$/;

/**
 * Takes the byte stream of one client apart, however it was cut. A message that came in one piece is lent out as part
 * of its chunk; every other byte is copied once.
 */
export class BrokerParser {
  readonly #operations: BrokerOperations;
  readonly #limits: ParserLimits;
  /** A control line whose end has not come yet. */
  #line: Buffer | null = null;
  #lineLength = 0;
  /** The message that has to follow now. */
  #envelope: Envelope | null = null;
  /** Its bytes so far, when it is spread over chunks. */
  #message: Buffer | null = null;
  #messageLength = 0;
  /** Where the words of the present line begin and end. */
  readonly #words = new Int32Array(2 * MAX_WORDS);

  constructor(operations: BrokerOperations, limits: ParserLimits) {
    this.#operations = operations;
    this.#limits = limits;
  }

  /**
   * Reads at most one operation of `chunk` from `position` on and returns the position after it. Throws
   * `ProtocolViolation`; the stream cannot be read any further then.
   */
  step(chunk: Buffer, position: number): number {
    if (this.#envelope) return this.#takeMessage(chunk, position, this.#envelope);
    const end = chunk.indexOf(LF, position);
    if (this.#line || end < 0) return this.#takePartOfLine(chunk, position, end);
    if (end - position > this.#limits.maxControlLine) throw new ProtocolViolation(ERROR_TEXTS.controlLine);
    this.#execute(chunk, position, end);
    return end + 1;
  }

  #takePartOfLine(chunk: Buffer, position: number, end: number): number {
    const stop = end < 0 ? chunk.length : end;
    const length = this.#lineLength + stop - position;
    if (length > this.#limits.maxControlLine) throw new ProtocolViolation(ERROR_TEXTS.controlLine);
    // Of the greatest size at once: a line that comes byte by byte is not copied again for each.
    const line = this.#line ?? Buffer.allocUnsafe(this.#limits.maxControlLine);
    chunk.copy(line, this.#lineLength, position, stop);
    this.#line = end < 0 ? line : null;
    this.#lineLength = end < 0 ? length : 0;
    if (end < 0) return chunk.length;
    this.#execute(line, 0, length);
    return end + 1;
  }

  #takeMessage(chunk: Buffer, position: number, envelope: Envelope): number {
    const needed = envelope.size + 2;
    if (!this.#message && chunk.length - position >= needed) {
      this.#publish(envelope, chunk.subarray(position, position + needed));
      return position + needed;
    }
    this.#message ??= Buffer.allocUnsafeSlow(needed);
    const taken = chunk.copy(this.#message, this.#messageLength, position);
    this.#messageLength += taken;
    if (this.#messageLength === needed) this.#publish(envelope, this.#message);
    return position + taken;
  }

  #publish(envelope: Envelope, message: Buffer): void {
    this.#envelope = null;
    this.#message = null;
    this.#messageLength = 0;
    expect(message[envelope.size] === CR && message[envelope.size + 1] === LF);
    this.#operations.publish(envelope, message);
  }

  /** One control line, from `start` to its LF at `end`. */
  #execute(bytes: Buffer, start: number, end: number): void {
    const stop = end > start && bytes[end - 1] === CR ? end - 1 : end;
    const count = this.#split(bytes, start, stop);
    switch (count === 0 ? "" : this.#word(bytes, 0).toUpperCase()) {
      case "PUB":
        this.#announce(bytes, count, false);
        break;
      case "HPUB":
        this.#announce(bytes, count, true);
        break;
      case "SUB":
        expect(count === 3 || count === 4);
        this.#operations.subscribe(this.#word(bytes, 1), count === 4 ? this.#word(bytes, 2) : null, this.#word(bytes, count - 1));
        break;
      case "UNSUB":
        expect(count === 2 || count === 3);
        this.#operations.unsubscribe(this.#word(bytes, 1), count === 3 ? this.#number(bytes, 2) : 0);
        break;
      case "PING":
        this.#operations.ping();
        break;
      case "PONG":
        this.#operations.pong();
        break;
      case "CONNECT":
        this.#operations.connect(bytes.toString("utf8", this.#words[1], stop).trim());
        break;
      default:
        throw new ProtocolViolation(ERROR_TEXTS.unknownOperation);
    }
  }

  /** `PUB subject [reply] size` or `HPUB subject [reply] header-size size`: the message follows. */
  #announce(bytes: Buffer, count: number, withHeaders: boolean): void {
    const numbers = withHeaders ? 2 : 1;
    expect(count === 2 + numbers || count === 3 + numbers);
    const size = this.#number(bytes, count - 1);
    const headerBytes = withHeaders ? this.#number(bytes, count - 2) : 0;
    if (size > this.#limits.maxPayload) throw new ProtocolViolation(ERROR_TEXTS.payload);
    expect(headerBytes <= size);
    const envelope = { subject: this.#word(bytes, 1), reply: count === 3 + numbers ? this.#word(bytes, 2) : null, headerBytes, size };
    this.#operations.announce(envelope);
    this.#envelope = envelope;
  }

  /** Fills `#words` and returns how many there are, at most one more than fit. */
  #split(bytes: Buffer, start: number, stop: number): number {
    const words = this.#words;
    let count = 0;
    let position = start;
    for (;;) {
      while (position < stop && (bytes[position] === SPACE || bytes[position] === TAB)) position++;
      if (position >= stop) return count;
      if (count === MAX_WORDS) return count + 1;
      words[2 * count] = position;
      while (position < stop && bytes[position] !== SPACE && bytes[position] !== TAB) position++;
      words[2 * count + 1] = position;
      count++;
    }
  }

  #word(bytes: Buffer, index: number): string {
    return bytes.toString("latin1", this.#words[2 * index], this.#words[2 * index + 1]);
  }

  #number(bytes: Buffer, index: number): number {
    const text = this.#word(bytes, index);
    expect(DIGITS.test(text));
    return Number(text);
  }
}

function expect(condition: boolean): void {
  if (!condition) throw new ProtocolViolation(ERROR_TEXTS.parser);
}
