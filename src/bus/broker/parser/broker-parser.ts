import { BorrowedMessage } from "../borrowed-message.ts";
import { ERROR_TEXTS, ProtocolViolation } from "../broker-protocol.ts";
import { QuickPublish } from "../quick-publish.ts";

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
  /** Both are valid only during the call: copy what must be kept. The first `headerBytes` of the message are headers. */
  publish(envelope: Envelope, message: BorrowedMessage): void;
  /** The other side is another broker, and says so in the words of a leaf node; null: it is a client. */
  readonly link: LinkOperations | null;
}

/** What another broker can ask for; its messages come by `announce` and `publish`. */
export interface LinkOperations {
  /** It wants this subject, or has `weight` members of the queue group. Repeated when the weight changes. */
  interest(subject: string, queue: string | null, weight: number): void;
  disinterest(subject: string, queue: string | null): void;
  /** INFO, -ERR or +OK, and what follows the word. */
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
  /** Of another broker's message: the queue groups of which this broker serves one member each. A client's goes to all groups. */
  readonly queues?: readonly string[] | undefined;
}

export interface ParserLimits {
  readonly maxPayload: number;
  readonly maxControlLine: number;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;
/**
 * A message of at least this many bytes that is spread over chunks is passed on in pieces. Copying it costs 23 % more processor
 * time (bench/bus-throughput.ts, 64 KiB: 107 instead of 87 µs).
 */
const BY_PIECES = 16 * 1024;
/** More pieces than this are joined: each costs more than the bytes of a small one. */
const MAX_PIECES = 64;
/** The operation and its arguments: HPUB has four; LMSG names queue groups. */
const MAX_WORDS = 5;
const MAX_LINK_WORDS = 512;
const NO_QUEUES: readonly string[] = [];
/** Longest control line of a link, bytes: INFO, or LMSG with the names of its queue groups. */
const MAX_LINK_LINE_BYTES = 32 * 1024;
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
  /** Its bytes so far, when it is spread over chunks: as they came, or copied. */
  #pieces: Buffer[] = [];
  #message: Buffer | null = null;
  #messageLength = 0;
  readonly #lent = new BorrowedMessage();
  readonly #quick: QuickPublish;
  /** Where the words of the present line begin and end. */
  #words = new Int32Array(2 * MAX_WORDS);
  #maxWords = MAX_WORDS;

  constructor(operations: BrokerOperations, limits: ParserLimits) {
    this.#operations = operations;
    this.#limits = limits;
    this.#quick = new QuickPublish(limits);
  }

  /**
   * Reads at most one operation of `chunk` from `position` on and returns the position after it. Throws
   * `ProtocolViolation`; the stream cannot be read any further then.
   */
  step(chunk: Buffer, position: number): number {
    if (this.#envelope) return this.#takeMessage(chunk, position, this.#envelope);
    if (!this.#line && this.#quick.read(chunk, position, this.#operations.link !== null)) return this.#publishQuick(chunk);
    const end = chunk.indexOf(LF, position);
    if (this.#line || end < 0) return this.#takePartOfLine(chunk, position, end);
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

  #takePartOfLine(chunk: Buffer, position: number, end: number): number {
    const stop = end < 0 ? chunk.length : end;
    const length = this.#lineLength + stop - position;
    if (length > this.#maxLine) throw new ProtocolViolation(ERROR_TEXTS.controlLine);
    // Of the greatest size at once: a line that comes byte by byte is not copied again for each.
    const line = this.#line ?? Buffer.allocUnsafe(this.#maxLine);
    chunk.copy(line, this.#lineLength, position, stop);
    this.#line = end < 0 ? line : null;
    this.#lineLength = end < 0 ? length : 0;
    if (end < 0) return chunk.length;
    this.#execute(line, 0, length);
    return end + 1;
  }

  #takeMessage(chunk: Buffer, position: number, envelope: Envelope): number {
    const needed = envelope.size + 2;
    if (this.#messageLength === 0 && chunk.length - position >= needed) {
      this.#publish(envelope, this.#lent.of(chunk, position, needed));
      return position + needed;
    }
    const taken = Math.min(chunk.length - position, needed - this.#messageLength);
    if (needed < BY_PIECES || this.#message || this.#pieces.length === MAX_PIECES) this.#copy(chunk, position, needed);
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

  /** One control line, from `start` to its LF at `end`. */
  #execute(bytes: Buffer, start: number, end: number): void {
    const stop = end > start && bytes[end - 1] === CR ? end - 1 : end;
    const { link } = this.#operations;
    if (link !== null) this.#allowLinkWords();
    const count = this.#split(bytes, start, stop);
    const word = count === 0 ? "" : this.#word(bytes, 0).toUpperCase();
    if (link !== null) {
      if (this.#executeLink(link, word, count, bytes, stop)) return;
      if (!["PING", "PONG"].includes(word)) throw new ProtocolViolation(ERROR_TEXTS.unknownOperation);
    }
    switch (word) {
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

  /** False for what is none of a link's own words. */
  #executeLink(link: LinkOperations, word: string, count: number, bytes: Buffer, stop: number): boolean {
    switch (word) {
      case "LMSG":
        this.#announceLinked(bytes, count, false);
        return true;
      case "HMSG":
        this.#announceLinked(bytes, count, true);
        return true;
      case "LS+":
        expect(count >= 2 && count <= 4);
        link.interest(this.#word(bytes, 1), count > 2 ? this.#word(bytes, 2) : null, count === 4 ? Math.max(1, this.#number(bytes, 3)) : 1);
        return true;
      case "LS-":
        expect(count === 2 || count === 3);
        link.disinterest(this.#word(bytes, 1), count === 3 ? this.#word(bytes, 2) : null);
        return true;
      case "INFO":
      case "-ERR":
      case "+OK":
        link.told(word, bytes.toString("utf8", this.#words[1], stop).trim());
        return true;
      default:
        return false;
    }
  }

  /** `LMSG subject [reply] size`, `LMSG subject | queue… size` or `LMSG subject + reply queue… size`; HMSG has two sizes. */
  #announceLinked(bytes: Buffer, count: number, withHeaders: boolean): void {
    const numbers = withHeaders ? 2 : 1;
    const end = count - numbers;
    expect(end >= 2 && count <= this.#maxWords);
    const size = this.#number(bytes, count - 1);
    const headerBytes = withHeaders ? this.#number(bytes, count - 2) : 0;
    if (size > this.#limits.maxPayload) throw new ProtocolViolation(ERROR_TEXTS.payload);
    expect(headerBytes <= size);
    const words = Array.from({ length: end - 2 }, (_, index) => this.#word(bytes, index + 2));
    const [mark] = words;
    const isMarked = mark === "|" || mark === "+";
    expect(isMarked ? words.length > (mark === "+" ? 2 : 1) : words.length <= 1);
    const reply = mark === "+" ? (words[1] ?? null) : isMarked ? null : (mark ?? null);
    const queues = isMarked ? words.slice(mark === "+" ? 2 : 1) : NO_QUEUES;
    const envelope = { subject: this.#word(bytes, 1), reply, headerBytes, size, queues };
    this.#operations.announce(envelope);
    this.#envelope = envelope;
  }

  #allowLinkWords(): void {
    if (this.#maxWords === MAX_LINK_WORDS) return;
    this.#maxWords = MAX_LINK_WORDS;
    this.#words = new Int32Array(2 * MAX_LINK_WORDS);
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
      if (count === this.#maxWords) return count + 1;
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

/** Whether the last two bytes are CR LF, in whichever pieces they are. */
function endsLine({ bytes, start, length, rest }: BorrowedMessage): boolean {
  if (rest === null) return bytes[start + length - 2] === CR && bytes[start + length - 1] === LF;
  const last = rest[rest.length - 1] as Buffer;
  const before = last.length > 1 ? last : (rest[rest.length - 2] ?? bytes);
  return last[last.length - 1] === LF && before[before.length - (last.length > 1 ? 2 : 1)] === CR;
}
