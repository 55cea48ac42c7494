import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileBytes, HEADER_BYTES, layoutOf, slotBytes } from "../../../../../src/features/load-history/host/rings/layout.ts";
import { SmallDisk } from "../../../../e2e/support/small-disk.ts";
import { FilesRig, figuresOf, LONG, SERIES, SHORT, slotsIn, storeIn } from "./rig.ts";

const WHOLE = fileBytes(layoutOf(SERIES, 0));

test("slots outlive the daemon, in private files whose names are safe for every name of a process", async () => {
  using rig = new FilesRig();
  const names = ["sim/world", "../../etc/passwd", "__proto__", "a\u0000b", "-rf *", "ж".repeat(500), ".", ""];
  const files = await rig.files();
  const at = rig.now();
  for (const [index, name] of names.entries()) storeIn(files, name).put(SHORT, at, figuresOf(index + 1));
  await files.close();
  expect(readdirSync(rig.root)).toEqual(["load-history"]);
  for (const fileName of readdirSync(rig.folder)) {
    expect(fileName).toMatch(/^[0-9a-f]{32}\.load$/);
    expect(statSync(join(rig.folder, fileName)).mode & 0o777).toBe(0o600);
    expect(statSync(join(rig.folder, fileName)).size).toBe(WHOLE);
  }
  expect(statSync(rig.folder).mode & 0o777).toBe(0o700);
  const later = await rig.files();
  expect(later.names.sort()).toEqual([...names].sort());
  for (const [index, name] of names.entries())
    expect([...(await slotsIn(later, storeIn(later, name), SHORT, { from: at - 5, until: at + 5 }))]).toEqual([[at, index + 1]]);
  await later.close();
  expect(rig.log).toEqual([]);
});

test("a ring that is full has its newest slots", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  const store = storeIn(files, "p");
  const [length] = layoutOf(SERIES, 0).slots;
  await rig.clock.advance(10_000 * 2_500);
  const now = rig.now();
  for (let number = now - 2_500; number < now; number++) {
    store.put(SHORT, number, figuresOf(number % 1_000));
    // More than what may wait is written meanwhile.
    if (number % 5 === 0) await files.save();
  }
  await files.save();
  const found = await slotsIn(files, store, SHORT, { from: now - 3_000, until: now + 10 });
  expect([...found.keys()]).toEqual(Array.from({ length }, (_, index) => now - length + index));
  for (const [number, figure] of found) expect(figure).toBe(number % 1_000);
  await files.close();
});

test("a torn slot is a gap, and a file with a damaged header begins anew", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  const at = rig.now();
  for (const name of ["torn", "damaged"]) {
    const store = storeIn(files, name);
    for (let number = at - 3; number <= at; number++) store.put(SHORT, number, figuresOf(1));
  }
  await files.close();
  const bytesOf = (name: string) => {
    const path = readdirSync(rig.folder)
      .map((fileName) => join(rig.folder, fileName))
      .find((each) => readFileSync(each).includes(name));
    if (path === undefined) throw new Error(`${name} has no file`);
    return { path, bytes: readFileSync(path) };
  };
  const torn = bytesOf("torn");
  const place = HEADER_BYTES + slotBytes({ series: SERIES }) * ((at - 1) % layoutOf(SERIES, 0).slots[0]);
  torn.bytes.fill(0, place + 40, place + 60);
  writeFileSync(torn.path, torn.bytes);
  const damaged = bytesOf("damaged");
  damaged.bytes.fill(7, 0, 100);
  writeFileSync(damaged.path, damaged.bytes);
  const later = await rig.files();
  const range = { from: at - 10, until: at + 10 };
  expect([...(await slotsIn(later, storeIn(later, "torn"), SHORT, range)).keys()]).toEqual([at - 3, at - 2, at]);
  expect(later.names).toEqual(["torn"]);
  storeIn(later, "damaged").put(SHORT, at, figuresOf(2));
  await later.save();
  expect([...(await slotsIn(later, storeIn(later, "damaged"), SHORT, range))]).toEqual([[at, 2]]);
  await later.close();
});

test("a long slot that the last daemon could not write is made of its short ones", async () => {
  using rig = new FilesRig();
  await rig.clock.advance(3_600_000);
  const files = await rig.files();
  const store = storeIn(files, "p");
  const begun = rig.now(LONG);
  for (let number = begun * 30; number < begun * 30 + 10; number++) store.put(SHORT, number, figuresOf(5));
  await files.close();
  await rig.clock.advance(600_000);
  const later = await rig.files();
  expect([...(await slotsIn(later, storeIn(later, "p"), LONG, { from: begun - 3, until: begun + 3 }))]).toEqual([[begun, 5]]);
  await later.close();
});

test("what was written while the wall clock was ahead is removed", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  const at = rig.now();
  storeIn(files, "p").put(SHORT, at, figuresOf(1));
  storeIn(files, "p").put(SHORT, at + 100, figuresOf(2));
  await files.close();
  const later = await rig.files();
  const store = storeIn(later, "p");
  expect([...(await slotsIn(later, store, SHORT, { from: at - 10, until: at + 200 }))]).toEqual([[at, 1]]);
  store.put(SHORT, at + 1, figuresOf(3));
  store.put(SHORT, at + 2, figuresOf(3));
  await later.save();
  // Set back while the daemon runs.
  store.discardAfter(SHORT, at + 1);
  expect([...(await slotsIn(later, store, SHORT, { from: at, until: at + 5 })).keys()]).toEqual([at, at + 1]);
  await later.close();
  await rig.clock.advance(60_000);
  const last = await rig.files();
  expect([...(await slotsIn(last, storeIn(last, "p"), SHORT, { from: at, until: at + 5 })).keys()]).toEqual([at, at + 1]);
  await last.close();
});

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
const bytesIn = (folder: string) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

test("where the files would exceed their space, all rings are shortened evenly, and are long again when there is room", async () => {
  using rig = new FilesRig();
  const maxBytes = 4.5 * WHOLE;
  const files = await rig.files({ maxBytes, maxOpenFiles: 3 });
  const at = rig.now();
  for (const name of namesOf(10)) storeIn(files, name).put(LONG, rig.now(LONG), figuresOf(1));
  for (const name of namesOf(10)) storeIn(files, name).put(SHORT, at, figuresOf(2));
  await files.close();
  expect(bytesIn(rig.folder)).toBeLessThanOrEqual(maxBytes);
  const sizes = new Set(readdirSync(rig.folder).map((name) => statSync(join(rig.folder, name)).size));
  expect([...sizes]).toEqual([fileBytes(layoutOf(SERIES, 2))]);
  const later = await rig.files({ maxBytes, maxOpenFiles: 3 });
  for (const name of namesOf(10))
    expect([...(await slotsIn(later, storeIn(later, name), SHORT, { from: at - 2, until: at + 2 }))]).toEqual([[at, 2]]);
  await later.close();
  const roomy = await rig.files({ maxBytes: 100 * WHOLE });
  expect(bytesIn(rig.folder)).toBe(10 * WHOLE);
  expect([...(await slotsIn(roomy, storeIn(roomy, "p7"), SHORT, { from: at - 2, until: at + 2 }))]).toEqual([[at, 2]]);
  await roomy.close();
});

test("at the bound, files that are no longer written are removed first, the oldest first; after 30 days each is", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  for (const name of namesOf(4)) storeIn(files, name).put(SHORT, rig.now(), figuresOf(1));
  await files.close();
  const paths = new Map(readdirSync(rig.folder).map((name) => [name, join(rig.folder, name)]));
  const pathOf = (name: string) =>
    [...paths.values()].find(
      (path) =>
        readFileSync(path)
          .subarray(32, 32 + name.length)
          .toString() === name,
    ) ?? "";
  const aged = (name: string, hours: number) => {
    const seconds = rig.clock.now() / 1_000 - hours * 3_600;
    utimesSync(pathOf(name), seconds, seconds);
  };
  aged("p0", 31 * 24);
  aged("p1", 2);
  aged("p2", 3);
  aged("p3", 0);
  const later = await rig.files({ maxBytes: 3 * WHOLE });
  expect(later.names.sort()).toEqual(["p1", "p2", "p3"]);
  storeIn(later, "new").put(SHORT, rig.now(), figuresOf(1));
  await later.save();
  expect(later.names.sort()).toEqual(["new", "p1", "p3"]);
  await later.close();
});

test("a link that was planted is not followed, and the other files are written", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  storeIn(files, "p").put(SHORT, rig.now(), figuresOf(1));
  await files.close();
  const [fileName = ""] = readdirSync(rig.folder);
  const target = join(rig.root, "target");
  writeFileSync(target, "precious");
  rmSync(join(rig.folder, fileName));
  symlinkSync(target, join(rig.folder, fileName));
  const later = await rig.files();
  storeIn(later, "p").put(SHORT, rig.now(), figuresOf(1));
  storeIn(later, "q").put(SHORT, rig.now(), figuresOf(1));
  await later.close();
  expect(readFileSync(target, "utf8")).toBe("precious");
  expect(readdirSync(rig.folder)).toHaveLength(2);
  expect(rig.log).toEqual([expect.stringMatching(/^warning: load history cannot be written to .*load-history.* is a symbolic link/)]);
});

test("on a full disk the newest slots stay in memory, with one warning that names the folder, and are written once there is room", async () => {
  using rig = new FilesRig();
  const folder = join(rig.root, "disk");
  using disk = new SmallDisk(folder);
  disk.fill();
  const files = await rig.files({ folder: join(folder, "load-history") });
  const store = storeIn(files, "p");
  const at = rig.now();
  for (let number = at; number < at + 100; number++) {
    store.put(SHORT, number, figuresOf(1));
    await rig.clock.advance(10_000);
    await files.save();
  }
  const range = { from: at, until: at + 200 };
  expect([...(await slotsIn(files, store, SHORT, range)).keys()]).toEqual(Array.from({ length: 8 }, (_, index) => at + 92 + index));
  expect(rig.log).toEqual([
    expect.stringMatching(new RegExp(`^warning: load history cannot be written to ${folder}/load-history: ENOSPC`)),
  ]);
  disk.makeRoom();
  await rig.clock.advance(60_000);
  store.put(SHORT, at + 101, figuresOf(1));
  await files.save();
  expect(rig.log.at(-1)).toBe(`info: load history is written to ${folder}/load-history again`);
  await files.close();
  const later = await rig.files({ folder: join(folder, "load-history") });
  expect((await slotsIn(later, storeIn(later, "p"), SHORT, range)).size).toBe(8);
  await later.close();
});

test("a folder that was removed while the daemon runs is written again", async () => {
  using rig = new FilesRig();
  const files = await rig.files();
  const store = storeIn(files, "p");
  store.put(SHORT, rig.now(), figuresOf(1));
  await files.save();
  rmSync(rig.folder, { recursive: true });
  await rig.clock.advance(60_000);
  store.put(SHORT, rig.now() + 1, figuresOf(1));
  await files.close();
  expect(readdirSync(rig.folder)).toHaveLength(1);
  expect(rig.log).toEqual([]);
});
