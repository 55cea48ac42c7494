import fc from "fast-check";
import { expect, test } from "vitest";
import { FileImage } from "../../../../../src/features/load-history/host/rings/file-image.ts";
import { decodeHeader, encodeHeader } from "../../../../../src/features/load-history/host/rings/header.ts";
import { fileBytes, LONG, layoutOf, MAX_LEVEL, SHORT } from "../../../../../src/features/load-history/host/rings/layout.ts";
import { Slots } from "../../../../../src/features/load-history/host/rings/slot.ts";
import { SlotBlock } from "../../../../../src/features/load-history/host/rings/slot-block.ts";

const SERIES = 2;
const figuresOf = (number: number) => Float32Array.from({ length: 3 * SERIES }, (_, at) => number * 10 + at);
const numbers = fc.integer({ min: 1, max: 2 ** 32 - 1 });

test("a slot is read back as it was written, whatever its figures", () => {
  const figures = fc.float32Array({ minLength: 3 * SERIES, maxLength: 3 * SERIES });
  fc.assert(
    fc.property(numbers, figures, (number, written) => {
      const slots = Slots.empty(SERIES, 3);
      slots.put(1, number, written);
      expect([slots.numberAt(0), slots.numberAt(1), slots.numberAt(2)]).toEqual([0, number, 0]);
      expect(slots.figuresAt(1)).toEqual(written);
    }),
  );
});

test("a slot of which any bit differs is a gap", () => {
  fc.assert(
    fc.property(numbers, fc.nat(), (number, seed) => {
      const slots = Slots.empty(SERIES, 1);
      slots.put(0, number, figuresOf(number % 1_000));
      const bit = seed % (slots.words.length * 32);
      const word = Math.floor(bit / 32);
      slots.words[word] = ((slots.words[word] ?? 0) ^ (1 << (bit % 32))) >>> 0;
      expect(slots.numberAt(0)).toBe(0);
    }),
  );
});

test("a block has the newest slots that were put, one at each place", () => {
  const length = 7;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }), (puts) => {
      const block = new SlotBlock(SERIES, length);
      const model = new Map<number, number>();
      for (const number of puts) {
        block.put(number, figuresOf(number));
        model.set(number % length, number);
      }
      expect(block.numbers()).toEqual([...model.values()].sort((a, b) => a - b));
      for (const number of model.values()) expect(block.get(number)).toEqual(figuresOf(number));
      block.discardAfter(20);
      expect(block.numbers()).toEqual([...model.values()].filter((number) => number <= 20).sort((a, b) => a - b));
    }),
  );
});

test("a header tells name and layout, and one of which any byte differs is none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 255 }), fc.nat({ max: MAX_LEVEL }), fc.nat({ max: 4_095 }), (name, level, at) => {
      const header = { name: name.slice(0, 1_000), layout: layoutOf(8, level) };
      const bytes = new Uint8Array(encodeHeader(header));
      expect(decodeHeader(bytes.buffer)).toEqual({ ...header, name: Buffer.from(header.name).toString() });
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      expect(decodeHeader(bytes.buffer)).toBeNull();
    }),
  );
});

test("a file with rings of another length has the newest slots that fit, and no others", () => {
  const layouts = fc.nat({ max: MAX_LEVEL }).map((level) => layoutOf(SERIES, level));
  fc.assert(
    fc.property(layouts, layouts, fc.integer({ min: 1, max: 1e6 }), fc.uniqueArray(fc.nat({ max: 3_000 })), (from, to, first, offsets) => {
      const image = FileImage.empty({ name: "p", layout: from });
      const slots = image.ring(SHORT);
      const there = offsets.filter((offset) => offset < from.slots[SHORT]).map((offset) => first + offset);
      for (const number of there) slots.put(number % from.slots[SHORT], number, figuresOf(number));
      const resized = image.resized(to);
      const newest = Math.max(...there);
      const kept = there.filter((number) => number > newest - to.slots[SHORT]).sort((a, b) => a - b);
      expect(resized.numbers(SHORT)).toEqual(kept);
      for (const number of kept) expect(resized.ring(SHORT).figuresAt(number % to.slots[SHORT])).toEqual(figuresOf(number));
      expect(resized.bytes.byteLength).toBe(fileBytes(to));
    }),
    { numRuns: 30 },
  );
});

test("a file that was cut, or is longer, is read as far as it goes", () => {
  const image = FileImage.empty({ name: "p", layout: layoutOf(SERIES, 4) });
  const slots = image.ring(SHORT);
  for (let number = 1; number <= 100; number++) slots.put(number, number, figuresOf(number));
  const cut = FileImage.read(image.bytes.slice(0, 4_096 + 32 * 50));
  expect(cut?.numbers(SHORT)).toEqual(Array.from({ length: 49 }, (_, index) => index + 1));
  const longer = new Uint8Array(image.bytes.byteLength + 10);
  longer.set(new Uint8Array(image.bytes));
  expect(FileImage.read(longer.buffer)?.numbers(SHORT)).toHaveLength(100);
  expect(FileImage.read(new ArrayBuffer(10))).toBeNull();
});

test("long slots that are missing are made of their short ones, up to the one that is not over", () => {
  const image = FileImage.empty({ name: "p", layout: layoutOf(1, 0) });
  const short = image.ring(SHORT);
  for (let number = 60; number < 130; number++) short.put(number, number, Float32Array.from([number, number + 1, number + 2]));
  image.ring(LONG).put(3, 3, Float32Array.from([7, 7, 7]));
  const missing = image.missingLong(4);
  expect([...missing.keys()]).toEqual([2]);
  expect([...(missing.get(2) ?? [])]).toEqual([60, 75.5, 91]);
});

test("a file has about 1 MiB where its rings are whole, and each level halves them", () => {
  expect(fileBytes(layoutOf(8, 0)) / 2 ** 20).toBeCloseTo(1.075, 2);
  expect(layoutOf(8, 0).slots).toEqual([(6 * 3_600) / 10, (30 * 24 * 3_600) / 300]);
  expect(layoutOf(8, 2).slots).toEqual([540, 2_160]);
});
