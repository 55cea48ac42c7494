import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileFilter } from "../../../../web/src/features/output-search/merged/line-filter.ts";
import { LineSplitter } from "../../../../web/src/features/output-search/merged/line-splitter.ts";
import { lineAt, MergedLines, type NewLine } from "../../../../web/src/features/output-search/merged/merged-lines.ts";
import { mergedOfAddress, mergedParameters } from "../../../../web/src/features/output-search/merged/merged-options.ts";

describe("the lines of a process", () => {
  test("are the same however the output is cut", () => {
    const output = "one\r\n\x1b[1;32mtwo\x1b[0m ✓\r\n\r\nprogress 1%\rprogress 99%\r\nthree\n";
    fc.assert(
      fc.property(fc.array(fc.nat(output.length), { maxLength: 5 }), (cuts) => {
        const splitter = new LineSplitter();
        const ends = [...cuts.sort((a, b) => a - b), output.length];
        const lines = ends.flatMap((end, index) => splitter.write(output.slice(ends[index - 1] ?? 0, end)));
        expect(lines).toEqual(["one", "two ✓", "", "progress 99%", "three"]);
      }),
    );
  });

  test("contain no control sequence that the page could take for its own, whatever the process prints", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("\x1b", "[", "]", "2", "J", "\x07", "\b", "a", "\r", "\x9b", "\n") }), (output) => {
        const lines = new LineSplitter().write(`${output}\n`);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
        expect(lines.join("")).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/);
      }),
    );
  });

  test("are bounded: a line that is too long is cut, and one without an end is given in pieces", () => {
    const splitter = new LineSplitter();
    const [line = ""] = splitter.write(`${"x".repeat(10_000)}\n`);
    expect(line).toBe(`${"x".repeat(4_096)}…`);
    expect(splitter.write("y".repeat(70_000))).toHaveLength(1);
    expect(splitter.write("z\n")).toEqual(["z"]);
    splitter.write("lost");
    splitter.skip();
    expect(splitter.write("whole\n")).toEqual(["whole"]);
  });
});

describe("merged lines", () => {
  const line = (text: string, time: number | null = null): NewLine => ({ name: "a", time, text, isGap: false });
  const texts = (lines: MergedLines) => lines.shown.map(({ text }) => text);

  test("are bounded in number and characters, and the oldest are dropped", () => {
    const lines = new MergedLines({ lines: 10, characters: 1_000 });
    for (let index = 0; index < 100; index++) lines.add([line(String(index))]);
    expect(lines.count).toBeLessThanOrEqual(11);
    expect(texts(lines).at(-1)).toBe("99");
    expect(lines.dropped + lines.shown.length).toBe(100);
    lines.add([line("x".repeat(900)), line("y".repeat(900))]);
    expect(texts(lines)).toEqual(["y".repeat(900)]);
  });

  test("that match a filter are shown, those that come as well, and dropped lines are counted among the shown ones", () => {
    const lines = new MergedLines({ lines: 10, characters: 1_000 });
    lines.filter(({ text }) => text.endsWith("0"));
    for (let index = 0; index < 35; index++) lines.add([line(String(index))]);
    expect(lines.dropped + lines.shown.length).toBe(4);
    expect(texts(lines).at(-1)).toBe("30");
    lines.filter(() => true);
    expect([lines.shown.length, lines.dropped]).toEqual([lines.count, 0]);
  });

  test("a paused view keeps its lines when others are dropped", () => {
    const lines = new MergedLines({ lines: 4, characters: 1_000 });
    lines.add([line("1"), line("2")]);
    const before = lines.shown;
    for (let index = 0; index < 20; index++) lines.add([line("x")]);
    expect(before[0]?.text).toBe("1");
    expect(texts(lines)).not.toContain("1");
  });

  test("a time leads to the first line that was written then or later", () => {
    const lines = new MergedLines();
    lines.add([line("unknown"), line("a", 1_000), line("b", 2_000), line("c", 3_000)]);
    expect([0, 1_000, 1_500, 3_000, 3_001].map((time) => lineAt(lines.shown, time))).toEqual([1, 1, 2, 3, null]);
  });
});

describe("the filter of lines", () => {
  test("takes plain text without regard to case, and expressions of RE2", async () => {
    const matches = async (text: string, isRegex: boolean, line: string) => {
      const filter = await compileFilter({ text, isRegex });
      return typeof filter === "string" ? filter : filter(line);
    };
    expect(await matches("", true, "x")).toBe(true);
    expect(await matches("WARN(", false, "a warn( line")).toBe(true);
    expect(await matches("^took \\d+ ms$", true, "Took 12 ms")).toBe(true);
    expect(await matches("took \\d+$", true, "took 12 ms")).toBe(false);
    expect(await matches("a(", true, "")).toMatch(/cannot be used/);
    expect(await matches("(?=a)", true, "")).toMatch(/cannot be used/);
    // Catastrophic for an engine that backtracks: it would not end.
    expect(await matches("(a+)+$", true, `${"a".repeat(4_000)}!`)).toBe(false);
  });
});

test("the address of a view leads to the same processes, filter and times", () => {
  const options = { only: ["a/b", "two, words"], text: "x & y", isRegex: true, times: "ago" } as const;
  expect(mergedOfAddress(`?${new URLSearchParams(mergedParameters(options))}`)).toEqual(options);
  expect(mergedParameters(mergedOfAddress(""))).toEqual([]);
  expect(mergedOfAddress("?times=never").times).toBe("none");
});
