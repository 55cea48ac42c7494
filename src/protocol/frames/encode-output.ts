import type { ManagerFrame } from "./frames.ts";

type OutputFields = Omit<Extract<ManagerFrame, { type: "process_output" }>, "type" | "output">;

/** Bytes that one byte becomes at most: `\u001b`. */
const LONGEST_ESCAPE = 6;
/** What output is joined to before it is sent, times the longest escape: longer texts get memory of their own. */
const SCRATCH_BYTES = 128 * 1024 * LONGEST_ESCAPE;
const BACKSLASH = 0x5c;
const HEX = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const utf8 = new TextEncoder();

/** By byte: 0 stands for itself, 1 becomes `\u00xx`, else the letter behind the backslash. */
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(1, 0, 0x20);
for (const [character, letter] of ['""', "\\\\", "\bb", "\tt", "\nn", "\ff", "\rr"]) ESCAPES[code(character)] = code(letter);

const scratch = new Uint8Array(SCRATCH_BYTES);

/**
 * The bytes of a `process_output` frame, the same that `encodeFrame` gives, from output that is valid UTF-8: terminal
 * output is by far the most that is sent, and decoding, escaping and encoding it costs three times as much as this.
 */
export function encodeOutput(output: Uint8Array, { name, offset, stream_id, skipped }: OutputFields): Uint8Array {
  const head = utf8.encode(`{"type":"process_output","name":${JSON.stringify(name)},"output":"`);
  const rest = skipped === undefined ? "" : `,"skipped":${skipped}`;
  const tail = utf8.encode(`","offset":${offset},"stream_id":${JSON.stringify(stream_id)}${rest}}`);
  const most = head.length + output.length * LONGEST_ESCAPE + tail.length;
  const target = most <= SCRATCH_BYTES ? scratch : new Uint8Array(most);
  target.set(head);
  const end = escapeInto(output, target, head.length);
  target.set(tail, end);
  return target.slice(0, end + tail.length);
}

/** Writes the inside of a JSON string; returns where it ends. Four bytes at once where none of them needs an escape. */
function escapeInto(source: Uint8Array, target: Uint8Array, start: number): number {
  const from = new DataView(source.buffer, source.byteOffset, source.length);
  const to = new DataView(target.buffer, target.byteOffset, target.length);
  let at = start;
  for (let index = 0; index < source.length; ) {
    if (index + 4 <= source.length) {
      const four = from.getInt32(index);
      if (!needsEscape(four)) {
        to.setInt32(at, four);
        at += 4;
        index += 4;
        continue;
      }
    }
    for (const end = Math.min(index + 4, source.length); index < end; index++) {
      const byte = source[index] ?? 0;
      const letter = ESCAPES[byte] ?? 0;
      if (letter === 0) target[at++] = byte;
      else {
        target[at++] = BACKSLASH;
        if (letter > 1) target[at++] = letter;
        else {
          target[at] = 0x75;
          target[at + 1] = 0x30;
          target[at + 2] = 0x30;
          target[at + 3] = HEX[byte >> 4] ?? 0;
          target[at + 4] = HEX[byte & 15] ?? 0;
          at += 5;
        }
      }
    }
  }
  return at;
}

/**
 * Whether one of four bytes is below 0x20, a quotation mark or a backslash: `x - n & ~x & 0x80` is set in the lowest byte
 * below n, and in none if there is none (Hacker's Delight, "Find first 0-byte"); bytes that are looked for become 0 by xor.
 */
function needsEscape(four: number): boolean {
  const quotes = four ^ 0x22222222;
  const backslashes = four ^ 0x5c5c5c5c;
  return (
    ((((four - 0x20202020) & ~four) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) !== 0
  );
}

function code(character: string | undefined): number {
  return character?.charCodeAt(0) ?? 0;
}
