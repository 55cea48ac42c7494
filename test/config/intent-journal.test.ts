import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { IntentStore } from "../../src/config/state/intent-store.ts";
import { SmallDisk } from "../e2e/support/small-disk.ts";
import { StoppableFiles } from "../support/fakes/stoppable-files.ts";

let folder = "";
let path = "";
let journal = "";
let files = new StoppableFiles();
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "mgr-journal-"));
  path = join(folder, "intent.json");
  journal = join(folder, "intent.journal");
  files = new StoppableFiles();
});
afterEach(async () => {
  await files[Symbol.asyncDispose]();
  await fs.rm(folder, { recursive: true, force: true });
});

/** Its journal is begun. */
async function begun(options: { minFullJournalBytes?: number } = {}): Promise<IntentStore> {
  const store = await IntentStore.open(path, { fileSystem: files.fileSystem, ...options });
  await store.nextEpoch();
  await store.flush();
  return store;
}

async function save(store: IntentStore, name: string): Promise<void> {
  store.set(name, { requested_state: "start" });
  await store.flush();
}

const namesOf = (store: IntentStore) => [...store.names()];

describe("the journal", () => {
  it("has the changes since the snapshot, and only its owner may read it", async () => {
    const store = await begun();
    const snapshot = await fs.readFile(path, "utf8");
    for (const name of ["a", "__proto__", "constructor"]) store.set(name, { requested_state: "start" });
    await store.flush();
    store.set("a", { rows: 3, cols: 4 });
    store.rememberLogId(77);
    await store.flush();
    expect(await fs.readFile(path, "utf8")).toBe(snapshot);
    expect((await fs.stat(journal)).mode & 0o777).toBe(0o600);
    const [header, ...changes] = (await fs.readFile(journal, "utf8")).trimEnd().split("\n");
    expect(JSON.parse(header ?? "")).toEqual({ journal: JSON.parse(snapshot).journal });
    expect(changes).toHaveLength(2);
    expect(JSON.parse(changes[1] ?? "")).toEqual({ last_log_id: 77, processes: { a: { requested_state: "start", rows: 3, cols: 4 } } });
    const again = await IntentStore.open(path);
    expect(again.get("a")).toEqual({ requested_state: "start", rows: 3, cols: 4 });
    for (const name of ["__proto__", "constructor"]) expect(again.get(name)).toEqual({ requested_state: "start" });
    expect(again.lastLogId).toBe(77);
    expect(again.epoch).toBe(store.epoch);
  });

  it("is replaced when it is full, and so is the snapshot", async () => {
    const store = await begun({ minFullJournalBytes: 2_000 });
    const { ino } = await fs.stat(journal);
    let saves = 0;
    while ((await fs.stat(journal)).ino === ino) {
      await save(store, `p${saves++}`);
      // The save after it waits for the new journal.
      await store.flush();
    }
    expect(saves).toBeGreaterThan(10);
    expect(Object.keys(JSON.parse(await fs.readFile(path, "utf8")).processes)).toHaveLength(saves);
    expect((await fs.readFile(journal, "utf8")).split("\n")).toHaveLength(2);
    expect(namesOf(await IntentStore.open(path))).toHaveLength(saves);
  });

  it("is removed by an orderly end, and the file has everything", async () => {
    const store = await begun();
    await save(store, "a");
    store.endJournal();
    await store.flush();
    expect(await fs.readdir(folder)).toEqual(["intent.json"]);
    expect(JSON.parse(await fs.readFile(path, "utf8")).processes).toEqual({ a: { requested_state: "start" } });
  });

  it("of another snapshot is ignored", async () => {
    const store = await begun();
    await save(store, "a");
    const old = await fs.readFile(journal);
    await store.rewrite();
    await store.flush();
    store.forgetStart("a");
    await store.flush();
    await fs.writeFile(journal, old);
    const next = await IntentStore.open(path);
    expect(next.warning).toBeNull();
    expect(namesOf(next)).toEqual(["a"]);
    await fs.rm(path);
    const fresh = await IntentStore.open(path);
    expect([fresh.isNew, fresh.warning, namesOf(fresh)]).toEqual([true, null, []]);
  });

  it("that cannot be begun is replaced by a snapshot for each save", async () => {
    await fs.mkdir(journal);
    const store = await IntentStore.open(path, { fileSystem: files.fileSystem }).catch((error: Error) => error.message);
    expect(store).toMatch(`${journal} is a folder (owner `);
    await fs.rmdir(journal);
    const later = await IntentStore.open(path, { fileSystem: files.fileSystem });
    await fs.mkdir(journal);
    await save(later, "a");
    await save(later, "b");
    expect(Object.keys(JSON.parse(await fs.readFile(path, "utf8")).processes)).toEqual(["a", "b"]);
    await later.flush();
    await fs.rmdir(journal);
    await later.flush();
    await save(later, "c");
    expect((await fs.readFile(journal, "utf8")).split("\n")).toHaveLength(3);
    expect(namesOf(await IntentStore.open(path))).toEqual(["a", "b", "c"]);
  });

  it("of a manager that did not end orderly is read by the next one, which makes a snapshot of it", async () => {
    await save(await begun(), "a");
    await save(await begun(), "b");
    const third = await begun();
    expect(namesOf(third)).toEqual(["a", "b"]);
    expect((await fs.readFile(journal, "utf8")).split("\n")).toHaveLength(2);
  });
});

describe("a journal with damage", () => {
  /** Two saves; then the journal is changed. */
  async function damaged(change: (lines: string[]) => string | Uint8Array): Promise<IntentStore> {
    const store = await begun();
    await save(store, "a");
    await save(store, "b");
    const lines = (await fs.readFile(journal, "utf8")).trimEnd().split("\n");
    await fs.writeFile(journal, change(lines));
    return IntentStore.open(path, { fileSystem: files.fileSystem });
  }

  it.each<[string, (lines: string[]) => string | Uint8Array, string[]]>([
    ["without the end of its line", (lines) => lines.join("\n"), ["a"]],
    ["cut off", (lines) => lines.join("\n").slice(0, -5), ["a"]],
    ["cut off, with a line end", (lines) => `${lines.join("\n").slice(0, -5)}\n`, ["a"]],
    ["not UTF-8", (lines) => Buffer.concat([Buffer.from(`${lines.join("\n")}\n{"`), Buffer.from([0xff, 10])]), ["a", "b"]],
  ])("in its last line is of a crash (%s): the line was never saved", async (_what, change, names) => {
    const store = await damaged(change);
    expect([store.warning, namesOf(store)]).toEqual([null, names]);
    expect((await fs.readdir(folder)).sort()).toEqual(["intent.journal", "intent.json"].sort());
  });

  it.each<[string, (lines: string[]) => string | Uint8Array, string[]]>([
    ["with zeros at its end", (lines) => Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), new Uint8Array(100)]), ["a", "b"]],
    ["with zeros in place of its last lines", ([header, a]) => Buffer.concat([Buffer.from(`${header}\n${a}`), new Uint8Array(90)]), []],
    ["with zeros before a line end", ([header, a]) => `${header}\n${a}\n\0\0\0\0\n`, ["a"]],
    ["in the middle", ([header, a, b]) => [header, a?.slice(0, 9), b, ""].join("\n"), []],
    ["after the first change", ([header, a, b]) => [header, a, "", b, ""].join("\n"), ["a"]],
    ["in its header", ([, a, b]) => ["{", a, b, ""].join("\n"), []],
    ["without a header", () => "", []],
    ["in two last lines", ([header, a]) => [header, a, "{", '{"'].join("\n"), ["a"]],
    ["in a value", (lines) => `${lines.join("\n")}\n{"processes": {"c": {"requested_state": "run"}}}\n`, ["a", "b"]],
    ["in a counter", (lines) => `${lines.join("\n")}\n{"epoch": -1, "processes": {}}\n`, ["a", "b"]],
  ])("%s is kept under another name, with a message for the log; the entries before it are read", async (_what, change, names) => {
    const store = await damaged(change);
    expect(store.warning).toMatch(
      /intent\.journal was damaged \(line \d: .+\); it is kept as .*intent\.journal\.damaged-1, and start and stop/,
    );
    expect(store.warning).not.toContain("\n");
    expect(store.isNew).toBe(false);
    expect(namesOf(store)).toEqual(names);
    const content = await fs.readFile(`${journal}.damaged-1`);
    expect(content).toEqual(await fs.readFile(journal));
    // A manager that is killed now reads it again.
    await store.nextEpoch();
    await save(store, "c");
    const next = await IntentStore.open(path);
    expect([next.warning, namesOf(next)]).toEqual([null, [...names, "c"]]);
    expect(await fs.readFile(`${journal}.damaged-1`)).toEqual(content);
  });

  it("beside a damaged file is set aside with it", async () => {
    await save(await begun(), "a");
    await fs.writeFile(path, "{");
    const store = await IntentStore.open(path);
    expect(store.warning).toContain("intent.json was damaged");
    expect((await fs.readdir(folder)).sort()).toEqual(["intent.journal.damaged-1", "intent.json.damaged-1"]);
  });
});

describe("a file that another program", () => {
  it.each<[string, string[], () => Promise<unknown>]>([
    ["removes", ["intent.journal"], () => fs.rm(journal)],
    ["truncates", ["intent.journal"], () => fs.truncate(journal)],
    ["appends to", ["intent.journal"], () => fs.appendFile(journal, "x")],
    ["replaces", ["intent.journal"], () => fs.cp(journal, `${journal}.new`).then(() => fs.rename(`${journal}.new`, journal))],
    ["removes, the snapshot", ["intent.json"], () => fs.rm(path)],
    ["truncates, the snapshot", ["intent.json"], () => fs.truncate(path, 5)],
    ["replaces, the snapshot and the journal", ["intent.json", "intent.journal"], () => Promise.all([fs.rm(path), fs.rm(journal)])],
  ])("%s is noticed, and written again", async (_what, lost, harm) => {
    const store = await begun();
    await save(store, "a");
    expect(await store.lostFiles()).toEqual([]);
    await harm();
    expect(await store.lostFiles()).toEqual(lost);
    await store.rewrite();
    await store.flush();
    expect(await store.lostFiles()).toEqual([]);
    await save(store, "b");
    expect(namesOf(await IntentStore.open(path))).toEqual(["a", "b"]);
  });

  it("leaves unchanged does not count as damaged, whatever is being written", async () => {
    const store = await begun({ minFullJournalBytes: 0 });
    let isOver = false;
    const saves = (async () => {
      for (let n = 0; n < 60; n++) await save(store, `p${n % 5}`);
      isOver = true;
    })();
    const lost: string[] = [];
    while (!isOver) lost.push(...(await store.lostFiles()));
    await saves;
    expect(lost).toEqual([]);
  });
});

it("on a full disk, saved changes stay, others are refused, and saved once there is room", async () => {
  using disk = new SmallDisk(join(folder, "disk"));
  path = join(folder, "disk", "intent.json");
  const store = await begun();
  disk.fill();
  let saved = 0;
  let refused = "";
  // The last block of the journal has room for some more.
  for (; refused === "" && saved < 1_000; saved += refused === "" ? 1 : 0)
    await save(store, `p${saved}`).catch((error: Error) => {
      refused = error.message;
    });
  expect(refused).toMatch(/^cannot save the requested states to .*intent\.json: ENOSPC/);
  expect(saved).toBeGreaterThan(0);
  const killed = await IntentStore.open(path);
  expect(killed.warning).toBeNull();
  expect(namesOf(killed)).toHaveLength(saved);
  await expect(save(store, "more")).rejects.toThrow("ENOSPC");
  disk.makeRoom();
  await store.flush();
  expect(namesOf(await IntentStore.open(path))).toHaveLength(saved + 2);
  await save(store, "last");
  expect(namesOf(await IntentStore.open(path))).toHaveLength(saved + 3);
  await files[Symbol.asyncDispose]();
});
