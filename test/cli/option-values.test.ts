import { describe, expect, test } from "vitest";
import { age } from "../../src/cli/command/option-values.ts";

describe("an age", () => {
  test.each([
    ["30s", 30],
    ["10m", 600],
    ["1.5h", 5_400],
    ["2d", 172_800],
  ])("%s is an amount with a unit", (text, seconds) => {
    expect(age(text)).toBe(seconds);
  });

  test.each(["2024-02-29", "2024-02-29 00:00", "2024-02-29T00:00:00"])("%s is a local time", (text) => {
    const begin = Date.now() - new Date(2024, 1, 29).getTime();
    expect(age(text) * 1_000).toBeGreaterThanOrEqual(begin - 1);
    expect(age(text) * 1_000).toBeLessThanOrEqual(Date.now() - new Date(2024, 1, 29).getTime() + 1);
  });

  // Date.parse takes them for days of 2001 and other years.
  test.each(["10", "last 5", "10 m", "3/4", "yesterday", ""])("'%s' is refused, not taken for a date", (text) => {
    expect(() => age(text)).toThrow("expected an age such as 30s, 10m or 2h, or a time such as 14:30 or '2026-11-27 14:30'.");
  });
});
