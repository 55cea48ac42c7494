import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DURATION_MS } from "../../src/base/timing/clock.ts";
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from "../../src/config/schema/units.ts";

describe("a duration", () => {
  const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

  it("is a number with ms, s, m or h, or a number of seconds", () => {
    expect(["500ms", "5s", "2m", "1h", "1.5s", "0s", 5, 0.25, 0].map(parseDuration)).toEqual([
      500, 5_000, 120_000, 3_600_000, 1_500, 0, 5_000, 250, 0,
    ]);
    fc.assert(
      fc.property(fc.nat(30_000), fc.constantFrom("ms" as const, "s" as const, "m" as const), (count, unit) => {
        expect(parseDuration(`${count}${unit}`)).toBe(count * units[unit]);
        expect(parseDuration((count * units[unit]) / 1_000)).toBe(count * units[unit]);
      }),
    );
  });

  it("has no other form, and is never more than 24 days, negative or a fraction of a millisecond", () => {
    expect(parseDuration("24h")).toBe(86_400_000);
    expect([`${24 * 24}h`, `${24 * 24}.1h`, 24 * 86_400, 24 * 86_400 + 1].map(parseDuration)).toEqual([
      MAX_DURATION_MS,
      undefined,
      MAX_DURATION_MS,
      undefined,
    ]);
    for (const bad of [
      "",
      "5",
      "5 s",
      " 5s",
      "5s\n",
      "-5s",
      "+5s",
      "5S",
      "1m30s",
      ".5s",
      "5.s",
      "1e3s",
      "0x5s",
      "1d",
      "∞s",
      "٥s",
      -1,
      Number.NaN,
      Infinity,
      null,
      undefined,
      true,
      [5],
      {},
    ]) {
      expect(parseDuration(bad), String(bad)).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.anything()), (value) => {
        const milliseconds = parseDuration(value);
        if (milliseconds === undefined) return;
        expect(Number.isInteger(milliseconds) && milliseconds >= 0 && milliseconds <= MAX_DURATION_MS).toBe(true);
        if (typeof value === "string") expect(value).toMatch(new RegExp(DURATION_PATTERN));
      }),
    );
  });
});

describe("a size", () => {
  it("is a number with B, KiB, MiB or GiB, or a number of bytes, and whole", () => {
    expect(["512B", "64KiB", "4MiB", "1GiB", "0.5KiB", 4_096].map(parseSize)).toEqual([512, 65_536, 4_194_304, 1_073_741_824, 512, 4_096]);
    for (const bad of [
      "",
      "5",
      "4MB",
      "4M",
      "4mib",
      "4 MiB",
      "-1B",
      "0.3B",
      "1.00001KiB",
      "9999999999999GiB",
      -1,
      0.5,
      Number.NaN,
      Infinity,
      null,
      [4096],
    ]) {
      expect(parseSize(bad), String(bad)).toBeUndefined();
    }
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.constantFrom(["B", 1] as const, ["KiB", 1_024] as const, ["MiB", 1_048_576] as const),
        (count, [unit, bytes]) => {
          expect(parseSize(`${count}${unit}`)).toBe(count * bytes);
          expect(`${count}${unit}`).toMatch(new RegExp(SIZE_PATTERN));
        },
      ),
    );
  });
});
