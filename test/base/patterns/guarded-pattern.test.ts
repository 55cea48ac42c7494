import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { GuardedPattern } from "../../../src/base/patterns/guarded-pattern.ts";
import { re2SyntaxOf } from "../../../src/base/patterns/re2-syntax.ts";

const EVIL = `${"a".repeat(60)}!`;

describe("an expression in the syntax of RE2", () => {
  const character = fc.constantFrom("a", "b", "A", "7", "_", " ", "\n", "\r", "\t", "é", "\u2028", "\ufeff", "😀", "-", ".", "]");
  const atom = fc.oneof(
    fc.constantFrom("a", "b", "7", "é", "😀", ".", "\\d", "\\w", "\\s", "\\S", "\\W", "\\b", "^", "$", "\\n", "\\t", "\\-", "\\.", "\\/"),
    fc.constantFrom("[ab]", "[^a]", "[a-z]", "[^\\s]", "[\\d_]", "[\\]é]", "[a-]", "[^]", "[\\u{61}-\\u{7a}]", "[\\b\\-]", "[.]"),
    fc.constantFrom("\\x41", "\\u00e9", "\\u{1f600}", "\\cJ", "\\0", "-", "\\]"),
  );
  const expression = fc.letrec((tie) => ({
    all: fc.oneof({ depthSize: "small" }, atom, tie("repeated"), tie("group"), tie("both"), tie("either")),
    repeated: fc
      .tuple(
        fc.oneof(fc.constantFrom("a", "b", ".", "\\w", "\\s", "[ab]"), tie("group")),
        fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?"),
      )
      .map((parts) => parts.join("")),
    group: fc.tuple(fc.constantFrom("(", "(?:", "(?<name>"), tie("all")).map(([open, inner]) => `${open}${inner})`),
    both: fc.tuple(tie("all"), tie("all")).map((parts) => parts.join("")),
    either: fc.tuple(tie("all"), tie("all")).map((parts) => parts.join("|")),
  })).all as fc.Arbitrary<string>;

  test("finds what JavaScript finds, at the same place", () => {
    let compared = 0;
    fc.assert(
      fc.property(expression, fc.array(character, { maxLength: 5 }), fc.constantFrom("u", "us"), (source, characters, flags) => {
        let own: RegExp;
        try {
          own = new RegExp(source, flags);
        } catch {
          // Such as two groups with one name.
          return;
        }
        const translated = re2SyntaxOf(own);
        if (translated === null) return;
        const text = characters.join("");
        const found = own.exec(text);
        const matcher = RE2JS.compile(translated).matcher(text);
        const other = matcher.find() ? [matcher.start(), matcher.end()] : null;
        // An empty repetition ends elsewhere in JavaScript: that it is found is all that counts.
        expect(other === null, `${source} in ${JSON.stringify(text)}`).toBe(found === null);
        compared++;
      }),
      { numRuns: 2_000 },
    );
    expect(compared).toBeGreaterThan(1_000);
  });

  test.each([/(?=a)/u, /\B/u, /(?<!a)b/u, /(a)\1/u, /(?<x>a)\k<x>/u, /\p{L}/u, /a/i, /^a/m, /[\S]/u, /a{1001}/u, /\ud83d/])(
    "is not there for %s, which RE2 does not have or means otherwise",
    (own) => {
      expect(re2SyntaxOf(own)).toBeNull();
    },
  );
});

describe("a guarded expression", () => {
  test("finds what the expression finds, with its groups", () => {
    const { match } = new GuardedPattern(/port (?<port>\d+)\n/).search(["no", "listens on port 8080\n"]);
    expect(match?.groups?.port).toBe("8080");
    expect(match?.index).toBe(11);
    expect(new GuardedPattern(/x\d+/).search(["a", "b"])).toEqual({ match: null, pauseMs: 0 });
  });

  test("that would not end is given up and searched by RE2 from then on", async () => {
    const pattern = new GuardedPattern(/(a+)+$/u);
    const first = pattern.search([EVIL]);
    expect(first.match).toBeUndefined();
    expect(first.pauseMs).toBeGreaterThan(0);
    await expect.poll(() => pattern.search([EVIL]).match, { timeout: 60_000 }).toBeNull();
    const { match } = pattern.search([`${EVIL}aab aa`]);
    expect([match?.[0], match?.[1], match?.index]).toEqual(["aa", "aa", EVIL.length + 4]);
  });

  test("that RE2 does not have is given up each time, and works on other text", () => {
    const pattern = new GuardedPattern(/^(?!b)(a+)+$/u);
    for (let time = 0; time < 2; time++) expect(pattern.search([EVIL]).match).toBeUndefined();
    expect(pattern.search(["aaa"]).match?.[0]).toBe("aaa");
  });
});
