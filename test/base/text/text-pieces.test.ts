import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PIECE_CHARACTERS, textPieces } from "../../../src/base/text/text-pieces.ts";

const MAX = MAX_PIECE_CHARACTERS;

describe("text in pieces", () => {
  it.each([
    ["", []],
    ["x", [1]],
    ["x".repeat(MAX), [MAX]],
    ["x".repeat(MAX + 1), [MAX, 1]],
    ["😀".repeat(MAX), [MAX, MAX]],
    [`x${"😀".repeat(MAX / 2)}`, [MAX - 1, 2]],
    // Halves without the other one.
    [`${"x".repeat(MAX - 1)}\ud83dx`, [MAX, 1]],
    [`${"x".repeat(MAX)}\ude00`, [MAX, 1]],
  ])("case %#", (text, lengths) => {
    const pieces = [...textPieces(text)];
    expect(pieces.map(({ length }) => length)).toEqual(lengths);
    expect(pieces.join("")).toBe(text);
  });

  it("survives UTF-8 piece by piece, whatever it is made of", () => {
    const part = fc.record({
      text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
      times: fc.integer({ min: 1, max: 4_000 }),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const text = parts.map(({ text, times }) => text.repeat(times)).join("");
        const pieces = [...textPieces(text)];
        expect(pieces.map((piece) => Buffer.from(piece).toString()).join("")).toBe(text);
        for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(64 * 1024);
      }),
      { interruptAfterTimeLimit: 3_000, numRuns: 100 },
    );
  });
});
