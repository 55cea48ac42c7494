import { closeSync, ftruncateSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Histories } from "../../../../../src/features/load-history/host/histories.ts";
import { fileNameOf } from "../../../../../src/features/load-history/host/rings/history-entry.ts";
import type { HistoryFiles } from "../../../../../src/features/load-history/host/rings/history-files.ts";
import { fileBytes, layoutOf } from "../../../../../src/features/load-history/host/rings/layout.ts";
import { PROCESS_SERIES } from "../../../../../src/features/load-history/series.ts";
import { SmallDisk } from "../../../../e2e/support/small-disk.ts";
import { FilesRig, figuresOf, SERIES, SHORT, slotsIn, storeIn } from "./rig.ts";

/** Slots that a daemon with many processes may lose if it is killed: a minute. */
const MAX_LOST_SLOTS = 6;
const SAMPLE_MS = 10_000;

const storesIn = (files: HistoryFiles, count: number) => Array.from({ length: count }, (_, index) => storeIn(files, `p${index}`));

/** One sample of each process, and the save after it. */
async function sample(rig: FilesRig, files: HistoryFiles, stores: ReturnType<typeof storesIn>): Promise<void> {
  await rig.clock.advance(SAMPLE_MS);
  for (const store of stores) store.put(SHORT, rig.now(), figuresOf(1));
  await files.save();
}

test("1,000 files are created and written a part at a time, and at most the last minute of each is not written", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  const stores = storesIn(files, 1_000);
  const numbers: number[] = [];
  const written: number[] = [];
  let created = 0;
  for (let round = 0; round < 14; round++) {
    const waiting = new Map(stores.map((store) => [store, store.oldestInMemory(SHORT)]));
    await sample(rig, files, stores);
    numbers.push(rig.now());
    for (const store of stores) expect(rig.now() - (store.oldestInMemory(SHORT) ?? rig.now())).toBeLessThan(MAX_LOST_SLOTS);
    written.push(stores.filter((store) => store.oldestInMemory(SHORT) !== (waiting.get(store) ?? rig.now())).length);
    const { length } = readdirSync(rig.folder);
    expect(length - created).toBeLessThanOrEqual(200);
    created = length;
  }
  // Processes that have just started are left alone.
  expect(written[0]).toBe(0);
  expect(Math.max(...written)).toBeLessThanOrEqual(200);
  expect(created).toBe(1_000);
  const range = { from: 0, until: rig.now() + 1 };
  for (const name of ["p0", "p500", "p999"]) {
    const store = stores.find((each) => each.name === name);
    if (store === undefined) throw new Error(`${name} has no store`);
    expect([...(await slotsIn(files, store, SHORT, range)).keys()]).toEqual(numbers);
  }
  await files.close();
  const later = await rig.files();
  for (const name of ["p0", "p500", "p999"])
    expect([...(await slotsIn(later, storeIn(later, name), SHORT, range)).keys()]).toEqual(numbers);
  await later.close();
  expect(rig.log).toEqual([]);
});

test("a daemon that is killed while it creates files leaves only whole ones, and the next daemon completes the others", async () => {
  using rig = new FilesRig();
  const killed = await rig.files();
  const stores = storesIn(killed, 300);
  for (let round = 0; round < 3; round++) await sample(rig, killed, stores);
  const there = readdirSync(rig.folder).length;
  expect(there).toBeGreaterThan(0);
  expect(there).toBeLessThan(300);
  // The two moments at which a file is not whole: before it has its length, and before it has its header.
  for (const [name, length] of [["p298", 0] as const, ["p299", fileBytes(layoutOf(SERIES, 0))] as const]) {
    const file = openSync(join(rig.folder, fileNameOf(name)), "wx", 0o600);
    ftruncateSync(file, length);
    closeSync(file);
  }
  const next = await rig.files();
  expect(next.names).toHaveLength(there);
  const before = { from: 0, until: rig.now() + 1 };
  for (const name of next.names) expect((await slotsIn(next, storeIn(next, name), SHORT, before)).size).toBeGreaterThan(0);
  const again = storesIn(next, 300);
  for (let round = 0; round < 7; round++) await sample(rig, next, again);
  expect(readdirSync(rig.folder)).toHaveLength(300);
  for (const store of again) expect((await slotsIn(next, store, SHORT, { from: before.until, until: rig.now() + 1 })).size).toBe(7);
  await Promise.all([next.close(), killed.close()]);
  expect(rig.log).toEqual([]);
});

test("a disk that is full while files are created loses nothing of the newest 80 s, and they are written once there is room", async () => {
  using rig = new FilesRig();
  const folder = join(rig.root, "disk");
  using disk = new SmallDisk(folder, 8);
  const files = await rig.files({ folder: join(folder, "load-history") });
  const stores = storesIn(files, 300);
  for (let round = 0; round < 3; round++) await sample(rig, files, stores);
  const there = readdirSync(join(folder, "load-history")).length;
  expect(there).toBeGreaterThan(0);
  disk.fill();
  for (let round = 0; round < 12; round++) await sample(rig, files, stores);
  expect(readdirSync(join(folder, "load-history")).length).toBeLessThan(300);
  const newest = Array.from({ length: 8 }, (_, index) => rig.now() - 7 + index);
  for (const store of stores)
    expect([...(await slotsIn(files, store, SHORT, { from: rig.now() - 7, until: rig.now() + 1 })).keys()]).toEqual(newest);
  disk.makeRoom();
  for (let round = 0; round < 10; round++) await sample(rig, files, stores);
  expect(readdirSync(join(folder, "load-history"))).toHaveLength(300);
  for (const store of stores) expect(rig.now() - (store.oldestInMemory(SHORT) ?? rig.now())).toBeLessThan(MAX_LOST_SLOTS);
  expect(rig.log).toEqual([
    expect.stringMatching(new RegExp(`^warning: load history cannot be written to ${folder}/load-history: ENOSPC`)),
    `info: load history is written to ${folder}/load-history again`,
  ]);
  await files.close();
});

test("processes that end before they have a file keep their history in memory until it is written", async () => {
  using rig = new FilesRig();
  const histories = new Histories({ clock: rig.clock, log: (_level, msg) => rig.log.push(msg), stateFolder: rig.root, machineSeries: 1 });
  await histories.begun;
  const names = Array.from({ length: 600 }, (_, index) => `p${index}`);
  const time = rig.clock.now();
  const figures = PROCESS_SERIES.map(() => 1);
  for (const name of names) histories.open(name).add(figures, { from: time - SAMPLE_MS, to: time });
  for (const name of names) histories.end(name);
  const range = { from: 0, until: rig.now() + 1 };
  const known = async (name: string) => {
    const store = histories.find(name)?.store ?? storeIn(histories.files as HistoryFiles, name);
    return (await slotsIn(histories.files as HistoryFiles, store, SHORT, range)).size;
  };
  for (let round = 0; round < MAX_LOST_SLOTS; round++) {
    histories.tidy();
    for (const name of names) expect(await known(name)).toBe(1);
    await histories.files?.save();
    await rig.clock.advance(SAMPLE_MS);
  }
  histories.tidy();
  expect(names.filter((name) => histories.find(name) !== undefined)).toEqual([]);
  expect(readdirSync(rig.folder)).toHaveLength(600);
  await histories.close();
  expect(rig.log).toEqual([]);
});

test("one file of many that was removed is written again", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  const stores = storesIn(files, 5);
  for (let round = 0; round < 3; round++) await sample(rig, files, stores);
  const removed = join(rig.folder, fileNameOf("p2"));
  rmSync(removed);
  await sample(rig, files, stores);
  expect(readdirSync(rig.folder)).toHaveLength(5);
  await files.close();
  const later = await rig.files();
  const found = await slotsIn(later, storeIn(later, "p2"), SHORT, { from: 0, until: rig.now() + 1 });
  expect([...found.keys()]).toEqual([rig.now()]);
  await later.close();
});
