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
function open(): { book: LoggerBook; warnings: string[] } {
  const warnings: string[] = [];
  const file = openLoggerFile(new StateFiles(folder), (msg) => void warnings.push(msg));
  return { book: new LoggerBook(file, () => loggers), warnings };
}

it("loggers that were created, changed and deleted at run time are the same for the next manager", async () => {
  const { book } = open();
  await book.set("größe µ", { only_ts: true, topics: [TOPIC], is_started: true });
  await book.set("short", { only_ts: false, topics: [], is_started: false });
  await book.delete("short");
  await book.delete("arm");
  const next = open();
  expect(next.warnings).toEqual([]);
  expect(next.book.names()).toEqual(["größe µ"]);
  expect(next.book.get("größe µ")).toEqual({ only_ts: true, topics: [TOPIC], is_started: true });
});

it("an invalid entry of loggers.json loses only the changes made to that logger at run time, is reported, and is replaced", async () => {
  const path = join(folder, "loggers.json");
  writeFileSync(path, '{"loggers": [{"name": "arm"}], "holders": []}');
  const { book, warnings } = open();
  expect(warnings).toEqual([expect.stringContaining(`${path} has 1 invalid entry`)]);
  expect(book.names()).toEqual(["arm"]);
  expect(book.get("arm")).toMatchObject({ is_started: true, topics: [{ name: "arm/state" }] });
  await book.set("new", { only_ts: false, topics: [TOPIC], is_started: false });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ loggers: [{ name: "new" }] });
  expect(open().warnings).toEqual([]);
});
