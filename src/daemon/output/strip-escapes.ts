const ESCAPE = 0x1b;
const BELL = 0x07;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;

/** Bytes without escape sequences, and where they stand in the original. */
export class StrippedText {
  readonly bytes: Buffer;
  /** Pairs: from this position of `bytes` on, the original continues at that position. Ascending. */
  readonly #continued: readonly number[];

  constructor(bytes: Buffer, continued: readonly number[]) {
    this.bytes = bytes;
    this.#continued = continued;
  }

  /** Position in the original of the line that begins at `start`: before the escape sequences at its beginning. */
  originOfLine(start: number): number {
    return start === 0 ? 0 : this.#originOf(start - 1) + 1;
  }

  #originOf(position: number): number {
    const continued = this.#continued;
    let low = 0;
    let high = continued.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((continued[2 * middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? position : (continued[2 * low - 1] ?? 0) + position - (continued[2 * low - 2] ?? 0);
  }
}

/**
 * Removes escape sequences as `stripEscapes` of the daemon does (escape-sequences.ts), line by line: a sequence that does not
 * end in its line ends with the line. `target` has room for all bytes of `raw` and receives those that stay.
 */
export function withoutEscapes(raw: Buffer, target: Buffer): StrippedText {
  let at = raw.indexOf(ESCAPE);
  if (at < 0) return new StrippedText(raw, []);
  const continued: number[] = [];
  let from = 0;
  let length = 0;
  while (at >= 0) {
    const end = sequenceEnd(raw, at);
    if (end > at) {
      length += raw.copy(target, length, from, at);
      continued.push(length, end);
      from = end;
    }
    at = raw.indexOf(ESCAPE, Math.max(end, at + 1));
  }
  length += raw.copy(target, length, from);
  return new StrippedText(target.subarray(0, length), continued);
}

/** The end of the sequence that begins with the escape character at `at`; `at`: none begins there. */
function sequenceEnd(bytes: Buffer, at: number): number {
  const kind = byteAt(bytes, at + 1);
  if (kind === NEWLINE) return at + 1;
  if (kind === 0x5b) return controlSequenceEnd(bytes, at);
  if (kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f) return stringEnd(bytes, at);
  if (isWithin(kind, 0x20, 0x2f)) return shortEnd(bytes, at);
  return isWithin(kind, 0x30, 0x7e) ? at + 2 : at;
}

/** CSI: parameters, intermediate bytes and a final one. */
function controlSequenceEnd(bytes: Buffer, at: number): number {
  let end = at + 2;
  while (isWithin(byteAt(bytes, end), 0x30, 0x3f)) end++;
  while (isWithin(byteAt(bytes, end), 0x20, 0x2f)) end++;
  const last = byteAt(bytes, end);
  if (last === NEWLINE) return end;
  return isWithin(last, 0x40, 0x7e) ? end + 1 : at;
}

/** OSC and other strings, up to BEL or ST. */
function stringEnd(bytes: Buffer, at: number): number {
  let end = at + 2;
  for (;;) {
    const byte = byteAt(bytes, end);
    if (byte === NEWLINE) return end;
    if (byte === BELL) return end + 1;
    if (byte === ESCAPE) return byteAt(bytes, end + 1) === BACKSLASH ? end + 2 : at;
    end++;
  }
}

function shortEnd(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (isWithin(byteAt(bytes, end), 0x20, 0x2f)) end++;
  const last = byteAt(bytes, end);
  if (last === NEWLINE) return end;
  return isWithin(last, 0x30, 0x7e) ? end + 1 : at;
}

/** The end of the bytes counts as the end of a line. */
const byteAt = (bytes: Buffer, at: number): number => bytes[at] ?? NEWLINE;
const isWithin = (byte: number, first: number, last: number): boolean => byte >= first && byte <= last;
