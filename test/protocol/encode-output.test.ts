import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrame } from "../../src/protocol/frames/encode.ts";
import { encodeOutput } from "../../src/protocol/frames/encode-output.ts";

const fields = fc.record(
  { name: fc.string({ unit: "binary" }), offset: fc.maxSafeNat(), stream_id: fc.string(), skipped: fc.nat() },
  { requiredKeys: ["name", "offset", "stream_id"] },
);
/** Terminal output in small: lines, escape sequences, quotes, characters of one to four bytes. */
const output = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\r\n", "\u001b[32m", '"', "\\", "\t", "\u007f", "a", "plain text "),
    fc.string({ unit: "binary", maxLength: 3 }),
  ),
  maxLength: 400,
});
type Fields = Parameters<typeof encodeOutput>[1];
const reference = (text: string, { name, ...more }: Fields) => encodeFrame({ type: "process_output", name, output: text, ...more });
const inOrder = ({ name, offset, stream_id, skipped }: Fields): Fields => ({
  name,
  offset,
  stream_id,
  ...(skipped === undefined ? {} : { skipped }),
});
const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test("output that is encoded from its bytes is the frame that is encoded from its text", () => {
  fc.assert(
    fc.property(output, fields, (text, more) => {
      expect(decode(encodeOutput(Buffer.from(text), more))).toBe(reference(text, inOrder(more)));
    }),
    { numRuns: 500 },
  );
});

test("each byte is escaped as it has to be at each place of a word", () => {
  const more = { name: "p", offset: 1, stream_id: "s" };
  for (let byte = 0; byte < 0x80; byte++) {
    for (let place = 0; place < 8; place++) {
      const text = `${"x".repeat(place)}${String.fromCharCode(byte)}${"y".repeat(7 - place)}`;
      expect(decode(encodeOutput(Buffer.from(text), more))).toBe(reference(text, more));
    }
  }
});

test("a frame is not changed by the next one, and may be of any length", () => {
  const more = { name: "p", offset: 1, stream_id: "s" };
  const first = encodeOutput(Buffer.from("first"), more);
  const long = "\u0001".repeat(300_000);
  expect(JSON.parse(decode(encodeOutput(Buffer.from(long), more)))).toEqual({ type: "process_output", output: long, ...more });
  expect(JSON.parse(decode(first))).toMatchObject({ output: "first" });
});
