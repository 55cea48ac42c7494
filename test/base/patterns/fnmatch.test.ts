import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import { compileFnmatch, isLiteral, MAX_FNMATCH_LENGTH } from "../../../src/base/patterns/fnmatch.ts";

// One Python process judges many cases: a JSON array of [name, pattern] a line, an array of booleans back.
// fnmatchcase keeps compiled patterns in a cache of its own; warnings are about future regular expressions.
const JUDGE = `
import fnmatch, json, sys, warnings
warnings.simplefilter("ignore")
for line in sys.stdin:
    print(json.dumps([fnmatch.fnmatchcase(name, pattern) for name, pattern in json.loads(line)]), flush=True)
`;

class Python {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  constructor() {
    const child = spawn("python3", ["-c", JUDGE], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("close", resolve));
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async judge(cases: [name: string, pattern: string][]): Promise<boolean[]> {
    this.#child.stdin?.write(`${JSON.stringify(cases)}\n`);
    const answer = await this.#answers.next();
    return JSON.parse(answer.value) as boolean[];
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}

let python: Python;
beforeAll(() => {
  python = new Python();
});
afterAll(() => python.end());

/** Few different characters, so that patterns and names meet; the special ones often. */
const special = fc.constantFrom("*", "?", "[", "]", "!", "-", "^", "\\", "&", "|", "~");
const plain = fc.constantFrom("a", "b", "c", "A", "Z", "0", "/", ".", "\n", "é", "𝔸", "😀", "\u{10ffff}", "\uffff", "{", "$", "(", "+");
const character = fc.oneof({ weight: 1, arbitrary: special }, { weight: 2, arbitrary: plain });
const text = (unit: fc.Arbitrary<string>, maxLength: number) => fc.string({ unit, maxLength });
const set = fc
  .tuple(fc.constantFrom("[", "[!", "[]", "[!]", "[^"), text(fc.oneof(character, fc.constant("-"), fc.constant("!")), 7))
  .map(([open, inside]) => `${open}${inside}]`);
const pattern = fc.array(fc.oneof(character, set, fc.constant("*")), { maxLength: 8 }).map((parts) => parts.join(""));

/** The pattern with its wildcards replaced: likely to match, so that both answers are exercised. */
const nameFor = (of: string) =>
  fc.oneof(
    text(character, 8),
    fc.array(fc.oneof(plain, special), { minLength: 12, maxLength: 12 }).map((fill) => {
      let next = 0;
      return of.replace(/\[!?\]?[^\]]*\]|[*?]/gu, () => fill[next++ % fill.length] ?? "");
    }),
  );

const testCase = pattern.chain((of) => nameFor(of).map((name): [string, string] => [name, of]));

async function agreesWithPython(cases: [name: string, pattern: string][]): Promise<{ matched: number }> {
  const expected = await python.judge(cases);
  const disagreements = cases.flatMap(([name, of], index) => {
    const actual = compileFnmatch(of)(name);
    return actual === expected[index] ? [] : [{ pattern: of, name, python: expected[index], actual }];
  });
  expect(disagreements.slice(0, 5)).toEqual([]);
  return { matched: expected.filter(Boolean).length };
}

describe("compileFnmatch agrees with Python's fnmatch.fnmatchcase", () => {
  it("on random patterns and names, matching and not", async () => {
    let matched = 0;
    let total = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(testCase, { minLength: 200, maxLength: 400 }), async (cases) => {
        matched += (await agreesWithPython(cases)).matched;
        total += cases.length;
      }),
      { numRuns: 60 },
    );
    expect(matched).toBeGreaterThan(total / 20);
  });

  it("on every set of up to five characters of a-c, ! ] - and every name of one character", async () => {
    const members = ["a", "b", "c", "!", "]", "-", "^"];
    let insides = [""];
    const all: string[] = [];
    for (let length = 0; length < 5; length++) {
      insides = insides.flatMap((inside) => members.map((member) => inside + member));
      all.push(...insides);
    }
    for (const name of ["a", "c", "!", "-", "]", "b"]) {
      const { matched } = await agreesWithPython(all.map((inside): [string, string] => [name, `[${inside}]`]));
      expect(matched).toBeGreaterThan(0);
    }
  });

  it.each([
    ["[!a-z]", "A"],
    ["[!a-z]", "m"],
    ["[z-a]", "m"],
    ["[!z-a]", "m"],
    ["[]]", "]"],
    ["[!]]", "]"],
    ["[", "["],
    ["a[b", "a[b"],
    ["[b-a!-z]", "-"],
    ["[a-]", "-"],
    ["[-a]", "-"],
    ["[--0]", "."],
    ["[\\]", "\\"],
    ["?", "😀"],
    ["??", "😀"],
    ["[😀-😂]", "😁"],
    ["*", ""],
    ["", ""],
    ["", "a"],
    ["*/x", "a/b/x"],
    ["a?c", "a/c"],
    ["*", ".hidden"],
    ["SIM/*", "sim/world"],
    ["?", "\n"],
    ["\ud83d*", "😀"],
  ])("on %j and %j", async (of, name) => {
    await agreesWithPython([[name, of]]);
  });
});

describe("compileFnmatch", () => {
  it("ends with patterns that make backtracking matchers explode", () => {
    // A backtracking matcher needs longer than any time-out for this one.
    expect(compileFnmatch(`${"*a".repeat(500)}*b`)("a".repeat(255))).toBe(false);
  });

  it("takes 1,024 characters and refuses more", () => {
    expect(compileFnmatch("😀".repeat(MAX_FNMATCH_LENGTH))("😀")).toBe(false);
    expect(() => compileFnmatch("a".repeat(MAX_FNMATCH_LENGTH + 1))).toThrow(MgrError);
  });
});

describe("isLiteral", () => {
  it.each([
    ["sim/world", true],
    ["a[b", true],
    ["", true],
    ["*", false],
    ["a?", false],
    ["[a]", false],
  ])("of %j is %j", (of, expected) => {
    expect(isLiteral(of)).toBe(expected);
  });

  it("says that a pattern matches itself and nothing else", () => {
    fc.assert(
      fc.property(testCase, ([name, of]) => {
        fc.pre(isLiteral(of));
        expect(compileFnmatch(of)(name)).toBe(name === of);
      }),
    );
  });
});
