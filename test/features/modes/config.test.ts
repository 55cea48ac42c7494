import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { ConfigError } from "../../../src/config/schema/problems.ts";

const PROCESSES = `
processes:
  db: {command: x}
  sim/world: {command: x, tags: [sim]}
  camera: {command: x}
`;

function problemsOf(modes: string): string[] {
  try {
    parseConfigText(`instance: {name: t, manager: ":0"}${PROCESSES}${modes}`, "mgr.yaml");
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
  }
}

test("a mode selects by name, group, tag and pattern, and its defaults are empty", () => {
  const { modes } = parseConfigText(
    `instance: {name: t, manager: ":0"}${PROCESSES}modes: {run: {start: [db, sim, "tag:sim", "cam*"], parameters: {rate: 1.5}, fallback: safe}, safe: {stop: ["*"]}}`,
    "mgr.yaml",
  );
  expect(modes.get("safe")).toEqual({ start: [], stop: ["*"], parameters: new Map(), preset: null, fallback: null });
  expect([...(modes.get("run")?.parameters ?? [])]).toEqual([["rate", 1.5]]);
});

test("the example of docs/modes.md is valid", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/modes.md"), "utf8");
  const [, example = ""] = /^```yaml\n(.*?)^```/msu.exec(page) ?? [];
  expect([...parseConfigText(example, "mgr.yaml").modes.keys()]).toEqual(["run", "teach", "safe"]);
});

test("words that select nothing, an unknown fallback and a circle of fallbacks are problems at their places", () => {
  expect(problemsOf('modes:\n  run: {start: [db, wrld], stop: ["tag:sin"], fallback: save}\n  safe: {stop: ["x*"]}\n')).toEqual([
    expect.stringMatching(/^7:21 modes\.run\.start.*: there is no process or group 'wrld', and no process matches it/),
    expect.stringMatching(/^7:35 modes\.run\.stop.*: no process has the tag 'sin'; did you mean 'tag:sim'\?$/),
    expect.stringMatching(/^7:57 modes\.run\.fallback: there is no mode 'save'; did you mean 'safe'\?$/),
    expect.stringMatching(/^8:17 modes\.safe\.stop.*: there is no process or group 'x\*'/),
  ]);
  expect(problemsOf("modes:\n  a: {fallback: b}\n  b: {fallback: a}\n  c: {fallback: c}\n")).toEqual([
    expect.stringContaining("8:17 modes.b.fallback: the fallbacks form a cycle: a → b → a"),
    expect.stringContaining("9:17 modes.c.fallback: the fallbacks form a cycle: c → c"),
  ]);
});
