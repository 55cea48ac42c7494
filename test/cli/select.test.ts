import { describe, expect, it } from "vitest";
import { selectProcesses } from "../../src/cli/manager/select.ts";

const PROCESSES = ["db", "sim/world", "sim/robot/left", "sim/robot/right", "simple", "a[b]", "ab", "x*", "xy"].map((name) => ({ name }));
const select = (...words: string[]) => selectProcesses(PROCESSES, words).map(({ name }) => name);

describe("a command line names", () => {
  it.each([
    [["db"], ["db"]],
    [["sim"], ["sim/world", "sim/robot/left", "sim/robot/right"]],
    [["sim/robot"], ["sim/robot/left", "sim/robot/right"]],
    [["sim*"], ["sim/world", "sim/robot/left", "sim/robot/right", "simple"]],
    [["*/[lr]*t"], ["sim/robot/left", "sim/robot/right"]],
    [["?b"], ["db", "ab"]],
    [["*"], PROCESSES.map(({ name }) => name)],
    [["db", "d*", "db"], ["db"]],
    [
      ["simple", "db"],
      ["simple", "db"],
    ],
  ])("%j", (words, expected) => expect(select(...words)).toEqual(expected));

  it("exactly one process whose name looks like a pattern", () => {
    expect(select("a[b]")).toEqual(["a[b]"]);
    expect(select("x*")).toEqual(["x*"]);
    expect(select("a[[]b]")).toEqual(["a[b]"]);
  });

  it.each([
    ["sipmle", "; did you mean 'simple'?"],
    ["SIM/wrld", "; did you mean 'sim/world'?"],
    ["sim/robto", "; did you mean 'sim/robot'?"],
    ["world", "; did you mean 'sim/world'?"],
    ["robit", "; did you mean 'sim/robot'?"],
    ["dc", "; did you mean 'db'?"],
    ["axb", "; did you mean 'ab'?"],
    ["nothing like it", "; 'mgr ps' lists all"],
  ])("for '%s' the closest names, or where to find them", (word, end) =>
    expect(() => select(word)).toThrow(`no process or group matches '${word}'${end}`),
  );

  it("at least one process for each word, else exit code 3", () => {
    for (const word of ["nope", "sim/", "", "robot", "z*"])
      expect(() => select("db", word)).toThrow(expect.objectContaining({ exitCode: 3, message: expect.stringContaining(`'${word}'`) }));
  });
});
