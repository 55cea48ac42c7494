import { expect, test } from "vitest";
import { isLive, moved, rangeOfAddress, rangeParameters, spanOf, within, zoomed } from "../../../../web/src/features/load-history/range.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const HOUR = 3_600_000;
const span = { from: NOW - 2 * HOUR, until: NOW - HOUR };

test("a range of the last seconds goes on with time, a fixed one stays", () => {
  expect(spanOf({ last: 600 }, NOW)).toEqual({ from: NOW - 600_000, until: NOW });
  expect(spanOf(span, NOW)).toEqual(span);
});

test("a selected range is at least 10 s and at most 30 days long, and does not end in the future", () => {
  expect(within({ from: NOW - 1_001, until: NOW - 1_000 }, NOW)).toEqual({ from: NOW - 10_000, until: NOW });
  expect(within({ from: NOW - 50 * 24 * HOUR, until: NOW + 50 * 24 * HOUR }, NOW)).toEqual({ from: NOW - 30 * 24 * HOUR, until: NOW });
});

test("a zoom keeps its time in place, and a move keeps the length", () => {
  const at = span.from + HOUR / 4;
  const near = zoomed(span, 0.5, at, NOW);
  expect(near).toEqual({ from: span.from + HOUR / 8, until: span.from + HOUR / 8 + HOUR / 2 });
  expect(moved(span, -0.5, NOW)).toEqual({ from: span.from - HOUR / 2, until: span.until - HOUR / 2 });
  expect(moved(span, 5, NOW)).toEqual({ from: NOW - HOUR, until: NOW });
});

test("the address names each range, and is read back; the usual one needs no parameter", () => {
  for (const range of [{ last: 600 }, { last: 604_800 }, span]) {
    const search = new URLSearchParams(rangeParameters(range)).toString();
    expect(rangeOfAddress(search)).toEqual(range);
  }
  expect(rangeParameters({ last: 3_600 })).toEqual([]);
  expect(rangeParameters(span)[0]).toEqual(["from", "2026-11-21T10:00:00.000"]);
});

test("an address without a valid range names none", () => {
  const searches = [
    "",
    "range=5h",
    "from=2026-11-21T10:00:00.000",
    "from=x&until=y",
    "from=2026-11-21T10:00:00.000&until=2026-11-21T09:00:00.000",
    "from=2020-11-21T10:00:00.000&until=2026-11-21T09:00:00.000",
  ];
  expect(searches.map(rangeOfAddress).filter((range) => range !== null)).toEqual([]);
  expect(isLive(span)).toBe(false);
});
