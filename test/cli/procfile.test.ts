import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseProcfile } from "../../src/cli/commands/setup/procfile.ts";
import { expandText } from "../../src/config/load/expand-text.ts";

describe("a Procfile", () => {
  test("has one process a line, each with a port of its own; empty lines and comments are left out", () => {
    expect(parseProcfile("# all of it\r\nweb: node server.js -p $PORT\n\n  worker :  run --fast  \n")).toEqual({
      entries: [
        { name: "web", command: "node server.js -p $PORT", port: "5000" },
        { name: "worker", command: "run --fast", port: "5100" },
      ],
      problems: [],
    });
  });

  test.each([
    ["web sleep 1", 1, "expected 'name: command', found 'web sleep 1'"],
    ["web:", 1, "expected 'name: command', found 'web:'"],
    ["a: b\na: c", 2, "duplicate name 'a'"],
    ["# nothing", 1, "the Procfile has no processes"],
  ])("%j is refused with the number of its line", (text, line, message) => {
    expect(parseProcfile(text).problems).toEqual([{ line, message }]);
  });

  test("any command of a Procfile has the same meaning in the configuration", () => {
    const commands = fc.stringMatching(/^[a-z${}:!-]{1,30}$/);
    fc.assert(
      fc.property(commands, (command) => {
        const [entry] = parseProcfile(`p: ${command}`).entries;
        const nothingIsDefined = (name: string): string => expect.fail(`${name} would be expanded`);
        expect(expandText(entry?.command ?? "", nothingIsDefined)).toBe(command);
      }),
    );
  });
});
