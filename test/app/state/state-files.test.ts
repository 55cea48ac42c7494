import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StateFiles } from "../../../src/app/state/state-files.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr-files-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

test("a file whose first write is under way does not count as removed", async () => {
  const files = new StateFiles(dir);
  const checked = files.rewrite("missing");
  const written = files.write("manager.url", "http://127.0.0.1:1\n");
  expect(await checked).toEqual([]);
  await written;
  expect(readFileSync(files.path("manager.url"), "utf8")).toBe("http://127.0.0.1:1\n");
});

test("a file that is being removed is not written again", async () => {
  const files = new StateFiles(dir);
  await files.write("manager.url", "http://127.0.0.1:1\n");
  const removed = files.remove("manager.url");
  expect(await files.rewrite("missing")).toEqual([]);
  await removed;
  expect(readdirSync(dir)).toEqual([]);
});

test("a file that was removed is written again", async () => {
  const files = new StateFiles(dir);
  await files.write("bus.url", "one");
  await files.write("manager.url", "two");
  rmSync(files.path("bus.url"));
  expect(await files.rewrite("missing")).toEqual(["bus.url"]);
  expect(await files.rewrite("missing")).toEqual([]);
  expect(readFileSync(files.path("bus.url"), "utf8")).toBe("one");
});
