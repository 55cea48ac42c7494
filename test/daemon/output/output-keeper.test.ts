import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KeptOutput } from "../../../src/daemon/output/kept/kept-output.ts";
import { OutputKeeper } from "../../../src/daemon/output/kept/output-keeper.ts";
import { RingStore } from "../../../src/daemon/output/ring-store.ts";

const KIB = 1024;
const LIMITS = { intervalMs: 0, maxNameBytes: 64 * KIB, maxHostBytes: 256 * KIB };

function contentsOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8")) : [];
}

describe("the files of kept output", () => {
  let folder: string;
  let problems: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mgr-kept-"));
    problems = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const keeper = (rings: RingStore, changes: Partial<ConstructorParameters<typeof OutputKeeper>[0]> = {}) =>
    new OutputKeeper({ folder, rings, log: (msg) => problems.push(msg), ...LIMITS, ...changes });
  const print = (to: { rings: RingStore; files: OutputKeeper }, name: string, data: Buffer | string) => {
    to.rings.open(name, 4 * KIB * KIB).append(Buffer.from(data));
    to.files.begin(name);
    to.files.grown(name);
  };
  const contents = () => contentsOf(folder);
  const bytesOnDisk = () => readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

  test("have the exact bytes of each process for the next daemon", async () => {
    const bytes = Buffer.from(Array.from({ length: 20 * KIB }, (_, index) => index % 256));
    const rings = new RingStore();
    const files = keeper(rings);
    print({ rings, files }, "group/a", bytes);
    print({ rings, files }, "b", "text");
    await files.close({ removes: false });
    const found = new Map(
      keeper(new RingStore())
        .find()
        .map(({ name, data }) => [name, data.toString("latin1")]),
    );
    expect(found).toEqual(
      new Map([
        ["group/a", bytes.toString("latin1")],
        ["b", "text"],
      ]),
    );
  });

  test("stay within the limits of a process and of the host, and keep the newest output", async () => {
    const rings = new RingStore();
    const files = keeper(rings);
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    for (const name of names) print({ rings, files }, name, Buffer.alloc(100 * KIB, name));
    for (const name of names) print({ rings, files }, name, `the end of ${name}`);
    await files.close({ removes: false });
    expect(bytesOnDisk()).toBeLessThanOrEqual(LIMITS.maxHostBytes + 2 * names.length * 100);
    const found = keeper(new RingStore()).find();
    expect(found.length).toBeGreaterThan(0);
    for (const { name, data } of found) {
      expect(data.length).toBeLessThanOrEqual(LIMITS.maxNameBytes);
      expect(data.toString().endsWith(`the end of ${name}`)).toBe(true);
    }
  });

  test("record how many bytes are missing if a pass may write less than was printed", async () => {
    const rings = new RingStore();
    const files = keeper(rings, { maxPassBytes: 1_000 });
    print({ rings, files }, "flood", "begin");
    await files.close({ removes: false });
    const next = new RingStore();
    const later = keeper(next, { maxPassBytes: 1_000 });
    const [found] = later.find();
    next.restore(found === undefined ? [] : [{ ...found, time: 0 }]);
    later.restored("flood", next.origin);
    print({ rings: next, files: later }, "flood", Buffer.alloc(5_000, "x"));
    await later.close({ removes: false });
    expect(keeper(new RingStore()).find()[0]?.data.toString()).toBe(
      `begin\r\n[mgr: 4000 bytes of output are not kept]\r\n${"x".repeat(1_000)}`,
    );
  });

  test("that are torn are read up to the damage; others are removed", async () => {
    const rings = new RingStore();
    const files = keeper(rings);
    print({ rings, files }, "torn", "0123456789");
    await files.close({ removes: false });
    const [file = ""] = readdirSync(folder);
    truncateSync(join(folder, file), statSync(join(folder, file)).size - 3);
    writeFileSync(join(folder, `${"a".repeat(32)}.1`), Buffer.alloc(10_000, 0xff), { mode: 0o600 });
    writeFileSync(join(folder, `${"b".repeat(32)}.1`), readFileSync(join(folder, file)), { mode: 0o600 });
    writeFileSync(join(folder, `${"c".repeat(32)}.1`), "", { mode: 0o666 });
    symlinkSync("/etc/passwd", join(folder, `${"d".repeat(32)}.1`));
    expect(
      keeper(new RingStore())
        .find()
        .map(({ name, data }) => [name, data.toString()]),
    ).toEqual([["torn", "0123456"]]);
    expect(readdirSync(folder)).toEqual([file]);
  });

  test("delay a replacement of the program by one write, not by those of all processes; the rest is written afterwards", async () => {
    const rings = new RingStore();
    const files = keeper(rings);
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    for (const name of names) print({ rings, files }, name, `the end of ${name}`);
    const find = rings.find.bind(rings);
    const quiet = new Promise<void>((resolve, reject) => {
      // Called for the first write of the pass.
      rings.find = (name) => {
        rings.find = find;
        // After the pass has begun its write.
        queueMicrotask(() => files.quiet().then(resolve, reject));
        return find(name);
      };
    });
    await quiet;
    expect(contents()).toHaveLength(1);
    expect(files.handOver().grown.toSorted()).toEqual(names.slice(1).toSorted());
    files.resume();
    await expect.poll(() => contents().length).toBe(names.length);
    await files.close({ removes: true });
  });

  test("are written again if their folder is removed while the daemon runs", async () => {
    const rings = new RingStore();
    const files = keeper(rings);
    print({ rings, files }, "p", "one ");
    await expect.poll(() => contents().filter((text) => text.endsWith("one ")).length).toBe(1);
    rmSync(folder, { recursive: true });
    print({ rings, files }, "p", "two");
    await expect.poll(() => contents().filter((text) => text.endsWith("one two")).length).toBe(1);
    await files.close({ removes: false });
    expect(problems).toEqual([]);
  });
});

test("output of a new daemon begins at one offset in all rings, after the output of the previous daemon", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-kept-"));
  try {
    const options = { runtimeFolder: folder, diskFolder: join(folder, "disk"), previousEnd: null };
    const rings = new RingStore();
    const before = new KeptOutput(options, rings, () => {});
    for (const [name, text] of [
      ["a", "short"],
      ["b", "a longer one"],
    ] as const) {
      rings.open(name, 4 * KIB).append(Buffer.from(text));
      before.begin({ name });
    }
    await expect.poll(() => contentsOf(folder).filter((text) => /(short|a longer one)$/.test(text)).length).toBe(2);
    const next = new RingStore();
    const after = new KeptOutput({ ...options, previousEnd: "killed" }, next, () => {});
    expect([next.find("a")?.end, next.find("b")?.end]).toEqual([next.origin, next.origin]);
    const ring = next.open("new", 4 * KIB);
    expect([ring.start, ring.end]).toEqual([next.origin, next.origin]);
    const restored = next.find("a");
    expect(restored?.read(0, KIB).data.toString()).toMatch(/^short.*the daemon of this host ended/s);
    await before.close();
    await after.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
