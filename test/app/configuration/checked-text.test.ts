import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EditorState } from "@codemirror/state";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningConfiguration } from "../../../src/app/configuration/configuration.ts";
import { createManager, type EmbeddedManager } from "../../../src/app/index.ts";
import { ConfigHistory } from "../../../src/app/state/config-history.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { ConfigError, loadConfigFile } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";
import { marksOf } from "../../../web/src/config/problem-marks.ts";

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
/** The first configuration that a document shows. */
const shownIn = (file: string) => /```yaml\n(instance:[\s\S]*?)```/.exec(read(file))?.[1] ?? "";

const FILES = [
  read("examples/demo/mgr.yaml"),
  read("examples/ci/mgr.yaml"),
  read("examples/two-hosts/mgr.yaml"),
  shownIn("README.md"),
  shownIn("docs/config.md"),
];
const INSERTED = [
  "x",
  " ",
  "  ",
  "\n",
  "\n\n",
  ":",
  ": ",
  "- ",
  "\t",
  "{",
  "}",
  "[",
  "]",
  "'",
  '"',
  "#",
  " # ",
  "&a ",
  "*a",
  "<<: ",
  "é",
  "🙂",
];
const KEYS = ["autostart: true", "autostrat: true", "  command: ls\n", "processes:\n", "$" + "{HOME}", "---\n", "null", "12", "!!x "];

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(40)),
  inserted: fc.oneof(fc.constant(""), fc.constantFrom(...INSERTED), fc.constantFrom(...KEYS)),
});

const notAskedFor = () => {
  throw new Error("not asked for");
};

let folder: string;
let file: string;
let manager: EmbeddedManager;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mgr-checked-"));
  file = join(folder, "mgr.yaml");
  writeFileSync(file, "instance: {name: t, manager: ':0'}\nprocesses: {}\n");
  manager = await createManager(file);
});
afterAll(async () => {
  await manager?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

type Checked = Extract<ManagerFrame, { type: "config_file_checked" }>;

/** The problems that the manager answers with. */
async function checked(content: string): Promise<readonly ConfigFileProblem[]> {
  const answer = (await manager.client.request({ type: "check_config_file", path: file, content }).catch((error: unknown) => {
    if (!(error instanceof MgrError)) throw error;
    return error.details;
  })) as Checked;
  return answer.problems ?? [];
}

/** The problems that `mgr check` finds in a file with this text. */
async function found(content: string): Promise<ConfigFileProblem[]> {
  writeFileSync(file, content);
  try {
    await loadConfigFile(file);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ file: path, line, column, path: key, message }) => ({
      path,
      line,
      column,
      message: key === "" ? message : `${key}: ${message}`,
    }));
  }
}

describe("a text in the editor", () => {
  it("has the problems that `mgr check` finds, and their marks, after random edits of five real files", async () => {
    expect(FILES.every((text) => text.length > 100)).toBe(true);
    let broken = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FILES), fc.array(edit, { minLength: 1, maxLength: 3 }), async (text, edits) => {
        let content = text;
        for (const { at, removed, inserted } of edits) {
          const start = Math.floor(at * content.length);
          content = content.slice(0, start) + inserted + content.slice(start + removed);
        }
        // As the editor has it, with its own line ends; an edit may have cut a character in half, which no file can hold.
        const { doc } = EditorState.create({ doc: Buffer.from(content).toString() });
        const problems = await checked(doc.toString());
        expect(problems).toEqual(await found(doc.toString()));
        if (problems.length > 0) broken++;
        for (const [index, { from, to }] of marksOf(doc, problems).entries()) {
          const line = doc.lineAt(from);
          const { line: lineNumber, column } = problems[index] ?? { line: 0, column: 0 };
          expect([line.number, from - line.from + 1]).toEqual([Math.max(1, lineNumber), Math.max(1, column)]);
          expect(to).toBeLessThanOrEqual(line.to);
        }
      }),
      { numRuns: 1_000, interruptAfterTimeLimit: 20_000 },
    );
    expect(broken).toBeGreaterThan(0);
  });

  it("has one check under way for each connection: another one is busy", async () => {
    const config = await loadConfigFile(join(import.meta.dirname, "../../../examples/ci/mgr.yaml"));
    const [path = ""] = config.files;
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const configuration = new RunningConfiguration({
      current: () => config,
      load: () => held.then(() => config),
      plan: notAskedFor,
      apply: notAskedFor,
      history: new ConfigHistory(),
      log: new LogBook({ capacity: 10, now: () => 0, lastId: 0 }),
    });
    const check = (requester: string) => configuration.check({ path, content: "" }, requester);
    const [first, second, other] = [check("a"), check("a"), check("b")];
    await expect(second).rejects.toMatchObject({ code: "busy" });
    end();
    await Promise.all([first, other]);
    await check("a");
  });
});
