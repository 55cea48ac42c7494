import { describe, expect, it } from "vitest";
import { ManagerLostTimer } from "../../../src/daemon/session/manager-lost-timer.ts";
import { testClock } from "../../actors/support/clock.ts";

function rig() {
  const clock = testClock();
  const stops: number[] = [];
  return { clock, stops, managerLost: new ManagerLostTimer({ clock, stop: (afterMs) => stops.push(afterMs) }) };
}

describe("a host without its manager", () => {
  it("stops everything after the configured time", () => {
    const { clock, stops, managerLost } = rig();
    managerLost.greeted(60_000);
    clock.advance(3_600_000);
    managerLost.lost();
    clock.advance(59_999);
    expect(stops).toEqual([]);
    clock.advance(1);
    expect(stops).toEqual([60_000]);
  });

  it("continues without that setting, or if a manager connects in time", () => {
    const { clock, stops, managerLost } = rig();
    managerLost.greeted(null);
    managerLost.lost();
    clock.advance(86_400_000);
    managerLost.greeted(1_000);
    managerLost.lost();
    clock.advance(999);
    managerLost.greeted(1_000);
    clock.advance(5_000);
    expect(stops).toEqual([]);
  });
});
