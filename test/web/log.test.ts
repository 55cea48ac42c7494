import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../src/protocol/resources/resources.ts";
import { linesOf, RowPlaces, wrapped } from "../../web/src/log/log-lines.ts";
import { type LogFilter, LogSelection } from "../../web/src/log/log-selection.ts";
import { forgetEntries, LOG_KEPT, loggedEntries, logSources, storeEntries } from "../../web/src/log/log-store.ts";

const entry = (id: number, more: Partial<LogEntry> = {}): LogEntry => ({
  id,
  ts: "2026-11-21T08:14:02.123",
  level: "info",
  source: "manager",
  msg: `entry ${id}`,
  ...more,
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => entry(from + index));
const ids = () => loggedEntries().entries.map(({ id }) => id);
const ALL: LogFilter = { level: "debug", source: "", search: "" };

describe("the log that the page keeps", () => {
  test("is in order and without repeats, whatever comes first", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 12 }), { maxLength: 8 }), (batches) => {
        forgetEntries();
        for (const batch of batches) storeEntries(batch.map((id) => entry(id)));
        expect(ids()).toEqual([...new Set(batches.flat())].sort((a, b) => a - b));
      }),
    );
  });

  test("lets the oldest go, not the newest", () => {
    forgetEntries();
    for (let from = 0; from < 2 * LOG_KEPT; from += 5_000) storeEntries(range(from, from + 5_000));
    expect(ids().length).toBeLessThanOrEqual(1.1 * LOG_KEPT);
    expect(ids().at(-1)).toBe(2 * LOG_KEPT - 1);
  });

  test("knows all sources", () => {
    forgetEntries();
    storeEntries([entry(10), entry(2, { source: "other" })]);
    expect(logSources.value).toContain("other");
  });
});

describe("what fits a filter", () => {
  test("is looked at once as entries come, and anew when older ones do or the filter is another", () => {
    forgetEntries();
    storeEntries(range(100, 200));
    const first = LogSelection.of(null, loggedEntries(), ALL, 80, 0);
    storeEntries(range(200, 210));
    const second = LogSelection.of(first, loggedEntries(), ALL, 80, 0);
    expect(second).toBe(first);
    expect(second.entries).toHaveLength(110);
    storeEntries(range(0, 100));
    const third = LogSelection.of(second, loggedEntries(), ALL, 80, 0);
    expect(third.entries.map(({ id }) => id)).toEqual(ids());
    expect(LogSelection.of(third, loggedEntries(), { ...ALL, search: "ENTRY 20" }, 80, 0).entries.map(({ id }) => id)).toEqual([
      20, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209,
    ]);
  });

  test("has at least the level, the source, and the search as it is written", () => {
    forgetEntries();
    storeEntries([
      entry(1, { level: "debug" }),
      entry(2, { level: "error", msg: "a.c" }),
      entry(3, { level: "warning", source: "x", msg: "abc" }),
    ]);
    const found = (filter: Partial<LogFilter>) =>
      LogSelection.of(null, loggedEntries(), { ...ALL, ...filter }, 80, 0).entries.map(({ id }) => id);
    expect(found({ level: "warning" })).toEqual([2, 3]);
    expect(found({ source: "x" })).toEqual([3]);
    expect(found({ search: "a.c" })).toEqual([2]);
  });
});

describe("lines of a row", () => {
  test("are broken at blanks, else anywhere; new lines and wide characters count", () => {
    expect(wrapped("one two three", 7)).toBe("one two\nthree");
    expect(wrapped("one two three", 8)).toBe("one two\nthree");
    expect(wrapped("abcdefghij k", 4)).toBe("abcd\nefgh\nij k");
    expect(["", "abcd", "abcde", "ab\ncdefgh", "äöü€x", "日本語", "a日本"].map((text) => linesOf(text, 4))).toEqual([1, 1, 2, 3, 2, 2, 2]);
  });

  test("hold the whole text, none wider than the columns", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "ä", "語") }),
        fc.integer({ min: 2, max: 12 }),
        (text, columns) => {
          const lines = wrapped(text, columns).split("\n");
          expect(lines.length).toBe(linesOf(text, columns));
          for (const line of lines) expect(line.length + [...line].filter((one) => one === "語").length).toBeLessThanOrEqual(columns);
          expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(/[ \n]/g, ""));
        },
      ),
    );
  });

  test("the row at a line is the one that covers it", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 40 }), (heights) => {
        const places = new RowPlaces();
        for (const lines of heights) places.push(lines);
        const rows = heights.flatMap((lines, row) => Array.from({ length: lines }, () => row));
        expect(places.total).toBe(rows.length);
        rows.forEach((row, line) => {
          expect(places.rowAt(line)).toBe(row);
          expect(places.startOf(row)).toBe(rows.indexOf(row));
        });
      }),
    );
  });
});
