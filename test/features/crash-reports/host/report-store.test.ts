import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileNameOf } from "../../../../src/features/crash-reports/host/report-file.ts";
import { ReportStore, type ReportStoreOptions } from "../../../../src/features/crash-reports/host/report-store.ts";
import type { CrashReport } from "../../../../src/features/crash-reports/wire.ts";
import { REPORT } from "../example-report.ts";

let folder: string;
let parent: string;
let log: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "mgr-crash-"));
  folder = join(parent, "crash-reports");
  log = [];
});
afterEach(() => rmSync(parent, { recursive: true }));

async function open(options: Partial<ReportStoreOptions> = {}): Promise<ReportStore> {
  const store = new ReportStore({ folder, log: (level, msg) => log.push(`${level}: ${msg}`), ...options });
  await store.begin();
  return store;
}

const at = (second: number): Partial<CrashReport> => ({ run_id: `1-${second}`, time: new Date(1_000 * second).toISOString().slice(0, -1) });
const report = (second: number, changes: Partial<CrashReport> = {}): CrashReport => ({ ...REPORT, ...at(second), ...changes });
const all = () => true;
const idsOf = async (store: ReportStore) => (await store.list(all, 1_000)).map(({ name, run_id }) => `${name} ${run_id}`);
const printed = (characters: number) => ({ text: "x".repeat(characters), bytes: characters, truncated: false, times: [] });

test("reports are found by the next daemon, and nobody else may read their files", async () => {
  const store = await open();
  const summary = await store.add(report(1));
  await store.close();
  const [file = ""] = readdirSync(folder);
  expect(statSync(join(folder, file))).toMatchObject({ mode: 0o100600, size: summary.size });
  const next = await open();
  expect(await next.list(all, 10)).toEqual([summary]);
  expect(await next.read("sim/world", "1-1")).toEqual(report(1));
  expect(await next.read("sim/world", null)).toEqual(report(1));
  expect(await next.read("sim", null)).toBeNull();
  expect(log).toEqual([]);
});

test("the last 20 reports of each process are kept", async () => {
  const store = await open();
  await store.add(report(1, { name: "quiet" }));
  for (let second = 2; second < 32; second++) await store.add(report(second));
  expect(await store.list((name) => name === "sim/world", 1_000)).toHaveLength(20);
  expect((await idsOf(store)).at(0)).toBe("sim/world 1-31");
  expect((await idsOf(store)).at(-1)).toBe("quiet 1-1");
  expect(readdirSync(folder)).toHaveLength(21);
});

test("when the host's space is used up, the process with the largest reports loses its oldest ones, and others keep theirs", async () => {
  const store = await open({ maxHostBytes: 200_000 });
  for (let second = 1; second <= 5; second++) await store.add(report(second, { name: "small" }));
  for (let second = 11; second <= 20; second++) await store.add(report(second, { name: "greedy", output: printed(40_000) }));
  const ids = await idsOf(store);
  expect(ids.filter((id) => id.startsWith("small"))).toHaveLength(5);
  expect(ids.filter((id) => id.startsWith("greedy"))).toEqual(["greedy 1-20", "greedy 1-19", "greedy 1-18", "greedy 1-17"]);
  expect(readdirSync(folder)).toHaveLength(9);
});

test("output of control characters, which JSON makes six times as long, is shortened at its beginning until the report fits", async () => {
  const store = await open();
  const text = `${"\u0001\n".repeat(120_000)}the end`;
  const { size } = await store.add(report(1, { output: { ...printed(0), text, times: [{ line: 119_999, time: REPORT.time }] } }));
  expect(size).toBeLessThanOrEqual(512 * 1024);
  const kept = await store.read("sim/world", null);
  expect(kept?.output).toMatchObject({ truncated: true });
  expect(kept?.output?.text.endsWith("the end")).toBe(true);
  const [mark] = kept?.output?.times ?? [];
  expect(mark?.line).toBe((kept?.output?.text.split("\n").length ?? 0) - 2);
});

test("a report of the same run replaces the earlier one", async () => {
  const store = await open();
  await store.add(report(1, { backtrace: null, has_backtrace: false }));
  await store.add(report(1));
  expect(await store.list(all, 10)).toMatchObject([{ has_backtrace: true }]);
});

test("reports are deleted by their ids, or all of a process", async () => {
  const store = await open();
  for (const second of [1, 2, 3]) await store.add(report(second));
  await store.add(report(4, { name: "other" }));
  expect(await store.remove("sim/world", ["1-1", "1-9", "1-4"])).toBe(1);
  expect(await store.remove("sim/world", null)).toBe(2);
  expect(await idsOf(store)).toEqual(["other 1-4"]);
  expect(readdirSync(folder)).toEqual([fileNameOf({ name: "other", run_id: "1-4" })]);
});

test("links, pipes, damaged files and those with another name are left out with a warning, and reports are kept beside them", async () => {
  mkdirSync(folder, { mode: 0o700 });
  const path = (name: string, second: number) => join(folder, fileNameOf({ name, run_id: `1-${second}` }));
  const secret = join(parent, "secret");
  const store = await open();
  await store.add(report(1, { name: "good" }));
  const good = readFileSync(path("good", 1), "utf8");
  writeFileSync(secret, good, { mode: 0o600 });
  symlinkSync(secret, path("link", 2));
  execFileSync("mkfifo", [path("pipe", 3)]);
  writeFileSync(path("broken", 4), good.slice(0, 40), { mode: 0o600 });
  writeFileSync(path("renamed", 5), good, { mode: 0o600 });
  writeFileSync(path("open", 6), good, { mode: 0o600 });
  execFileSync("chmod", ["666", path("open", 6)]);
  writeFileSync(join(folder, "notes.txt"), "mine");
  const next = await open();
  expect(await idsOf(next)).toEqual(["good 1-1"]);
  expect(log).toHaveLength(5);
  expect(log.every((line) => line.startsWith("warning: a crash report is left out: "))).toBe(true);
  // A link at the place of a new report is replaced; what it points to stays.
  await next.add(report(2, { name: "link" }));
  expect(await next.read("link", null)).toMatchObject({ name: "link", run_id: "1-2" });
  expect(readFileSync(secret, "utf8")).toBe(good);
  expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
});

test("a file that a killed daemon has not completed is removed", async () => {
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, `.${fileNameOf({ name: "x", run_id: "1-1" })}.new`), "{");
  expect(await idsOf(await open())).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  expect(log).toEqual([]);
});

test("a report that was damaged meanwhile is refused, and one that was removed is not there", async () => {
  const store = await open();
  await store.add(report(1));
  await store.add(report(2));
  const path = (second: number) => join(folder, fileNameOf({ name: "sim/world", run_id: `1-${second}` }));
  writeFileSync(path(2), "{}\n{}\n");
  rmSync(path(1));
  await expect(store.read("sim/world", "1-2")).rejects.toMatchObject({ code: "conflict" });
  expect(await store.read("sim/world", "1-1")).toBeNull();
  expect(await idsOf(store)).toEqual(["sim/world 1-2"]);
});

test("a full disk is one warning; its reports stay in memory within a bound, and later ones are written again", async () => {
  let isFull = true;
  const write = async (path: string, content: string) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    writeFileSync(path, content, { mode: 0o600 });
  };
  const store = await open({ write });
  for (let second = 1; second <= 60; second++)
    await store.add(report(second, { name: `p${second % 4}`, output: printed(250_000), backtrace: null, has_backtrace: false }));
  expect(log).toHaveLength(1);
  expect(log[0]).toContain("ENOSPC");
  expect(await store.read("p0", "1-60")).toMatchObject({ run_id: "1-60" });
  const bytes = (await store.list(all, 1_000)).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  isFull = false;
  await store.add(report(61));
  await store.add(report(62));
  expect(log.slice(1)).toEqual([`info: crash reports are written to ${folder} again`]);
  expect(readdirSync(folder)).toHaveLength(2);
});

test("without a state folder reports are kept in memory", async () => {
  const store = await open({ folder: null });
  await store.add(report(1));
  expect(await store.read("sim/world", null)).toEqual(report(1));
});
