import { describe, expect, it } from "vitest";
import { Abandoned } from "../../../src/daemon/session/manager-lost-timer.ts";
import { testClock } from "../../actors/support/clock.ts";

function rig() {
  const clock = testClock();
  const stops: number[] = [];
  return { clock, stops, abandoned: new Abandoned({ clock, stop: (afterMs) => stops.push(afterMs) }) };
}

describe("a host without its manager", () => {
  it("stops everything once it has waited as long as it was told", () => {
    const { clock, stops, abandoned } = rig();
    abandoned.greeted(60_000);
    clock.advance(3_600_000);
    abandoned.lost();
    clock.advance(59_999);
    expect(stops).toEqual([]);
    clock.advance(1);
    expect(stops).toEqual([60_000]);
  });

  it("goes on for ever if it was told nothing, or when a manager comes back in time", () => {
    const { clock, stops, abandoned } = rig();
    abandoned.greeted(null);
    abandoned.lost();
    clock.advance(86_400_000);
    abandoned.greeted(1_000);
    abandoned.lost();
    clock.advance(999);
    abandoned.greeted(1_000);
    clock.advance(5_000);
    expect(stops).toEqual([]);
  });
});
