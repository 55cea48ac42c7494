import { expect, test } from "vitest";
import { OwnClock } from "../../../../src/features/host-clocks/host/own-clock.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;

/** A clock that the test moves and sets. */
function clocks() {
  const wall = { time: START, timesSet: 0, setBy: 0n, now: () => wall.time };
  const set = (by: bigint) => {
    wall.time += by;
    wall.timesSet++;
    wall.setBy += by;
  };
  const own = new OwnClock(wall);
  const hears = (offset: bigint | null, uncertainty = 5n) =>
    own.answer({
      session: "s",
      known: offset === null ? null : { offset: String(offset), uncertainty: String(uncertainty), at: String(wall.time) },
    });
  return { wall, set, own, hears };
}

test("nothing is known before the manager has said it, and each answer has the time", () => {
  const { own, hears, wall } = clocks();
  expect(own.now()).toBeNull();
  expect(hears(null)).toEqual({ time: String(wall.time) });
  expect([own.now(), own.told]).toEqual([null, 0]);
  hears(-7n);
  expect([own.now(), own.told]).toEqual([{ offset: -7n, uncertainty: 5n, at: wall.time }, 1]);
});

test("while the manager is away, the offset becomes less certain by 100 µs in each second, and follows when this clock is set", () => {
  const { own, hears, wall, set } = clocks();
  hears(null);
  hears(1_000n);
  wall.time += 10n * SECOND;
  expect(own.now()).toEqual({ offset: 1_000n, uncertainty: 1_000_005n, at: wall.time });
  set(-3_600n * SECOND);
  wall.time += SECOND;
  expect(own.now()).toEqual({ offset: 1_000n - 3_600n * SECOND, uncertainty: 1_100_005n, at: wall.time });
});

test("what the manager knew before this clock was set is not believed", () => {
  const { own, hears, set } = clocks();
  hears(null);
  hears(0n);
  set(SECOND);
  // It was measured before.
  hears(0n);
  expect(own.now()?.offset).toBe(SECOND);
  hears(SECOND + 3n);
  expect(own.now()?.offset).toBe(SECOND + 3n);
});
