import { closeSync, fstatSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { KernelTimes } from "../../../src/daemon/handover/kernel-times.ts";
import { prlimit } from "../../../src/daemon/native/libc.ts";
import { BLOCK_BYTES } from "../../../src/daemon/output/output-ring.ts";
import { placesOf, RingStore } from "../../../src/daemon/output/ring-store.ts";
import { SharedBlocks } from "../../../src/daemon/output/shared-blocks.ts";

const times = new KernelTimes({ monotonic: () => performance.now() });
const fail = (msg: string) => {
  throw new Error(msg);
};
const RLIMIT_FSIZE = 1;
const RLIMIT_NOFILE = 7;
const BLOCK = Buffer.alloc(BLOCK_BYTES, "0123456789abcde\n");

/** Memory that a file in memory uses, bytes. */
const used = (fd: number | null) => fstatSync(fd ?? -1).blocks * 512;

describe("the blocks of rings in a file in memory", () => {
  test("are found by the next program where they were, beside small ones, which are copied", () => {
    const source = new SharedBlocks(fail);
    const rings = new RingStore(undefined, source);
    for (let index = 0; index < 100; index++) rings.open("loud", 64 * BLOCK_BYTES).append(BLOCK);
    rings.open("loud", 64 * BLOCK_BYTES).append(Buffer.from("the end"));
    rings.open("quiet", BLOCK_BYTES).append(Buffer.from("a line\n"));
    const { state, bytes } = rings.handOver(times);
    expect(Object.keys(bytes)).toEqual(["ring/0/quiet"]);

    const fd = source.descriptor ?? -1;
    const next = SharedBlocks.take(fd, fail);
    const taken = new RingStore(undefined, next);
    taken.take(state, { shared: next.claim(placesOf(state)), bytes, times });
    for (const name of ["loud", "quiet"]) {
      const [before, after] = [rings.find(name), taken.find(name)];
      expect([after?.start, after?.end]).toEqual([before?.start, before?.end]);
      expect(after?.read(0, 2 ** 30).data.equals(before?.read(0, 2 ** 30).data ?? BLOCK)).toBe(true);
    }
    // Output that follows must not be written over that of another ring.
    const loud = taken.find("loud")?.read(0, 2 ** 30).data;
    for (let index = 0; index < 100; index++) taken.open("third", 64 * BLOCK_BYTES).append(Buffer.alloc(BLOCK_BYTES, "x"));
    expect(
      taken
        .find("loud")
        ?.read(0, 2 ** 30)
        .data.equals(loud ?? BLOCK),
    ).toBe(true);
    next.close();
  });

  test("are reused, and their memory is returned if many are free", () => {
    const source = new SharedBlocks(fail);
    const blocks = Array.from({ length: 1_024 }, () => source.allocate());
    const size = fstatSync(source.descriptor ?? -1).size;
    expect(size).toBe(1_024 * BLOCK_BYTES);
    for (const block of blocks) source.release(block);
    expect(used(source.descriptor)).toBe(512 * BLOCK_BYTES);
    const again = new Set(Array.from({ length: 1_024 }, () => source.placeOf(source.allocate())));
    expect(again.size).toBe(1_024);
    expect(used(source.descriptor)).toBe(size);
    expect(fstatSync(source.descriptor ?? -1).size).toBe(size);
    source.close();
  });

  test("are returned to the system by the next program if it does not need them", () => {
    const source = new SharedBlocks(fail);
    const blocks = Array.from({ length: 100 }, () => source.allocate());
    const places = blocks.map((block) => source.placeOf(block)).filter((place) => place !== null);
    for (const block of blocks.splice(3)) source.release(block);
    expect(used(source.descriptor)).toBe(128 * BLOCK_BYTES);
    const next = SharedBlocks.take(source.descriptor ?? -1, fail);
    for (const block of blocks) block.fill("x");
    const claimed = next.claim(places.slice(0, 3));
    expect(used(source.descriptor)).toBe(3 * BLOCK_BYTES);
    for (const block of claimed.values()) expect(block.equals(Buffer.alloc(BLOCK_BYTES, "x"))).toBe(true);
    next.close();
  });

  test("are in the heap where the file cannot grow, which is logged once", () => {
    const logged: string[] = [];
    const source = new SharedBlocks((msg) => logged.push(msg));
    source.allocate();
    closeSync(source.descriptor ?? -1);
    const blocks = Array.from({ length: 100 }, () => source.allocate());
    expect(blocks.filter((block) => source.placeOf(block) === null).length).toBe(69);
    expect(blocks.every(({ length }) => length === BLOCK_BYTES)).toBe(true);
    expect(logged).toEqual([expect.stringContaining("more output is kept in the heap")]);
  });

  test("are in the heap where the limit of the size of files is reached, instead of a signal", () => {
    const logged: string[] = [];
    const source = new SharedBlocks((msg) => logged.push(msg));
    const before = Buffer.alloc(16);
    prlimit(0, RLIMIT_FSIZE, null, before);
    const low = Buffer.from(before);
    low.writeBigUInt64LE(BigInt(64 * BLOCK_BYTES));
    prlimit(0, RLIMIT_FSIZE, low, null);
    try {
      const blocks = Array.from({ length: 100 }, () => source.allocate().fill("x"));
      expect(blocks.filter((block) => source.placeOf(block) === null).length).toBe(36);
    } finally {
      prlimit(0, RLIMIT_FSIZE, before, null);
    }
    expect(logged).toEqual([expect.stringContaining("RLIMIT_FSIZE")]);
    source.close();
  });

  test("are in the heap where a file in memory cannot be opened", () => {
    const logged: string[] = [];
    const before = Buffer.alloc(16);
    prlimit(0, RLIMIT_NOFILE, null, before);
    const none = Buffer.from(before);
    none.writeBigUInt64LE(0n);
    const source = new SharedBlocks((msg) => logged.push(msg));
    prlimit(0, RLIMIT_NOFILE, none, null);
    try {
      expect(source.placeOf(source.allocate())).toBeNull();
      expect(source.descriptor).toBeNull();
    } finally {
      prlimit(0, RLIMIT_NOFILE, before, null);
    }
    expect(logged).toEqual([expect.stringContaining("memfd_create failed with EMFILE")]);
  });

  test("that are claimed twice, or were never there, are refused", () => {
    const source = new SharedBlocks(fail);
    source.allocate();
    const next = SharedBlocks.take(source.descriptor ?? -1, fail);
    next.claim([BLOCK_BYTES]);
    for (const place of [BLOCK_BYTES, 5, 1024 * 1024]) expect(() => next.claim([place])).toThrow(/a block at \d+, where there is none/);
    next.close();
  });
});
