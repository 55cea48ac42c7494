// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how variables are written in a configuration.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { environmentVariables, expandFile } from "../../src/config/load/expand.ts";
import { ExpansionProblem, expandText } from "../../src/config/load/expand-text.ts";
import { Expanded } from "../../src/config/schema/expanded.ts";

const VARIABLES: Readonly<Record<string, string>> = { A: "apple", B: "", LONG_NAME_1: "x$y}z", HOME: "/root" };
const lookup = (name: string) => (Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined);

/** A piece of text as it is written, and what it stands for; undefined when it needs a variable that is not there. */
interface Piece {
  written: string;
  means: string | undefined;
}

const join = (pieces: Piece[]): Piece => ({
  written: pieces.map((piece) => piece.written).join(""),
  means: pieces.some((piece) => piece.means === undefined) ? undefined : pieces.map((piece) => piece.means).join(""),
});
const name = fc.constantFrom(...Object.keys(VARIABLES), "MISSING", "_other");
const { text } = fc.letrec<{ text: Piece; piece: Piece }>((tie) => ({
  text: fc.array(tie("piece"), { maxLength: 6 }).map(join),
  piece: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    // A dollar or a brace alone would belong to its neighbours.
    fc.string({ unit: fc.constantFrom("a", "{", " ", ":", "-", "ü", "😀", "'", "\n") }).map((plain) => ({ written: plain, means: plain })),
    fc.constant({ written: "$$", means: "$" }),
    fc.constant({ written: "$a", means: "$a" }),
    name.map((each) => ({ written: `\${${each}}`, means: lookup(each) })),
    fc.tuple(name, tie("text")).map(([each, fallback]) => ({
      written: `\${${each}:-${fallback.written}}`,
      means: lookup(each) || fallback.means,
    })),
  ),
}));

describe("expandText", () => {
  it("replaces every ${NAME}, ${NAME:-default} and $$, nested in any way", () => {
    fc.assert(
      fc.property(text, ({ written, means }) => {
        if (means === undefined) expect(() => expandText(written, lookup)).toThrow(ExpansionProblem);
        else expect(expandText(written, lookup)).toBe(means);
      }),
      { numRuns: 2_000 },
    );
  });

  it("leaves a text without a dollar unchanged, and reports every failure as a message", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("$", "{", "}", "A", ":", "-", "1", " ") }), (written) => {
        try {
          const expanded = expandText(written, lookup);
          if (!written.includes("$")) expect(expanded).toBe(written);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpansionProblem);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it("does not expand what a variable holds", () => {
    expect(expandText("${V}", () => "${A} $$")).toBe("${A} $$");
  });

  it.each([
    ["${}", "is neither"],
    ["${1}", "is neither"],
    ["${A-x}", "write '$$' for a literal dollar sign"],
    ["${#A}", "is neither"],
    ["${A", "is neither"],
    ["${MISSING:-${A}", "without a closing '}'"],
    ["a ${MISSING} b", "'MISSING' is not defined: add it to 'defines', set it in the manager's environment, or write ${MISSING:-default}"],
    [`${"${M:-".repeat(30)}${"}".repeat(30)}`, "nests more than 20 expansions"],
  ])("refuses %s with a sentence", (written, message) => {
    expect(() => expandText(written, lookup)).toThrow(message);
  });

  it("does not resolve a variable in a default that is not used", () => {
    expect(expandText("${A:-${MISSING}}", lookup)).toBe("apple");
  });

  it("ends also for a million dollars in a default that is never closed", () => {
    expect(() => expandText(`\${M:-${"$a".repeat(500_000)}`, lookup)).toThrow(ExpansionProblem);
  });
});

describe("expandFile", () => {
  const expand = (root: object) => expandFile(root, environmentVariables({ HOME: "/root", PATH: "/bin", X: "outer" }), () => undefined);
  const valueAt = (root: object, ...path: string[]) => {
    let value: unknown = expand(root).value;
    for (const key of path) value = value instanceof Map ? value.get(key) : undefined;
    return value instanceof Expanded ? value.text : value;
  };
  const problems = (root: object) => expand(root).findings.map(({ path, message }) => `${path.join(".")} ${message}`);

  it("gives defines precedence over the environment; they use each other in any order, and extend the outer value of their own name", () => {
    const defines = { X: "inner", B: "${A}/b", A: "${HOME}/a", PATH: "/opt:${PATH}", N: 5, T: true };
    expect(valueAt({ defines, t: "${X} ${B} ${PATH} ${N} ${T}" }, "t")).toBe("inner /root/a/b /opt:/bin 5 true");
  });

  it("reports circular definitions at each of them, and an undefined variable once", () => {
    expect(problems({ defines: { A: "${B}", B: "${A}" }, t: "${A}" })).toEqual([
      "defines.A has a circular definition: A → B → A",
      "defines.B has a circular definition: B → A → B",
    ]);
    expect(problems({ defines: { A: "${NOPE}" }, t: "${A} ${A}" })).toEqual([expect.stringContaining("defines.A 'NOPE' is not defined")]);
  });

  it("limits the size of definitions that double each other", () => {
    const defines = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`D${n + 1}`, `\${D${n}}\${D${n}}`]));
    expect(problems({ defines: { D0: "x".repeat(100), ...defines } })[0]).toMatch(/expands to more than 1048576 characters|chain/);
  });

  it("does not expand text below keys that begin with x-, except names of processes", () => {
    expect(problems({ "x-note": "${NOPE}", processes: { p: { "x-more": "${NOPE}" } } })).toEqual([]);
    expect(problems({ processes: { "x-p": { command: "${NOPE}" } } })).toHaveLength(1);
  });

  it("expands texts in lists and keys, names such as __proto__ included", () => {
    const root = { processes: JSON.parse('{"__proto__": {"command": ["echo", "${X}"]}}') };
    const command = (expand(root).value as Map<string, Map<string, Map<string, unknown>>>)
      .get("processes")
      ?.get("__proto__")
      ?.get("command");
    expect(command).toEqual(["echo", new Expanded("outer")]);
  });
});

describe("an expanded value of a key that is not text", () => {
  it.each([
    ["5", 5],
    ["1.5", 1.5],
    ["true", true],
    ["0x10", "0x10"],
    ["five", "five"],
    ["", ""],
  ])("%j is read as %j", (written, value) => {
    expect(new Expanded(written).scalar).toBe(value);
  });
});
