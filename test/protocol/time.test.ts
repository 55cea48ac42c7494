import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTime, parseTime } from "../../src/protocol/time.ts";

describe("formatTime", () => {
  it("writes UTC with milliseconds and without zone", () => {
    expect(formatTime(Date.UTC(2026, 10, 21, 8, 14, 2, 123))).toBe("2026-11-21T08:14:02.123");
    expect(formatTime(0)).toBe("1970-01-01T00:00:00.000");
  });

  it("truncates fractions of milliseconds, also before 1970", () => {
    expect(formatTime(1.999)).toBe("1970-01-01T00:00:00.001");
    expect(formatTime(-0.5)).toBe("1969-12-31T23:59:59.999");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15, -62_167_219_200_001, 253_402_300_800_000])("refuses %d", (milliseconds) => {
    expect(() => formatTime(milliseconds)).toThrow(RangeError);
  });
});

describe("parseTime", () => {
  it("is the inverse of formatTime", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (milliseconds) => {
        expect(parseTime(formatTime(milliseconds))).toBe(milliseconds);
      }),
    );
  });

  it.each([
    "",
    "2026-11-21",
    "2026-11-21T08:14:02",
    "2026-11-21T08:14:02.12",
    "2026-11-21T08:14:02.1234",
    "2026-11-21T08:14:02.123Z",
    "2026-11-21T08:14:02.123+01:00",
    "2026-11-21 08:14:02.123",
    " 2026-11-21T08:14:02.123",
    "2026-11-21T08:14:02.123\n",
    "2026-02-30T00:00:00.000",
    "2026-13-01T00:00:00.000",
    "2026-11-21T24:00:00.000",
    "2026-11-21T08:60:00.000",
    "٢٠٢٦-11-21T08:14:02.123",
  ])("refuses %j", (text) => {
    expect(() => parseTime(text)).toThrow(RangeError);
  });

  it("does not depend on the time zone of the machine", () => {
    const zone = process.env.TZ;
    try {
      process.env.TZ = "America/New_York";
      expect(new Date("2026-11-21T08:14:02.123").getTime()).not.toBe(Date.UTC(2026, 10, 21, 8, 14, 2, 123));
      expect(parseTime("2026-11-21T08:14:02.123")).toBe(Date.UTC(2026, 10, 21, 8, 14, 2, 123));
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
