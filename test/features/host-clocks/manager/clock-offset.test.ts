import fc from "fast-check";
import { expect, test } from "vitest";
import { type ClockMeasurement, offsetAt, withMeasurement } from "../../../../src/features/host-clocks/manager/clock-offset.ts";

const START = 1_700_000_000_000_000_000n;
const delay = fc.bigInt({ min: 0n, max: 500_000_000n });
/** Pause before a request, and the delays of the two ways. */
const trip = fc.record({ pause: fc.bigInt({ min: 1n, max: 60_000_000_000n }), there: delay, back: delay });
const setup = { offset: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), ppm: fc.integer({ min: -100, max: 100 }) };
const trips = fc.array(trip, { minLength: 1, maxLength: 80 });

/** The offset of a host whose clock drifts. */
const trueOffset = (offset: bigint, ppm: number, time: bigint) => offset + ((time - START) * BigInt(ppm)) / 1_000_000n;

const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a);

test("the true offset is within the uncertainty, whatever the delays of the two ways, and now as well as later", () => {
  fc.assert(
    fc.property(setup.offset, setup.ppm, trips, fc.bigInt({ min: 0n, max: 3_600_000_000_000n }), (offset, ppm, all, later) => {
      let known: ClockMeasurement[] = [];
      let now = START;
      for (const { pause, there, back } of all) {
        const sent = now + pause;
        const read = sent + there;
        now = read + back;
        known = withMeasurement(known, { sent, received: now, host: read + trueOffset(offset, ppm, read) });
        for (const time of [now, now + later]) {
          const found = offsetAt(known, time) ?? expect.fail("nothing is known");
          // Divisions are rounded.
          expect(distance(found.offset, trueOffset(offset, ppm, time))).toBeLessThanOrEqual(found.uncertainty + 2n);
        }
      }
      expect(known.length).toBeLessThanOrEqual(64);
    }),
  );
});

test("the shortest round trip wins, as long as it is not too old", () => {
  const at = (sent: bigint, trip: bigint, error: bigint): ClockMeasurement => ({
    sent,
    received: sent + trip,
    host: sent + trip / 2n + error,
  });
  const exact = at(START, 100_000n, 0n);
  const coarse = at(START + 1_000_000_000n, 10_000_000n, 4_000_000n);
  const known = [exact, coarse];
  expect(offsetAt(known, START + 2_000_000_000n)).toMatchObject({ offset: 0n });
  expect(offsetAt(known, START + 3_600_000_000_000n)).toMatchObject({ offset: 0n });
  expect(offsetAt([coarse], START + 2_000_000_000n)?.offset).toBe(4_000_000n);
  expect(offsetAt([], START)).toBeNull();
});

test("measurements from before a clock was set are dropped", () => {
  const before = { sent: START, received: START + 1_000n, host: START };
  const after = { sent: START + 10n ** 9n, received: START + 10n ** 9n + 50_000_000n, host: START + 10n ** 9n + 10n ** 12n };
  expect(withMeasurement([before], after)).toEqual([after]);
});
