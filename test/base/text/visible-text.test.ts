import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible, visibleJson, visibleLines } from "../../../src/base/text/visible-text.ts";
import { ACTS_ON_TERMINAL } from "../../support/suites/untrusted-text.ts";

describe("untrusted text", () => {
  it.each([
    ["plain ASCII \\ text", "plain ASCII \\ text"],
    ["größe 日本 é 🙂 👩‍👩‍👧 می‌خواهم", "größe 日本 é 🙂 👩‍👩‍👧 می‌خواهم"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\x1b]0;title\x07\x7f\x9b31m\0", "\\x1b]0;title\\x07\\x7f\\x9b31m\\x00"],
    ["\u2028\u202e\u2066\u200e\u061c\ufeff\u200b", "\\u2028\\u202e\\u2066\\u200e\\u061c\\ufeff\\u200b"],
    ["\ud83d \ude00 \u{e0001}", "\\ud83d \\ude00 \\u{e0001}"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(visibleLines(text)).toBe(shown.replaceAll("\\n", "\n"));
    // What was shown once may be shown again.
    expect(visible(shown)).toBe(shown);
  });

  it("never acts on a terminal, and JSON keeps its meaning", () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0x80, max: 0x9f }),
      fc.integer({ min: 0x2000, max: 0x206f }),
    );
    const text = fc.array(unit, { maxLength: 40 }).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(text, (hostile) => {
        expect(visible(hostile)).not.toMatch(/\n/);
        for (const shown of [visible(hostile), visibleLines(hostile), visibleJson(JSON.stringify({ [hostile]: hostile }))])
          expect(shown).not.toMatch(ACTS_ON_TERMINAL);
        expect(JSON.parse(visibleJson(JSON.stringify({ [hostile]: hostile }, null, 2)))).toEqual({ [hostile]: hostile });
      }),
      { interruptAfterTimeLimit: 3_000, numRuns: 2_000 },
    );
  });
});
