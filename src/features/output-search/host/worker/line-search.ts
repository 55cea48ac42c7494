import { type StrippedText, withoutEscapes } from "../../../../daemon/output/strip-escapes.ts";
import type { Matcher } from "./matcher.ts";
import { type ShownLine, shownContext, shownLine } from "./shown-text.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Bytes of a hit's line by which the caller can recognize it elsewhere. */
const HEAD_BYTES = 64;

/** Sizes in bytes; tests choose small ones. */
export interface LineSearchSizes {
  /** Longest line that is searched as a whole; a longer one is searched in pieces. */
  readonly maxLine: number;
  /** The end of a piece is part of the next one, so that a match of up to this length is found on the border. */
  readonly overlap: number;
  /** Bytes read at once. */
  readonly chunk: number;
}

const SIZES: LineSearchSizes = { maxLine: 1024 * 1024, overlap: 4 * 1024, chunk: 1024 * 1024 };

/** A line that matches. */
export interface LineHit extends ShownLine {
  /** Position of the line's first byte in the stream. */
  readonly position: number;
  /** The line's first bytes as they are in the stream, as Latin-1. */
  readonly head: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface LineSearchOptions {
  readonly matcher: Matcher;
  /** Number of lines before and after a hit. */
  readonly context: number;
  readonly onHit: (hit: LineHit) => void;
  readonly sizes?: LineSearchSizes;
}

/** The line at the beginning of the memory. */
interface FirstLine {
  /** Stream position. */
  readonly start: number;
  readonly head: string;
  /** The lines before it. */
  readonly before: readonly string[];
  isReported: boolean;
}

/** A hit that waits for the lines after it. */
interface AwaitingHit {
  readonly hit: LineHit;
  readonly after: string[];
}

/** Searches a stream of bytes line by line. Lines may span any number of chunks; each is reported once. */
export class LineSearch {
  /** Number of further hits that are wanted. */
  hitsLeft = Number.POSITIVE_INFINITY;
  readonly #options: LineSearchOptions;
  readonly #sizes: LineSearchSizes;
  readonly #memory: Buffer;
  readonly #stripped: Buffer;
  /** Bytes at the beginning of the memory that wait for the rest of their line. */
  #length = 0;
  /** Stream position of the first byte of the memory. */
  #base = 0;
  /** The line that the memory begins in the middle of; null: it begins with a line. */
  #continued: FirstLine | null = null;
  /** The last lines before the memory. */
  #before: string[] = [];
  #awaiting: AwaitingHit[] = [];

  constructor(options: LineSearchOptions) {
    this.#options = options;
    this.#sizes = options.sizes ?? SIZES;
    this.#memory = Buffer.allocUnsafeSlow(this.#sizes.maxLine + this.#sizes.chunk);
    this.#stripped = Buffer.allocUnsafeSlow(this.#memory.length);
  }

  /** Begins another stream at `position`. */
  begin(position: number): void {
    this.end();
    this.#base = position;
    this.#before = [];
  }

  /** Buffer for the next bytes of the stream; `filled` is called after they were written. */
  get room(): Buffer {
    return this.#memory.subarray(this.#length, this.#length + this.#sizes.chunk);
  }

  filled(bytes: number): void {
    this.#length += bytes;
    const lines = this.#memory.subarray(0, this.#length).lastIndexOf(NEWLINE) + 1;
    if (lines > 0) this.#search(lines, lines);
    else if (this.#length >= this.#sizes.maxLine) this.#search(this.#length, this.#length - this.#sizes.overlap);
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const { room } = this;
      const piece = bytes.subarray(at, at + room.length);
      room.set(piece);
      this.filled(piece.length);
      at += piece.length;
    }
  }

  /** Bytes are missing here: the line before them ends. */
  skip(bytes: number): void {
    this.end();
    this.#base += bytes;
    this.#before = [];
  }

  /** The last line has no line end. */
  end(): void {
    if (this.#length > 0) this.#search(this.#length, this.#length);
    this.#continued = null;
    for (const { hit } of this.#awaiting.splice(0)) this.#options.onHit(hit);
  }

  /** Searches the first `length` bytes of the memory and drops the first `done`: all of them, unless they are a piece of a long line. */
  #search(length: number, done: number): void {
    const raw = this.#memory.subarray(0, length);
    const text = withoutEscapes(raw, this.#stripped);
    const first = this.#continued ?? { start: this.#base, head: headOf(raw, 0), before: this.#before, isReported: false };
    // The rest of a long line is no line of its own.
    const floor = this.#continued === null ? 0 : lineAt(text.bytes, 0).next;
    this.#completeAwaiting(text.bytes, floor);
    this.#searchLines({ text, raw, first, floor });
    this.#remember(text.bytes, floor);
    this.#continued = done < length ? first : null;
    this.#memory.copy(this.#memory, 0, done, this.#length);
    this.#length -= done;
    this.#base += done;
  }

  #searchLines(block: Block): void {
    const { matcher } = this.#options;
    const { bytes } = block.text;
    matcher.begin(bytes);
    for (let from = 0; from < bytes.length && this.hitsLeft > 0; ) {
      const at = matcher.next(from);
      if (at < 0) return;
      const start = at > from ? Math.max(from, bytes.lastIndexOf(NEWLINE, at - 1) + 1) : from;
      const { end, next } = lineAt(bytes, at);
      const found = matcher.match(bytes.subarray(start, end));
      if (found !== null) this.#found({ shown: shownLine(found), start, next }, block);
      from = next;
    }
  }

  #found({ shown, start, next }: { shown: ShownLine; start: number; next: number }, { text, raw, first, floor }: Block): void {
    if (start === 0 && first.isReported) return;
    if (start === 0) first.isReported = true;
    this.hitsLeft--;
    const origin = text.originOfLine(start);
    const place = start === 0 ? { position: first.start, head: first.head } : { position: this.#base + origin, head: headOf(raw, origin) };
    const { context, onHit } = this.#options;
    if (context === 0) {
      onHit({ ...shown, ...place, before: [], after: [] });
      return;
    }
    const inText = linesBefore(text.bytes, { end: start, count: context, floor });
    const before = start === 0 ? first.before : [...this.#before, ...inText].slice(-context);
    const after: string[] = [];
    this.#awaiting.push({ hit: { ...shown, ...place, before, after }, after });
    takeLines(text.bytes, next, { lines: after, count: context });
    this.#reportComplete();
  }

  /** The first lines of the memory follow hits of before. */
  #completeAwaiting(bytes: Buffer, floor: number): void {
    for (const { after } of this.#awaiting) takeLines(bytes, floor, { lines: after, count: this.#options.context });
    this.#reportComplete();
  }

  #reportComplete(): void {
    for (;;) {
      const [first] = this.#awaiting;
      if (first === undefined || first.after.length < this.#options.context) return;
      this.#awaiting.shift();
      this.#options.onHit(first.hit);
    }
  }

  #remember(bytes: Buffer, floor: number): void {
    const { context } = this.#options;
    if (context > 0) this.#before = [...this.#before, ...linesBefore(bytes, { end: bytes.length, count: context, floor })].slice(-context);
  }
}

/** A part of the stream that is searched at once. */
interface Block {
  readonly text: StrippedText;
  readonly raw: Buffer;
  /** Its first line, which may have begun before it. */
  readonly first: FirstLine;
  /** Position of the first line that begins in it. */
  readonly floor: number;
}

function headOf(raw: Buffer, start: number): string {
  return raw.toString("latin1", start, Math.min(lineAt(raw, start).end, start + HEAD_BYTES));
}

/** The line that `at` stands in: where its text ends, and where the next line begins. */
function lineAt(bytes: Buffer, at: number): { end: number; next: number } {
  const newline = bytes.indexOf(NEWLINE, at);
  const end = newline < 0 ? bytes.length : newline;
  return { end: end > 0 && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end, next: newline < 0 ? bytes.length : newline + 1 };
}

/** Adds the lines from a place on until there are `count`. */
function takeLines(bytes: Buffer, from: number, { lines, count }: { lines: string[]; count: number }): void {
  for (let start = from; start < bytes.length && lines.length < count; ) {
    const { end, next } = lineAt(bytes, start);
    lines.push(shownContext(bytes.subarray(start, Math.max(start, end))));
    start = next;
  }
}

/** The last `count` lines between `floor` and `end`. */
function linesBefore(bytes: Buffer, { end, count, floor }: { end: number; count: number; floor: number }): string[] {
  const lines: string[] = [];
  for (let next = end; next > floor && lines.length < count; ) {
    const start = Math.max(floor, next < 2 ? 0 : bytes.lastIndexOf(NEWLINE, next - 2) + 1);
    lines.unshift(shownContext(bytes.subarray(start, Math.max(start, lineAt(bytes, start).end))));
    next = start;
  }
  return lines;
}
