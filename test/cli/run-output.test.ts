import { describe, expect, test } from "vitest";
import { outputOfRun } from "../../src/cli/commands/messages/run-output.ts";
import { NamedLines } from "../../src/cli/output/named-lines.ts";
import { inOrder } from "../../src/client/past-output.ts";

const run = (number: number, offset: number | null, stream_id = "s") => ({
  number,
  output_end: offset === null ? null : { offset, stream_id },
});
/** Three runs of 6, 7 and 4 bytes. */
const output = { output: "one é\ntwo 🚀 \nnow\n", offset: 21, stream_id: "s", truncated: false };
const history = [run(3, null), run(2, 17), run(1, 7)];
const text = (number: number, changes: Partial<typeof output> = {}, runs = history) =>
  outputOfRun({ ...output, ...changes }, { name: "p", history: runs, run: number }).text;

describe("the output of one run", () => {
  test.each([
    ["its number", 1, "one é\n"],
    ["its number", 2, "two 🚀 \n"],
    ["0 for the newest", 0, "now\n"],
    ["-1 for the run before", -1, "two 🚀 \n"],
  ])("is chosen by %s (%d)", (_, number, expected) => {
    expect(text(number)).toBe(expected);
  });

  test("is what is still kept of it, and its beginning is said to be missing", () => {
    const kept = { ...output, output: "🚀 \nnow\n", truncated: true };
    expect(outputOfRun(kept, { name: "p", history, run: 2 })).toEqual({ text: "🚀 \n", isTruncated: true });
    expect(() => text(1, kept)).toThrow("the output of run 1 of 'p' is no longer kept");
  });

  test.each([
    ["a run that is not known", 9, history, "runs 1 to 3 are known (--run 1 to 3, or 0 to -2)"],
    ["a run of a process that has not run", 0, [], "'p' has not run yet"],
    [
      "a run under an earlier daemon",
      2,
      [run(3, null), run(2, 17, "earlier"), run(1, 7, "earlier")],
      "where run 2 of 'p' ends is not known",
    ],
    ["the first run under this daemon", 3, [run(3, null), run(2, 17, "earlier")], "where run 3 of 'p' begins is not known"],
  ])("of %s is refused with the reason and what to do", (_, number, runs, message) => {
    expect(() => text(number, {}, runs)).toThrow(message);
  });
});

describe("merged output with times", () => {
  test("is in the order of time, each line with the time at which it began", () => {
    const past = [
      {
        name: "a",
        text: "a1\na2\n",
        offset: 6,
        times: [
          { offset: 0, time: "T1" },
          { offset: 3, time: "T3" },
        ],
      },
      { name: "b", text: "b1\nb", offset: 4, times: [{ offset: 0, time: "T2" }] },
    ];
    const lines = new NamedLines({ names: ["a", "b"], isFiltered: false });
    const printed = inOrder(past).map(({ name, text, time }) => lines.write(name, text, time));
    printed.push(lines.write("b", "2\nb3\n", "T4"));
    expect(printed.join("")).toBe("T1 a | a1\nT2 b | b1\nT3 a | a2\nT2 b | b2\nT4 b | b3\n");
  });
});
