import fc from "fast-check";
import { expect, test } from "vitest";
import { expandText } from "../../../../src/config/load/expand-text.ts";
import { interpolate } from "../../../../src/features/import/cli/text/interpolation.ts";
import { Variables } from "../../../../src/features/import/cli/text/variables.ts";

const SCOPE = { environment: { SET: "set", EMPTY: "", BOTH: "outer" }, file: { FILE: "of .env", BOTH: "of .env", BRACE: "{a}" } };

/** The text after the import, as mgr expands it in an environment. */
function meaning(text: string, environment: Record<string, string>, scope = SCOPE): string {
  const variables = new Variables();
  const written = variables.written(interpolate(text, scope, variables).value);
  return expandText(written, (name) => {
    const define = variables.defines.get(name);
    return define === undefined ? environment[name] : expandText(define, (inner) => environment[inner]);
  });
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is how Docker Compose writes variables.
test.each([
  ["plain", "plain"],
  ["$SET and ${SET}", "set and set"],
  ["$$SET $${SET} $$$SET", "$SET ${SET} $set"],
  ["${MISSING}", ""],
  ["${MISSING:-a b}", "a b"],
  ["${MISSING-x}", "x"],
  ["${EMPTY:-x}", "x"],
  ["${SET:-x}", "set"],
  ["${MISSING:-${SET}}", "set"],
  ["${MISSING:-${ALSO:-deep}}!", "deep!"],
  ["${SET:?must}", "set"],
  ["${MISSING:?must}", ""],
  ["${MISSING?must}", ""],
  ["${SET:+alt}", "alt"],
  ["${EMPTY:+alt}", ""],
  ["${EMPTY+alt}", "alt"],
  ["${MISSING+alt}", ""],
  ["${FILE}", "of .env"],
  ["${FILE:-x}", "of .env"],
  ["${BOTH}", "outer"],
  ["${BRACE}", "{a}"],
  ["${MISSING:-$$5}", "$5"],
  ["$(id) $1 ${not-closed", "$(id) $1 ${not-closed"],
  ["a$$${SET}", "a$set"],
])("%j is %j in the imported configuration", (text, expected) => {
  expect(meaning(text, SCOPE.environment)).toBe(expected);
});

test("what is not the same as in the imported file is a guess", () => {
  const guesses = (text: string) => interpolate(text, SCOPE, new Variables()).guesses.map(({ name, why }) => `${name}: ${why}`);
  expect(guesses("${SET:-x} ${SET} $SET ${SET:?must}")).toEqual([]);
  expect(guesses("${A?must}")).toEqual(["A: it is required (must), and empty here if it is not set"]);
  expect(guesses("${A-x}")).toEqual(["A: ${A-…} keeps an empty value there; here the default also stands in for an empty one"]);
  expect(guesses("${A:+x}")).toEqual(["A: ${A:+…} has no counterpart; the text is what it means at the time of the import"]);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above.

test("a variable follows the environment of the manager, not that of the import", () => {
  expect(meaning("$SET:$FILE", { SET: "later", FILE: "wins" })).toBe("later:wins");
});

test("a text without variables keeps its meaning, whatever dollars and braces it has", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ab${}:!-]{0,20}$/), (text) => {
      expect(expandText(new Variables().written(text), (name) => expect.fail(`${name} would be expanded`))).toBe(text);
    }),
  );
});
