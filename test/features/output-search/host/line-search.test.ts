import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PatternRefused } from "../../../../src/base/patterns/linear-regex.ts";
import { stripEscapes } from "../../../../src/daemon/output/escape-sequences.ts";
import { withoutEscapes } from "../../../../src/daemon/output/strip-escapes.ts";
import { type LineHit, LineSearch, type LineSearchSizes } from "../../../../src/features/output-search/host/worker/line-search.ts";
import { createMatcher, type Pattern } from "../../../../src/features/output-search/host/worker/matcher.ts";

const plain = (pattern: string): Pattern => ({ pattern, isRegex: false, ignoresCase: false });
const SMALL: LineSearchSizes = { maxLine: 4_096, overlap: 64, chunk: 16 };

/** Searches bytes that come in pieces of the given lengths, and the rest. */
function search(bytes: Buffer, pattern: Pattern, { cuts = [], context = 0, sizes = SMALL }: Partial<SearchOptions> = {}): LineHit[] {
  const hits: LineHit[] = [];
  const lines = new LineSearch({ matcher: createMatcher(pattern), context, onHit: (hit) => hits.push(hit), sizes });
  let at = 0;
  for (const length of [...cuts, bytes.length]) {
    lines.write(bytes.subarray(at, at + length));
    at += length;
  }
  lines.end();
  return hits;
}

interface SearchOptions {
  readonly cuts: readonly number[];
  readonly context: number;
  readonly sizes: LineSearchSizes;
}

/** The lines of a whole output as a person reads them, and where they begin. */
function linesOf(bytes: Buffer): { text: string; position: number }[] {
  const lines: { text: string; position: number }[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    // Bytes are compared as Latin-1: an escape sequence may stand in a character.
    const stripped = stripEscapes(bytes.toString("latin1", start, end));
    // Bytes after the last line end are a line if they have text: many programs end with a sequence that resets colours.
    if (newline < 0 && stripped === "") break;
    const text = stripped.replace(/\r$/, "");
    lines.push({ text: Buffer.from(text, "latin1").toString(), position: start });
    start = end + 1;
  }
  return lines;
}

const PIECES = [
  "a",
  "b",
  "needle",
  "NEEDLE",
  "ned",
  "ä",
  "🚀",
  "\n",
  "\r\n",
  "\r",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b",
  "\x1b]0;title\x07",
  "\x1b[",
  "\x1b]x",
];
const output = fc
  .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PIECES) }, fc.uint8Array({ maxLength: 3 })), { maxLength: 60 })
  .map((pieces) => Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece)))));
const cuts = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 20 });

describe("the search of lines", () => {
  test.each([
    ["plain text", plain("needle"), (line: string) => line.includes("needle")],
    ["plain text of either case", { ...plain("needle"), ignoresCase: true }, (line: string) => line.toLowerCase().includes("needle")],
    ["text with letters beyond ASCII", { ...plain("Ä"), ignoresCase: true }, (line: string) => line.toLowerCase().includes("ä")],
    ["a regular expression", { pattern: "^n.*e$", isRegex: true, ignoresCase: false }, (line: string) => /^n[^\n]*e$/u.test(line)],
  ])("finds every line with %s once, wherever its bytes are cut", (_, pattern, matches) => {
    fc.assert(
      fc.property(output, cuts, (bytes, lengths) => {
        const expected = linesOf(bytes).filter(({ text }) => matches(text));
        const hits = search(bytes, pattern, { cuts: lengths });
        expect(hits.map(({ line, position }) => ({ text: line, position }))).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test("gives the lines before and after a hit, wherever the output is cut", () => {
    fc.assert(
      fc.property(output, cuts, fc.integer({ min: 1, max: 3 }), (bytes, lengths, context) => {
        const lines = linesOf(bytes).map(({ text }) => text);
        const expected = lines.flatMap((text, at) =>
          text.includes("needle")
            ? [{ before: lines.slice(Math.max(0, at - context), at), after: lines.slice(at + 1, at + 1 + context) }]
            : [],
        );
        const hits = search(bytes, plain("needle"), { cuts: lengths, context });
        expect(hits.map(({ before, after }) => ({ before, after }))).toEqual(expected);
      }),
    );
  });

  test("removes the escape sequences that the daemon's own reader of lines removes", () => {
    const control = fc.constantFrom("\x1b", "[", "]", "P", "0", "31", ";", "m", "K", "\x07", "\\", "(", "B", " ", "é", "\x01", "7", "^");
    fc.assert(
      fc.property(fc.array(control, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const bytes = Buffer.from(text);
        expect(withoutEscapes(bytes, Buffer.alloc(bytes.length)).bytes.toString()).toBe(stripEscapes(text));
      }),
      { numRuns: 20_000 },
    );
  });

  test("finds the lines that grep finds", () => {
    const text = Array.from({ length: 2_000 }, (_, n) => `${n} ${"x".repeat(n % 50)} tick ${n * 7}`).join("\n");
    const numbers = (args: string[]) => execFileSync("grep", args, { input: text, encoding: "utf8" }).trimEnd().split("\n");
    const found = (pattern: Pattern) => search(Buffer.from(text), pattern).map(({ line }) => line);
    expect(found(plain("77"))).toEqual(numbers(["-F", "77"]));
    expect(found({ ...plain("TICK 7"), ignoresCase: true })).toEqual(numbers(["-iF", "TICK 7"]));
    expect(found({ pattern: "^1[0-9]+ x+ tick (7|14)", isRegex: true, ignoresCase: false })).toEqual(
      numbers(["-E", "^1[0-9]+ x+ tick (7|14)"]),
    );
  });

  test("says where the match is, in a line with colours and wide characters", () => {
    const [hit] = search(Buffer.from("🚀 \x1b[32mar\x1b[0mm ok\r\n"), plain("arm"));
    expect(hit).toMatchObject({ line: "🚀 arm ok", match: [3, 6], is_cut: false });
  });

  test("the Kelvin sign is a k, and the long s an s, when the case is ignored", () => {
    const lines = Buffer.from("300 \u212a\nsecond\n\u017fecond\n");
    const found = (pattern: string) => search(lines, { ...plain(pattern), ignoresCase: true }).map(({ line }) => line);
    expect(found("300 k")).toEqual(["300 \u212a"]);
    expect(found("SECOND")).toEqual(["second", "\u017fecond"]);
  });

  test("a line that is longer than the memory is searched in pieces and reported once", () => {
    const line = `${"x".repeat(10_000)}needle${"y".repeat(9_000)}needle`;
    const hits = search(Buffer.from(`first\n${line}\nlast needle\n`), plain("needle"), { context: 1 });
    expect(hits.map(({ position, before, after }) => [position, before, after.map((each) => each.slice(0, 12))])).toEqual([
      [6, ["first"], ["last needle"]],
      [6 + line.length + 1, [line.slice(0, 1_024)], []],
    ]);
  });

  test("of a long line only the part around the match is shown", () => {
    const [hit] = search(Buffer.from(`${"é".repeat(20_000)}needle${"🚀".repeat(9_000)}`), plain("needle"), {
      sizes: { maxLine: 1_000_000, overlap: 64, chunk: 65_536 },
    });
    const [start, end] = hit?.match ?? [0, 0];
    expect(hit?.line.slice(start, end)).toBe("needle");
    expect(hit?.line.length).toBeLessThanOrEqual(4_096);
    expect(hit?.is_cut).toBe(true);
    expect(hit?.line).toSatisfy((line: string) => Buffer.from(line).toString() === line);
  });

  test("no more hits than wanted", () => {
    const hits: LineHit[] = [];
    const lines = new LineSearch({ matcher: createMatcher(plain("x")), context: 0, onHit: (hit) => hits.push(hit) });
    lines.hitsLeft = 3;
    lines.write(Buffer.from("x\n".repeat(100)));
    lines.end();
    expect(hits.length).toBe(3);
  });
});

describe("a pattern that is refused", () => {
  test.each([
    ["a(?=b)", "look-around: '(?='"],
    ["(?<!a)b", "look-around: '(?<!a)b'"],
    ["(a)\\1", "a back-reference: '\\1'"],
    ["a++", "a possessive quantifier: '++'"],
    ["(?>a)", "an atomic group: '(?>'"],
    ["x{5000}", "a repeat count that is too large: '{5000}'"],
    ["*", "a quantifier of a quantifier, or one without anything before it: '*'"],
    ["[", "missing closing ]"],
  ])("%s is refused with its name", (pattern, reason) => {
    const create = () => createMatcher({ pattern, isRegex: true, ignoresCase: false });
    expect(create).toThrow(PatternRefused);
    expect(create).toThrow(reason);
  });
});
