import { execFileSync, spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteWords } from "../../src/base/text/shell-words.ts";
import { toCommand } from "../../src/config/command-line.ts";

/** What the real sh makes of each line: its words, or null where it finds a syntax error. One sh for all lines. */
function wordsBySh(lines: string[]): string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line}\nprintf '\\001\\0'`).join("\n");
  const output = execFileSync("/bin/sh", { input: script, cwd: "/", encoding: "utf8" });
  return output
    .split("\u0001\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

const kindOf = (line: string) => toCommand(line).program.kind;
const wordsOf = (line: string) => {
  const { program } = toCommand(line);
  return program.kind === "exec" ? program.argv : null;
};
// What an argument may hold: anything but NUL (and \u0001, the mark of this test).
const argument = fc.string({
  unit: fc.oneof(fc.constantFrom(..." \t\n'\"\\$`*?[]#~=!{}|&;<>()-%"), fc.constantFrom("a", "B", "0", "é", "漢", "👍", "\r", "\u007f")),
  maxLength: 12,
});

describe("a command given as a string", () => {
  it("is split into words as sh does, without a shell", () => {
    expect(wordsOf(`./world --rate 100 'a b' "c d" e\\ f g"h"'i' "" --x=1`)).toEqual([
      "./world",
      "--rate",
      "100",
      "a b",
      "c d",
      "e f",
      "ghi",
      "",
      "--x=1",
    ]);
    expect(wordsOf('a "x\\"y\\\\z\\n" \\"b')).toEqual(["a", 'x"y\\z\\n', '"b']);
    expect(wordsOf("  a\t b  ")).toEqual(["a", "b"]);
    expect(wordsOf("a \\\n  b")).toEqual(["a", "b"]);
    expect(wordsOf("a b\n\n")).toEqual(["a", "b"]);
    expect(wordsOf("a b#c d~e f=g {x,y} !")).toEqual(["a", "b#c", "d~e", "f=g", "{x,y}", "!"]);
    expect(wordsOf("'exec' a")).toEqual(["exec", "a"]);
  });

  it.each([
    "a | b",
    "a && b",
    "a;",
    "a &",
    "a < f",
    "a > f",
    "a 2>&1",
    "(a)",
    "a $X",
    'a "$X"',
    'a "`b`"',
    "a `b`",
    "a *.txt",
    "a b?",
    "a [b]",
    "# a",
    "a # b",
    "~/a",
    "a ~",
    "X=1 a",
    "X= a",
    "X='1 2' a",
    "a\nb",
    "if a",
    "! a",
    "{ a",
    "cd x",
    "exec a",
    ". ./a",
    ": a",
    "export",
    "a ${X:-'",
  ])("goes through /bin/sh with shell syntax: %s", (line) => {
    expect(toCommand(line).program).toEqual({ kind: "shell", line });
  });

  it("goes through /bin/sh by 'shell: true', whatever it holds", () => {
    expect(toCommand("a b", true)).toEqual({ text: "a b", program: { kind: "shell", line: "a b" } });
  });

  it.each([
    ["", "is empty"],
    [" \n", "is empty"],
    ["a 'b", "has an unclosed single quote at character 3"],
    ['a "b\\"', "has an unclosed double quote at character 3"],
    ["a\\", "ends with a backslash"],
    ["'' a", "has an empty program name"],
    ["a\0", "contains a NUL character"],
  ])("%j is refused because it cannot be run", (line, message) => {
    expect(() => toCommand(line)).toThrow(message);
  });

  it("without shell syntax has the same words in the real sh", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        " ",
        "\t",
        " ",
        "a",
        "b1",
        "-x",
        "=",
        "]",
        "}",
        "{",
        "!",
        "%",
        "^",
        ",",
        ":",
        "@",
        "é",
        "\\ ",
        "\\'",
        '\\"',
        "\\\\",
        "\\$",
        "\\*",
        "\\a",
        "\\\n",
        "\\#",
        "\\~",
        "#",
        "~",
        "$",
        "*",
        "''",
        '""',
      ),
      fc.string({ unit: fc.constantFrom(...' a$*#\\"`\n|é'), maxLength: 5 }).map((text) => `'${text}'`),
      fc.string({ unit: fc.constantFrom(..." a*#'\n|é"), maxLength: 5 }).map((text) => `"${text}"`),
      fc.constantFrom('"\\$"', '"\\`"', '"\\""', '"\\\\"', '"\\a"', '"\\\n"', '"$x"'),
    );
    const lines = fc.sample(
      fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => `w${pieces.join("")}`),
      4_000,
    );
    const direct = lines.filter((line) => kindOf(line) === "exec");
    expect(direct.length).toBeGreaterThan(1_000);
    expect(direct.map(wordsOf)).toEqual(wordsBySh(direct));
  });

  it("that the splitter takes for words is never a syntax error to sh", () => {
    for (const line of ["a ]", "a }", "a {", "a !", "a then", "a %1", "a ^b"]) {
      expect(kindOf(line)).toBe("exec");
      expect(spawnSync("/bin/sh", ["-n", "-c", line]).status, line).toBe(0);
    }
  });
});

describe("a command given as a list", () => {
  it("is executed directly, and shown as one quoted line", () => {
    expect(toCommand(["a b", "$X", "it's", "", "c"])).toEqual({
      text: "'a b' '$X' 'it'\\''s' '' c",
      program: { kind: "exec", argv: ["a b", "$X", "it's", "", "c"] },
    });
  });

  it("is refused with nothing to execute, with a NUL, or for the shell", () => {
    expect(() => toCommand([])).toThrow("is an empty list");
    expect(() => toCommand(["", "a"])).toThrow("has an empty program name");
    expect(() => toCommand(["a", "b\0"])).toThrow("contains a NUL");
    expect(() => toCommand(["a"], true)).toThrow("with 'shell: true' it must be a string");
  });

  it("keeps its words when the line that shows it is given to the real sh", () => {
    const lists = fc.sample(fc.array(argument, { minLength: 1, maxLength: 6 }), 2_000);
    expect(wordsBySh(lists.map(quoteWords))).toEqual(lists);
  });

  it("keeps its words when the line that shows it becomes a command again", () => {
    const program = fc.oneof(
      argument.filter((word) => word !== ""),
      fc.constantFrom("cd", "if", "X=1", "{", "!", "a=b", "."),
    );
    fc.assert(
      fc.property(program, fc.array(argument, { maxLength: 6 }), (first, others) => {
        expect(wordsOf(toCommand([first, ...others]).text)).toEqual([first, ...others]);
      }),
    );
  });
});
