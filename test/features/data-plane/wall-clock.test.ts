import { expect, it } from "vitest";
import { WallClock } from "../../../src/features/data-plane/wall-clock.ts";

const BEGIN = 1_767_225_600_000_123_456n;

/** Clocks of a simulated machine. Each reading takes `cost` nanoseconds. */
function machine() {
  const state = { elapsed: 0n, offset: BEGIN, cost: 100n };
  const clock = new WallClock({
    monotonic: () => {
      state.elapsed += state.cost;
      return state.elapsed;
    },
    system: () => Number((state.offset + state.elapsed) / 1_000_000n),
  });
  const error = () => Number(clock.now() - (state.offset + state.elapsed));
  return { state, clock, error };
}

it("the time is exact to a microsecond from the first reading on, although the system's clock is read in milliseconds", () => {
  const { state, error } = machine();
  for (let n = 0; n < 1_000; n++) {
    expect(Math.abs(error())).toBeLessThan(1_000);
    state.elapsed += 317_771n;
  }
});

it("a clock that is set is followed at once", () => {
  const { state, error } = machine();
  error();
  for (const step of [1_300_000_000n, -3_600_000_000_000n, 5_000_000n, -5_000_000n]) {
    state.offset += step;
    expect(Math.abs(error())).toBeLessThan(1_000);
  }
});

it("a clock that is slewed is followed, and never goes back", () => {
  const { state, clock, error } = machine();
  let last = clock.now();
  for (let n = 0; n < 10_000; n++) {
    state.offset += 500n;
    state.elapsed += 1_000_777n;
    expect(Math.abs(error())).toBeLessThan(1_000_000);
    const now = clock.now();
    expect(now > last).toBe(true);
    last = now;
  }
});

it("a reading during which the process was not scheduled is no sign of another time", () => {
  const { state, error } = machine();
  error();
  state.cost = 50_000_000n;
  error();
  state.cost = 100n;
  expect(Math.abs(error())).toBeLessThan(1_000);
});

it("a clock that stands still does not hold the program", () => {
  expect(new WallClock({ monotonic: () => 7n, system: () => 5 }).now()).toBe(5_000_000n);
});
