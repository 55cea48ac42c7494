import fc from "fast-check";
import { expect, test } from "vitest";
import { LONG, PERIODS_MS, type RingNumber, SHORT } from "../../../../../src/features/load-history/host/rings/layout.ts";
import { Points } from "../../../../../src/features/load-history/host/rings/points.ts";
import { SecondRing } from "../../../../../src/features/load-history/host/rings/second-ring.ts";
import { SeriesHistory } from "../../../../../src/features/load-history/host/rings/series-history.ts";
import { SlotStore } from "../../../../../src/features/load-history/host/rings/slot-store.ts";

/** A time at which slots of all rings begin, milliseconds. */
const BEGIN = 300_000 * 1_000;
const figures = (value: number | null) => [value];

function inMemory() {
  const store = new SlotStore({ name: "p", series: 1, changed: null });
  return { store, history: new SeriesHistory(store, true) };
}

function slots(store: SlotStore, ring: RingNumber): Map<number, number[]> {
  const found = new Map<number, number[]>();
  const first = BEGIN / PERIODS_MS[ring];
  for (const _ of store.visit(ring, { from: 0, until: Number.MAX_SAFE_INTEGER }, [], (number, figures) =>
    found.set(number - first, [...figures]),
  ));
  return found;
}

/** Samples each `stepMs`, one for each value. */
function sample(history: SeriesHistory, values: readonly (number | null)[], stepMs: number, from = 0): void {
  for (const [index, value] of values.entries())
    history.add(figures(value), { from: BEGIN + from + index * stepMs, to: BEGIN + from + (index + 1) * stepMs });
}

test("a sample of 10 s is a slot as soon as it is taken", () => {
  const { store, history } = inMemory();
  sample(history, [1, 2, null], 10_000);
  expect(slots(store, SHORT)).toEqual(
    new Map([
      [0, [1, 1, 1]],
      [1, [2, 2, 2]],
      [2, [Number.NaN, Number.NaN, Number.NaN]],
    ]),
  );
});

test("samples of a second are a slot with minimum, mean and maximum, however their timers fire", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 30, maxLength: 30 }), (late) => {
      const { store, history } = inMemory();
      history.watch(true);
      let from = BEGIN;
      for (const [index, milliseconds] of late.entries()) {
        const to = BEGIN + (index + 1) * 1_000 + milliseconds;
        history.add(figures(index % 10), { from, to });
        from = to;
      }
      const found = slots(store, SHORT);
      expect([...found.keys()]).toEqual(expect.arrayContaining([0, 1]));
      for (const number of [0, 1]) {
        const [min, mean, max] = found.get(number) ?? [];
        expect([min, max]).toEqual([0, 9]);
        expect(mean).toBeGreaterThan(4);
        expect(mean).toBeLessThan(5);
      }
    }),
  );
});

test("slots of 5 minutes have minimum, time-weighted mean and maximum of those of 10 s", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 31, maxLength: 90 }), (values) => {
      const { store, history } = inMemory();
      sample(history, values, 10_000);
      const whole = values.slice(0, 30);
      const [min, mean, max] = slots(store, LONG).get(0) ?? [];
      expect([min, max]).toEqual([Math.min(...whole), Math.max(...whole)]);
      expect(mean).toBeCloseTo(whole.reduce((sum, value) => sum + value, 0) / 30, 2);
    }),
  );
});

test("a late sample stands for the slots whose middle it covers, a much too late one for none", () => {
  const { store, history } = inMemory();
  history.add(figures(1), { from: BEGIN, to: BEGIN + 10_000 });
  history.add(figures(2), { from: BEGIN + 10_000, to: BEGIN + 26_000 });
  history.add(figures(3), { from: BEGIN + 26_000, to: BEGIN + 40_000 });
  history.add(figures(4), { from: BEGIN + 40_000, to: BEGIN + 140_000 });
  history.add(figures(5), { from: BEGIN + 140_000, to: BEGIN + 150_000 });
  expect([...slots(store, SHORT)].map(([number, [value]]) => [number, value])).toEqual([
    [0, 1],
    [1, 2],
    [2, 2],
    [3, 3],
    [14, 5],
  ]);
});

test("where the wall clock is set back, what is after it goes, and no slot is there twice", () => {
  const { store, history } = inMemory();
  history.watch(true);
  sample(history, [1, 2, 3, 4, 5, 6], 10_000);
  history.add(figures(9), { from: BEGIN + 15_000, to: BEGIN + 25_000 });
  history.add(figures(9), { from: BEGIN + 25_000, to: BEGIN + 35_000 });
  history.finish();
  expect([...slots(store, SHORT)].map(([number, [value]]) => [number, value])).toEqual([
    [0, 1],
    [1, 2],
    [2, 9],
    [3, 9],
  ]);
});

test("random jumps of the wall clock leave at most one slot for each time, none in the future, and only measured values", () => {
  const step = fc.record({ jump: fc.constantFrom(0, 0, 0, 0, -45_000, 70_000, -600_000, 3), value: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { store, history } = inMemory();
      let time = BEGIN;
      for (const { jump, value } of steps) {
        time += 10_000 + jump;
        history.add(figures(value), { from: time - 10_000, to: time });
        for (const [number, [min = 0, , max = 0]] of slots(store, SHORT)) {
          expect(BEGIN + number * 10_000).toBeLessThanOrEqual(time);
          expect(min).toBeGreaterThanOrEqual(1);
          expect(max).toBeLessThanOrEqual(9);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test("the ring of seconds has what was measured, and nothing older or in between", () => {
  const put = fc.record({ gap: fc.constantFrom(1, 1, 1, 2, 5, 30, -4), value: fc.integer({ min: 0, max: 99 }) });
  fc.assert(
    fc.property(fc.array(put, { maxLength: 60 }), (puts) => {
      const length = 12;
      const ring = new SecondRing(1, length);
      const model = new Map<number, number>();
      let number = 1_000;
      for (const { gap, value } of puts) {
        number += gap;
        for (const each of [...model.keys()]) if (each > number || each <= number - length) model.delete(each);
        model.set(number, value);
        ring.put(number, figures(value));
        for (let each = number - 2 * length; each <= number + 5; each++) {
          const isThere = each > number - length && model.has(each);
          expect(ring.get(each, 0)).toBe(isThere ? model.get(each) : Number.NaN);
        }
      }
    }),
  );
});

test("an answer has at most the points that were requested, covers the range, and marks what is not there", () => {
  const request = fc.record({
    from: fc.integer({ min: BEGIN, max: BEGIN + 1e8 }),
    length: fc.integer({ min: 1, max: 3e7 }),
    points: fc.integer({ min: 2, max: 100 }),
  });
  fc.assert(
    fc.property(request, fc.constantFrom(1_000, 10_000, 300_000), ({ from, length, points }, periodMs) => {
      const until = from + length;
      const made = new Points({ from, until, points }, { periodMs, series: 1 });
      const curve = made.curve(0);
      expect(curve.mean.length).toBeLessThanOrEqual(points);
      expect(curve.mean.every((value) => value === null)).toBe(true);
      expect(made.start).toBeLessThanOrEqual(from);
      expect(made.start + curve.mean.length * made.stepMs).toBeGreaterThanOrEqual(until);
      expect(made.stepMs % periodMs).toBe(0);
      const { from: first, until: end } = made.numbers;
      for (const number of [first, Math.floor((first + end) / 2), end - 1]) made.add(number, Float32Array.from([1, 2, 3]));
      expect(made.curve(0).max.filter((value) => value === 3).length).toBeGreaterThanOrEqual(1);
      made.add(first - 1, Float32Array.from([9, 9, 9]));
      made.add(end, Float32Array.from([9, 9, 9]));
      expect(made.curve(0).max).not.toContain(9);
    }),
  );
});
