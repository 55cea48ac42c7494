import fc from "fast-check";
import { expect, it } from "vitest";
import { completeLength } from "../../../src/base/text/character-cut.ts";
import { anyText } from "../../support/any-text.ts";

const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Bytes that are mostly near-valid UTF-8: the interesting ones. */
const bytes = fc
  .array(
    fc.oneof(
      anyText().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
      fc.constantFrom(...["e280", "f09f98", "f0", "c3", "eda0", "f48f", "f490", "e0a0", "80"].map((hex) => Buffer.from(hex, "hex"))),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));

it("any bytes cut anywhere decode to what a streaming decoder makes of them", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(40), { maxLength: 6 }), (data, cuts) => {
      let text = "";
      let held = Buffer.alloc(0);
      const points = [...new Set(cuts.map((cut) => Math.min(cut, data.length)))].sort((a, b) => a - b);
      for (const [index, point] of [...points, data.length].entries()) {
        const start = index === 0 ? 0 : (points[index - 1] ?? 0);
        const available = Buffer.concat([held, data.subarray(start, point)]);
        const length = completeLength(available);
        text += decode(available.subarray(0, length));
        held = available.subarray(length);
        expect(held.length).toBeLessThanOrEqual(3);
      }
      expect(text + decode(held)).toBe(decode(data));
    }),
    { numRuns: 2_000 },
  );
});

it("a character of which bytes are missing is held back, an invalid byte is not", () => {
  expect(completeLength(Buffer.from("aé").subarray(0, 2))).toBe(1);
  expect(completeLength(Buffer.from("😀").subarray(0, 3))).toBe(0);
  expect(completeLength(Buffer.from([0x61, 0xff]))).toBe(2);
  expect(completeLength(Buffer.from([0xed, 0xa0]))).toBe(2);
});
