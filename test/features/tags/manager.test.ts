import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { createBench } from "../../../src/testing/index.ts";

const processes = (...tags: [name: string, tags: string[]][]) => ({
  processes: Object.fromEntries(tags.map(([name, tags]) => [name, { command: "x", tags }])),
});

test("clients get the tags of the processes in view, and after a reload the changes", async () => {
  await using bench = await createBench(processes(["sim/world", ["sim", "heavy", "sim"]], ["db", []], ["camera", ["vision"]]));
  const { manager } = bench;
  const focused = manager.connect({ single_process: "camera" });
  expect((await manager.snapshot()).tags).toEqual([
    { name: "sim/world", tags: ["sim", "heavy"] },
    { name: "camera", tags: ["vision"] },
  ]);
  expect((await focused.snapshot()).tags).toEqual([{ name: "camera", tags: ["vision"] }]);
  const seen: unknown[] = [];
  manager.frames$.subscribe((frame) => {
    if (frame.type === "tags_upsert" || frame.type === "tags_remove") seen.push(frame);
  });
  await manager.reload(processes(["sim/world", ["sim", "heavy"]], ["db", ["sim"]], ["camera", []]));
  await bench.clock.settle();
  expect(seen).toEqual([
    { type: "tags_upsert", tags: { name: "db", tags: ["sim"] } },
    { type: "tags_remove", name: "camera" },
  ]);
  focused.close();
});

test("the tags of a process that is removed while it runs go at once", async () => {
  await using bench = await createBench(processes(["db", ["sim"]]));
  await bench.until(bench.manager.process("db").start());
  await bench.manager.reload(processes());
  expect((await bench.manager.snapshot()).tags).toEqual([]);
});

test("tags come from the process, its templates or the defaults, as a whole; a word with other characters is refused", () => {
  const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${text}\n`, "mgr.yaml");
  const { processes } = parsed(`defaults: {tags: [all]}
templates: {t: {command: x, tags: [a, b]}}
processes: {p: {extends: t}, q: {extends: t, tags: []}, r: {command: x}}`);
  expect([...processes.values()].map(({ tags }) => tags)).toEqual([["a", "b"], [], ["all"]]);
  expect(() => parsed("processes: {p: {command: x, tags: [a b]}}")).toThrow("must be 1 to 64 letters, digits or . _ -, found 'a b'");
  const [, example = ""] = /^```yaml\n(.*?)^```/msu.exec(readFileSync(join(import.meta.dirname, "../../../docs/tags.md"), "utf8")) ?? [];
  expect(parsed(example).processes.size).toBe(3);
});
