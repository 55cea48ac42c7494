import fc from "fast-check";
import { expect, test } from "vitest";
import { parseIni } from "../../../../src/features/import/cli/kinds/supervisord/ini.ts";
import { ImportFailure, UnfitValue } from "../../../../src/features/import/cli/model/failure.ts";
import { splitWords } from "../../../../src/features/import/cli/text/words.ts";
import { judged } from "./python.ts";

// Python's own modules judge what supervisord and Docker Compose read with them.

const CONFIGPARSER = `
import configparser
def judge(text):
  parser = configparser.RawConfigParser(inline_comment_prefixes=(";", "#"), strict=False)
  try: parser.read_string(text)
  except configparser.Error: return None
  return [[name, [list(item) for item in parser.items(name)]] for name in parser.sections()]
`;
const SHLEX = `
import shlex
def judge(text):
  try: return shlex.split(text)
  except ValueError: return None
`;

/** The result, or null if the text is refused. */
function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ImportFailure || error instanceof UnfitValue) return null;
    throw error;
  }
}

test("an INI file means what it means to Python's configparser", () => {
  const piece = fc.constantFrom(
    "[a]",
    "[b]",
    "[DEFAULT]",
    "x",
    "Y ",
    "=",
    ":",
    " = ",
    "v",
    "[",
    "]",
    ";",
    "#",
    " ;c",
    " #c",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "%(x)s",
  );
  const line = fc.constantFrom(
    "[program:a]\n",
    "[b]\n",
    "key=value\n",
    "key: other\n",
    "  more\n",
    "    deeper ; c\n",
    "\n",
    "; note\n",
    "# note\n",
    "empty=\n",
    "[DEFAULT]\n",
    "two = a=b:c\n",
  );
  const text = fc.oneof(
    fc.array(line, { maxLength: 12 }).map(
      (parts) => `[a]
${parts.join("")}`,
    ),
    fc.array(piece, { maxLength: 20 }).map((parts) => parts.join("")),
  );
  const texts = fc.sample(text, { numRuns: 3_000, seed: 7 });
  const expected = judged(CONFIGPARSER, texts);
  const sorted = (sections: unknown) =>
    sections === null
      ? null
      : (sections as [string, [string, string][]][]).map(([name, items]) => [name, items.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  let accepted = 0;
  for (const [index, each] of texts.entries()) {
    const read = orNull(() =>
      parseIni(each, "x.conf").map(({ name, entries }) => [name, [...entries].map(([key, { value }]) => [key, value])]),
    );
    expect(sorted(read), JSON.stringify(each)).toEqual(sorted(expected[index]));
    if (read !== null && read.length > 0) accepted++;
  }
  expect(accepted).toBeGreaterThan(500);
});

test("a command line has the words that Python's shlex finds in it", () => {
  const texts = fc.sample(fc.stringMatching(/^[ab$;|*#\\'" \t\n]{0,14}$/), { numRuns: 3_000, seed: 7 });
  const expected = judged(SHLEX, texts);
  for (const [index, each] of texts.entries())
    expect(
      orNull(() => splitWords(each)),
      JSON.stringify(each),
    ).toEqual(expected[index]);
});
