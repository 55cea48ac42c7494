import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { StateFiles } from "../../../../src/app/state/state-files.ts";
import { loadConfigObject } from "../../../../src/config/load/load.ts";
import { LoggerBook, openLoggerFile } from "../../../../src/features/loggers/manager/logger-book.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-logger-book-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { loggers } = loadConfigObject(
  { loggers: { named: { arm: { topics: [{ name: "arm/state" }] } } }, processes: {} },
  { base_dir: "/", state_dir: "/nowhere" },
);
const TOPIC = { name: "camera/left", log_size: 5, divisor: 7 };

/** The loggers of the next manager, and its warnings. */
async function open(): Promise<{ book: LoggerBook; warnings: string[] }> {
  const warnings: string[] = [];
  const file = await openLoggerFile(new StateFiles(folder), (msg) => void warnings.push(msg));
  return { book: new LoggerBook(file, () => loggers), warnings };
}

it("loggers that were created, changed and deleted at run time are the same for the next manager", async () => {
  const { book } = await open();
  await book.set("größe µ", { only_ts: true, topics: [TOPIC], is_started: true });
  await book.set("short", { only_ts: false, topics: [], is_started: false });
  await book.delete("short");
  await book.delete("arm");
  const next = await open();
  expect(next.warnings).toEqual([]);
  expect(next.book.names()).toEqual(["größe µ"]);
  expect(next.book.get("größe µ")).toEqual({ only_ts: true, topics: [TOPIC], is_started: true });
});

it.each([
  ["cut off", '{"loggers": ['],
  ["of another kind", '{"loggers": [{"name": "a"}]}'],
  ["empty", ""],
])("a loggers.json that is %s loses only the changes made at run time, is reported, and is replaced", async (_, content) => {
  const path = join(folder, "loggers.json");
  writeFileSync(path, content);
  const { book, warnings } = await open();
  expect(warnings).toEqual([expect.stringContaining(`${path} cannot be read, loggers that were made at run time are lost`)]);
  expect(book.names()).toEqual(["arm"]);
  expect(book.get("arm")).toMatchObject({ is_started: true, topics: [{ name: "arm/state" }] });
  await book.set("new", { only_ts: false, topics: [TOPIC], is_started: false });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ loggers: [{ name: "new" }] });
  expect((await open()).warnings).toEqual([]);
});
