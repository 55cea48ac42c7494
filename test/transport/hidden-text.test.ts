import fc from "fast-check";
import { expect, test } from "vitest";
import { HiddenText } from "../../src/transport/hidden-text.ts";

test.each([
  ["a hidden name in quotes", "'vault/a' failed", "'(hidden)' failed"],
  ["the longest of several names", "vault/a/b and vault/a", "(hidden) and (hidden)"],
  ["names at both ends", "vault/a: vault", "(hidden): (hidden)"],
  ["a name that is followed by a slash", "vault/unknown", "(hidden)/unknown"],
  ["a name with blanks and signs", "the +x y+ is silent", "the (hidden) is silent"],
  ["names that overlap", "one two three", "(hidden)"],
  ["a name that is repeated", "vault vault,vault", "(hidden) (hidden),(hidden)"],
])("%s", (_title, text, expected) => {
  expect(new HiddenText(["vault", "vault/a", "vault/a/b", "+x y+", "one two", "two three"]).replace(text)).toBe(expected);
});

test.each(["vaults", "a vault_2", "thevault", "sim/vault", "über", "", "VAULT"])("'%s' holds no hidden name", (text) => {
  expect(new HiddenText(["vault", "ber"]).replace(text)).toBe(text);
});

test("without hidden names a text stays as it is", () => {
  expect(new HiddenText([]).replace("'vault/a' failed")).toBe("'vault/a' failed");
});

/** Whether a name stands in a text as a word. */
function holds(text: string, name: string): boolean {
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (text[at - 1] !== "/" && !isWord(text[at - 1]) && !isWord(text[at + name.length])) return true;
  return false;
}

test("whatever names and texts are, no hidden name is left, and a text without one stays as it is", () => {
  const words = fc.string({ unit: fc.constantFrom("a", "b", "ä", "_", " ", "/", "-", "'"), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), fc.array(words, { maxLength: 8 }), (names, parts) => {
      const text = parts.join("");
      const replaced = new HiddenText(names).replace(text);
      const isHeld = names.some((name) => holds(text, name));
      expect(replaced !== text).toBe(isHeld);
      // A placeholder makes new neighbours: what is left is examined piece by piece.
      let end = 0;
      for (const piece of replaced.split("(hidden)")) {
        const at = text.indexOf(piece, end);
        expect(at).toBeGreaterThanOrEqual(end);
        end = at + piece.length;
      }
    }),
    { numRuns: 2_000 },
  );
});
