import { describe, expect, it } from "vitest";
import { StartPacer } from "../../../src/base/timing/start-pacer.ts";
import { testClock } from "../../actors/support/clock.ts";
import { settled } from "../../app/support/scripted-link.ts";

const never = new AbortController();

describe("the pace of starts", () => {
  it("follows the rate of the host, in the order of the requests, and a change of the rate affects those that wait", async () => {
    const clock = testClock();
    let rate: number | null = 2;
    const pacer = new StartPacer(clock, () => rate);
    const gone: string[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) void pacer.turn(never).then(() => gone.push(name));
    await settled();
    expect(gone).toEqual(["a"]);
    clock.advance(499);
    await settled();
    expect(gone).toEqual(["a"]);
    clock.advance(1);
    await settled();
    expect(gone).toEqual(["a", "b"]);
    rate = null;
    clock.advance(500);
    await settled();
    expect(gone).toEqual(["a", "b", "c", "d", "e"]);
    pacer.close();
  });

  it("gives the place of a cancelled start to the next one", async () => {
    const clock = testClock();
    const pacer = new StartPacer(clock, () => 1);
    await pacer.turn(never);
    const gives = new AbortController();
    const up = pacer.turn(gives);
    let isNext = false;
    void pacer.turn(never).then(() => {
      isNext = true;
    });
    gives.abort(new Error("nobody waits"));
    await expect(up).rejects.toThrow("nobody waits");
    clock.advance(1_000);
    await settled();
    expect(isNext).toBe(true);
    pacer.close();
  });

  it("has no limit without a rate", async () => {
    const pacer = new StartPacer(testClock(), () => null);
    const turns = Array.from({ length: 100 }, () => pacer.turn(never));
    expect(await Promise.all(turns)).toHaveLength(100);
  });
});
