import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { StateFiles } from "../../src/app/state/state-files.ts";
import { readJsonState, readTrustedJsonState } from "../../src/files/json-state-file.ts";

const entry = z.object({ name: z.string(), sizes: z.array(z.int()).default([]) });
const schema = z.object({ version: z.literal(1), entries: z.array(entry) });
const empty = { version: 1 as const, entries: [] };

let folder = "";
let path = "";
let warnings: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-json-"));
  path = join(folder, "state.json");
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const state = { schema, empty, lost: "entries are lost", warn: (msg: string) => void warnings.push(msg) };

it("a missing file, and one in a missing folder, count as empty without a warning", () => {
  expect(readJsonState(path, state)).toBe(empty);
  expect(readJsonState(join(folder, "missing/state.json"), state)).toBe(empty);
  expect(warnings).toEqual([]);
});

it.each([
  ["empty", "", "not JSON"],
  ["cut off", '{"version": 1, "entr', "not JSON"],
  ["of another kind", "[7]", "it: expected object, received array"],
  ["of another version", '{"version": 2, "entries": []}', "version: expected 1"],
  ["too large", JSON.stringify({ ...empty, more: "x".repeat(100) }), "136 bytes; the maximum is 100"],
])("a file that is %s is kept aside, and counts as empty", (_, content, damage) => {
  for (const number of [1, 2]) {
    writeFileSync(path, content, { mode: 0o600 });
    expect(readJsonState(path, { ...state, maxBytes: 100 })).toBe(empty);
    const aside = `${path}.damaged-${number}`;
    expect(warnings.at(-1)).toBe(`${path} was damaged (${damage}): it was renamed to ${aside}, and entries are lost`);
    expect(readFileSync(aside, "utf8")).toBe(content);
  }
  expect(existsSync(path)).toBe(false);
});

it("invalid entries of a list are left out, the others are kept", () => {
  const entries = [{ name: "a" }, { name: 2 }, null, { name: "b", sizes: [1, "x", "y"] }, { name: "c", sizes: [3] }];
  writeFileSync(path, JSON.stringify({ version: 1, entries }), { mode: 0o600 });
  const kept = [
    { name: "a", sizes: [] },
    { name: "c", sizes: [3] },
  ];
  expect(readJsonState(path, state)).toEqual({ version: 1, entries: kept });
  expect(warnings).toEqual([`${path} has 3 invalid entries, which are left out: entries[1].name: expected string, received number`]);
  expect(readdirSync(folder)).toEqual(["state.json"]);
});

it.each([
  ["that others can write", () => chmodSync(path, 0o622), "can be written by other users"],
  ["behind a link", () => symlinkSync(path, `${path}.link`), "is a symbolic link"],
])("a file %s is reported, not used, and stays as it is", (_, spoil, why) => {
  writeFileSync(path, JSON.stringify({ version: 1, entries: [{ name: "planted" }] }), { mode: 0o600 });
  spoil();
  const spoilt = existsSync(`${path}.link`) ? `${path}.link` : path;
  expect(readJsonState(spoilt, state)).toBe(empty);
  expect(warnings).toEqual([expect.stringMatching(`^entries are lost: ${spoilt} ${why}`)]);
  expect(() => readTrustedJsonState(spoilt, state)).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(readFileSync(path, "utf8")).toContain("planted");
});

it("a file of the manager's state folder is replaced as a whole, and a failure is reported", async () => {
  const files = new StateFiles(folder);
  const open = () => files.json("state.json", { ...state, unsaved: "entries are not saved" });
  await open().save({ version: 1, entries: [{ name: "a", sizes: [] }] });
  expect(open().content.entries).toEqual([{ name: "a", sizes: [] }]);
  rmSync(folder, { recursive: true });
  await open().save(empty);
  expect(warnings).toEqual([expect.stringMatching(/^entries are not saved: ENOENT/)]);
});
