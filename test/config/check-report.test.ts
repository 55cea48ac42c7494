import { expect, it } from "vitest";
import { formatConfigError } from "../../src/config/load/check-report.ts";
import { parseConfigText } from "../../src/config/load/load.ts";
import { ConfigError } from "../../src/config/schema/problems.ts";

function report(text: string): string {
  try {
    parseConfigText(text, "mgr.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return formatConfigError(error);
    throw error;
  }
  return "";
}

it("each problem is a line with position, key path and message, and the line of the file with a caret", () => {
  const text =
    "instance: {name: t, manager: ':0'}\nprocesses:\n  sim/world:\n    command: x\n    restart:\n      polciy: never\n      delay: soon\n";
  expect(report(text)).toBe(
    [
      "mgr.yaml:6:7  processes.sim/world.restart.polciy  unknown key; did you mean 'policy'?",
      "    polciy: never",
      "    ^",
      "mgr.yaml:7:14  processes.sim/world.restart.delay  must be a duration such as 500ms, 5s, 2m, 1h or a number of seconds, at most 24 days, found 'soon'",
      "    delay: soon",
      "           ^",
    ].join("\n"),
  );
});

it("the caret is in the right column after tabs and wide characters, and in long lines", () => {
  expect(report("instance: {name:\t'漢字', manager: 5}\n").split("\n").slice(3)).toEqual([
    "mgr.yaml:1:33  instance.manager  must be HOST:PORT, found 5; write '\":5\"' for every interface or 'localhost:5'",
    "    instance: {name: '漢字', manager: 5}",
    `    ${" ".repeat(34)}^`,
  ]);
  const [, line, caret] = report(`instance: {name: t, manager: ':0', x-a: "${"a".repeat(500)}", nam: 1}\n`).split("\n");
  expect(line?.length).toBeLessThan(110);
  expect(line?.indexOf("nam: 1")).toBe(caret?.indexOf("^"));
});

it("control characters of the file never reach the terminal", () => {
  const text = report(
    'instance: {name: "a\\e[31m", manager: \':0\', "\\u202e": 1}\nprocesses: {"p\\e]0;x\\a": {command: [1]}} # \x1b[2J\u009b\n',
  );
  expect(text).not.toBe("");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this test looks for
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});

it("a problem of the whole file has no excerpt", () => {
  expect(report("")).toBe("mgr.yaml:1:1  is empty; it needs at least 'instance' with 'name' and 'manager'");
});
