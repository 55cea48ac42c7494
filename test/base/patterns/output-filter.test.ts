import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputFilter } from "../../../src/base/patterns/output-filter.ts";
import { ACTS_ON_TERMINAL } from "../../support/suites/untrusted-text.ts";

function filtered(...pieces: string[]): string {
  const filter = new OutputFilter();
  return pieces.map((piece) => filter.write(piece)).join("") + filter.end();
}

describe("output of a process on a terminal that is not its own", () => {
  it.each([
    ["text as it is", "größe 日本 🙂\r\n\tand 10%\r100%\b\n", "größe 日本 🙂\r\n\tand 10%\r100%\b\n"],
    ["colours, and their end", "\x1b[1;38:5:9mred", "\x1b[1;38:5:9mred\x1b[0m"],
    ["the erasing of a line", "50%\r\x1b[K100%", "50%\r\x1b[K100%"],
    ["no cursor, modes or screens", "a\x1b[2J\x1b[H\x1b[?1049h\x1b[10;20Hb\x1b[?25lc\x1b7\x1b[6 qd", "abcd"],
    ["no title, clipboard or colours of the terminal", "a\x1b]0;title\x07b\x1b]52;c;aGk=\x1b\\c\x1b]11;?\x07d", "abcd"],
    ["no questions", "a\x1b[6nb\x1b[cc\x1bP$qm\x1b\\d\x1bZe\x05f", "abcde\\x05f"],
    ["no sequences in one character", "a\x9b2Jb\x9d0;title\x9cc\x90x\x9cd\x84e", "abcd\\x84e"],
    ["no reset, no other character sets", "a\x1bcb\x1b(0c\x1b#8d", "abcd"],
    ["what is no sequence, visibly", "a\x1b\x07b\x1b[1\x00mc\x7f\x0b\u202e", "a\\x1b\\x07b\\x1b[1\\x00mc\\x7f\\x0b\\u202e"],
    ["a sequence that never ends, visibly", "a\x1b]0;title", "a\\x1b]0;title"],
  ])("%s", (_what, output, shown) => {
    expect(filtered(output)).toBe(shown);
    expect(filtered(...output)).toBe(shown);
  });

  it("does not wait for the end of a sequence for ever", () => {
    const filter = new OutputFilter();
    expect(filter.write(`\x1b]0;${"x".repeat(10_000)}`)).toBe(`\\x1b]0;${"x".repeat(10_000)}`);
    expect(filter.write("y")).toBe("y");
  });

  it("is the same however the output is cut, and never acts on the terminal", () => {
    const part = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom(..."\x1b[]P\\m?;0K\x07\x9b\x9d\x9c\r\n\b\x00\u202e", "\x1b[31m", "\x1b]0;t\x07", "\x1b\\", "🙂"),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const shown = filtered(parts.join(""));
        expect(filtered(...parts)).toBe(shown);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
        const rest = shown.replaceAll(/\x1b\[[\d;:]*m|\x1b\[[012]?K|[\r\t\b]/g, "");
        expect(rest).not.toMatch(ACTS_ON_TERMINAL);
      }),
      { interruptAfterTimeLimit: 3_000, numRuns: 5_000 },
    );
  });

  it("takes a time that grows with the output, whatever that is", () => {
    for (const unit of ["\x1b", "\x9d", "\x1b]", "\x1b[", "\x9b1;", "\x1b]0;x"]) {
      const filter = new OutputFilter();
      // Quadratic, this would take minutes.
      for (let n = 0; n < 4; n++) filter.write(unit.repeat(250_000));
      expect(filter.end()).not.toMatch(ACTS_ON_TERMINAL);
    }
  });
});
