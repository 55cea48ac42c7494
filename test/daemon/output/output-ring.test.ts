import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_BYTES, OutputRing } from "../../../src/daemon/output/output-ring.ts";
import { RingStore } from "../../../src/daemon/output/ring-store.ts";

/** What a ring is, in the plainest words: all bytes ever, and how many of the oldest are gone. */
function modelTail(all: Buffer, start: number, lines: number): { from: number; truncated: boolean } {
  let missing = lines;
  for (let offset = all.length - 2; offset >= start; offset--) {
    if (all[offset] === 0x0a && --missing === 0) return { from: offset + 1, truncated: false };
  }
  return { from: start, truncated: start > 0 };
}

/** Lines of many lengths, at times far over a block. */
const writes = fc.array(
  fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "\n", "ü"), maxLength: 200 }).map((text) => Buffer.from(text)),
    fc.tuple(fc.nat(3 * BLOCK_BYTES), fc.nat(255)).map(([length, seed]) => Buffer.alloc(length, Buffer.from(`line ${seed}\n`))),
  ),
  { maxLength: 12 },
);

describe("an output ring", () => {
  test("holds all bytes but the oldest blocks, as an array would", () => {
    fc.assert(
      fc.property(writes, fc.integer({ min: 4_096, max: 5 * BLOCK_BYTES }), fc.infiniteStream(fc.nat()), (pieces, backlog, numbers) => {
        const ring = new OutputRing(backlog);
        let all = Buffer.alloc(0);
        const next = (limit: number): number => (numbers.next().value as number) % (limit + 1);
        for (const piece of pieces) {
          ring.append(piece);
          all = Buffer.concat([all, piece]);
          expect(ring.end).toBe(all.length);
          expect(ring.start % BLOCK_BYTES).toBe(0);
          const kept = ring.end - ring.start;
          expect(kept).toBeGreaterThanOrEqual(Math.min(backlog, all.length));
          expect(kept).toBeLessThan(backlog + BLOCK_BYTES + 1);

          const from = next(all.length + 10);
          const max = next(2 * BLOCK_BYTES);
          const read = ring.read(from, max);
          expect(read.from).toBe(Math.min(Math.max(from, ring.start), ring.end));
          expect(read.data.equals(all.subarray(read.from, read.from + max))).toBe(true);

          const lines = 1 + next(40);
          expect(ring.tail(lines)).toEqual(modelTail(all, ring.start, lines));
        }
      }),
      { numRuns: 150 },
    );
  });

  test("never changes bytes that it has handed out", () => {
    const ring = new OutputRing(4_096);
    ring.append(Buffer.from("first"));
    const { data } = ring.read(0, 100);
    for (let round = 0; round < 100; round++) ring.append(Buffer.alloc(5_000, "x"));
    expect(data.toString()).toBe("first");
  });

  test("finds the end of its last whole character", () => {
    const ring = new OutputRing(4_096);
    const ends = [...Buffer.from("a€😀\n")].map((byte) => {
      ring.append(Buffer.of(byte));
      return ring.characterEnd;
    });
    expect(ends).toEqual([1, 1, 1, 4, 4, 4, 4, 8, 9]);
    ring.append(Buffer.alloc(BLOCK_BYTES, "é"));
    ring.append(Buffer.of(0xc3));
    expect(ring.characterEnd).toBe(ring.end - 1);
  });

  test("keeps everything after its pin, within bounds, and then drops the excess", () => {
    const ring = new OutputRing(4_096);
    ring.append(Buffer.alloc(100_000));
    ring.pin = 90_000;
    ring.append(Buffer.alloc(1_000_000));
    expect(ring.start).toBeLessThanOrEqual(90_000);
    ring.append(Buffer.alloc(5_000_000));
    expect(ring.end - ring.start).toBeLessThan(4 * 1_048_576 + 2 * BLOCK_BYTES);
    expect(ring.start).toBeGreaterThan(90_000);
    ring.pin = null;
    expect(ring.end - ring.start).toBeLessThan(4_096 + 2 * BLOCK_BYTES);
  });

  test("finds the last 100,000 lines", () => {
    const ring = new OutputRing(16 * 1024 * 1024);
    for (let line = 0; line < 120_000; line++) ring.append(Buffer.from(`${line}`.padStart(99, ".").concat("\n")));
    expect(ring.tail(100_000)).toEqual({ from: 20_000 * 100, truncated: false });
  });

  test("takes little memory for little output", () => {
    const rings = new RingStore();
    for (let index = 0; index < 1_000; index++) rings.open(`p${index}`, 4 * 1024 * 1024).append(Buffer.from("a line\n"));
    expect(rings.bytes).toBe(1_000 * 1024);
  });
});

describe("the rings of a daemon", () => {
  const fill = (rings: RingStore, name: string, blocks: number): void => {
    const ring = rings.open(name, 1024 * 1024 * 1024);
    for (let block = 0; block < blocks; block++) ring.append(Buffer.alloc(BLOCK_BYTES, name));
  };

  test("stay within their budget: the oldest blocks of the largest are dropped first", () => {
    const rings = new RingStore(64 * BLOCK_BYTES);
    fill(rings, "small", 8);
    fill(rings, "large", 200);
    expect(rings.bytes).toBeLessThanOrEqual(64 * BLOCK_BYTES);
    expect(rings.find("small")).toMatchObject({ start: 0, end: 8 * BLOCK_BYTES });
    const large = rings.find("large");
    expect(large?.end).toBe(200 * BLOCK_BYTES);
    expect(large?.read(0, 10).from).toBe(large?.start);
    // Nobody is left with less than a fair share for somebody else's flood.
    fill(rings, "other", 100);
    expect(rings.bytes).toBeLessThanOrEqual(64 * BLOCK_BYTES);
    expect(rings.find("small")?.start).toBe(0);
    expect(rings.find("other")?.blockCount).toBeGreaterThan(20);
    expect(large?.blockCount).toBeGreaterThan(20);
  });

  test("keep the newest block of each, whatever the budget", () => {
    const rings = new RingStore(BLOCK_BYTES);
    for (let index = 0; index < 4; index++) fill(rings, `p${index}`, 3);
    for (let index = 0; index < 4; index++) expect(rings.find(`p${index}`)?.blockCount).toBe(1);
  });

  test("a run with a smaller backlog than the last shrinks the ring of its name", () => {
    const rings = new RingStore();
    fill(rings, "p", 20);
    rings.open("p", 4_096);
    expect(rings.find("p")?.blockCount).toBe(1);
  });
});
