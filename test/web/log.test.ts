import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../src/protocol/resources/resources.ts";
import { linesOf, marked, matchesIn, RowPlaces, wrapped } from "../../web/src/log/log-lines.ts";
import { type LogFilter, LogSelection } from "../../web/src/log/log-selection.ts";
import { forgetEntries, loggedEntries, logSources, MAX_LOG_ENTRIES, storeEntries } from "../../web/src/log/log-store.ts";
import { rowAtTime } from "../../web/src/log/sought-time.ts";

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
const LAYOUT = { columns: 80, extraLines: 0, unfolded: new Set<number>() };
const ALL: LogFilter = { level: "debug", source: "", search: "" };

describe("the log that the page keeps", () => {
  test("is in order and without duplicates, whatever comes first", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 12 }), { maxLength: 8 }), (batches) => {
        forgetEntries();
        for (const batch of batches) storeEntries(batch.map((id) => entry(id)));
        expect(ids()).toEqual([...new Set(batches.flat())].sort((a, b) => a - b));
      }),
    );
  });

  test("evicts the oldest entries, not the newest", () => {
    forgetEntries();
    for (let from = 0; from < 2 * MAX_LOG_ENTRIES; from += 5_000) storeEntries(range(from, from + 5_000));
    expect(ids().length).toBeLessThanOrEqual(1.1 * MAX_LOG_ENTRIES);
    expect(ids().at(-1)).toBe(2 * MAX_LOG_ENTRIES - 1);
  });

  test("lists all sources", () => {
    forgetEntries();
    storeEntries([entry(10), entry(2, { source: "other" })]);
    expect(logSources.value).toContain("other");
  });
});

describe("entries that match a filter", () => {
  test("are checked once as they come, and again when older ones come or the filter changes", () => {
    forgetEntries();
    storeEntries(range(100, 200));
    const first = LogSelection.of(null, loggedEntries(), ALL, LAYOUT);
    storeEntries(range(200, 210));
    const second = LogSelection.of(first, loggedEntries(), ALL, LAYOUT);
    expect(second).toBe(first);
    expect(second.rows).toHaveLength(110);
    storeEntries(range(0, 100));
    const third = LogSelection.of(second, loggedEntries(), ALL, LAYOUT);
    expect(third.rows.map(({ entry: { id } }) => id)).toEqual(ids());
    expect(LogSelection.of(third, loggedEntries(), { ...ALL, search: "ENTRY 20" }, LAYOUT).rows.map(({ entry: { id } }) => id)).toEqual([
      20, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209,
    ]);
  });

  test("have at least the level, the source, and the search as written", () => {
    forgetEntries();
    storeEntries([
      entry(1, { level: "debug" }),
      entry(2, { level: "error", msg: "a.c" }),
      entry(3, { level: "warning", source: "x", msg: "abc" }),
    ]);
    const found = (filter: Partial<LogFilter>) =>
      LogSelection.of(null, loggedEntries(), { ...ALL, ...filter }, LAYOUT).rows.map(({ entry: { id } }) => id);
    expect(found({ level: "warning" })).toEqual([2, 3]);
    expect(found({ source: "x" })).toEqual([3]);
    expect(found({ search: "a.c" })).toEqual([2]);
  });
});

describe("consecutive entries with the same text", () => {
  const received = (unfolded: number[] = [], before: LogSelection | null = null) => {
    const selection = LogSelection.of(before, loggedEntries(), ALL, { ...LAYOUT, unfolded: new Set(unfolded) });
    return { selection, rows: selection.rows.map(({ entry: { id }, last, count }) => [id, last.id, count]) };
  };
  const same = (id: number, more: Partial<LogEntry> = {}) => entry(id, { msg: "the same", ...more });

  test("are one row that counts them and has the newest time, also as more come", () => {
    forgetEntries();
    storeEntries([entry(1), same(2), same(3), same(4, { level: "error" }), same(5, { level: "error", source: "x" })]);
    const { selection, rows } = received();
    expect(rows).toEqual([
      [1, 1, 1],
      [2, 3, 2],
      [4, 4, 1],
      [5, 5, 1],
    ]);
    storeEntries([same(6, { level: "error", source: "x" }), same(7)]);
    const after = received([], selection);
    expect(after.selection).toBe(selection);
    expect(after.rows.slice(3)).toEqual([
      [5, 6, 2],
      [7, 7, 1],
    ]);
    expect(selection.places.count).toBe(5);
  });

  test("have a row each once they are expanded; the first one counts them", () => {
    forgetEntries();
    storeEntries([same(1), same(2), entry(3), same(4), same(5)]);
    expect(received([4]).rows).toEqual([
      [1, 2, 2],
      [3, 3, 1],
      [4, 5, 2],
      [5, 5, 1],
    ]);
  });
});

describe("text that matches a search", () => {
  const shown = (text: string, search: string) =>
    marked(text, 0, matchesIn(text, search))
      .map(({ text: piece, isMatch }) => (isMatch ? `[${piece}]` : piece))
      .join("");

  test("is marked wherever it occurs, in its own case, also across a line break", () => {
    expect(shown("one two ONE", "one")).toBe("[one] two [ONE]");
    expect(shown("exit code\n3, exit co\nde 3", "exit code 3")).toBe("[exit code\n3], [exit co\nde 3]");
    expect(shown("a.c abc", "a.c")).toBe("[a.c] abc");
    expect(shown("nothing", "  ")).toBe("nothing");
  });

  test("is marked in each part of a text that it overlaps", () => {
    const matches = matchesIn("'sim/world' changes state", "world' ch");
    const parts = (["'", "sim/world", "' changes state"] as const).map((part, index) => marked(part, [0, 1, 10][index] ?? 0, matches));
    expect(parts.map((pieces) => pieces.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join(""))).toEqual([
      "'",
      "sim/[world]",
      "[' ch]anges state",
    ]);
  });
});

describe("lines of a row", () => {
  test("are broken at blanks, else anywhere; line breaks and wide characters count", () => {
    expect(wrapped("one two three", 7)).toBe("one two\nthree");
    expect(wrapped("one two three", 8)).toBe("one two\nthree");
    expect(wrapped("abcdefghij k", 4)).toBe("abcd\nefgh\nij k");
    expect(["", "abcd", "abcde", "ab\ncdefgh", "äöü€x", "日本語", "a日本"].map((text) => linesOf(text, 4))).toEqual([1, 1, 2, 3, 2, 2, 2]);
  });

  test("hold the whole text, and none is wider than the columns", () => {
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

test("the row of a time is the last one until then", () => {
  const rows = [1, 2, 2, 5].map((second, index) => {
    const one = entry(index, { ts: `2026-11-21T08:14:0${second}.000` });
    return { entry: one, last: one, count: 1, isUnfolded: false };
  });
  const at = (second: number) => rowAtTime(rows, `2026-11-21T08:14:0${second}.000`);
  expect([0, 1, 2, 3, 5, 9].map(at)).toEqual([0, 0, 2, 2, 3, 3]);
  expect(rowAtTime([], "2026-11-21T08:14:00.000")).toBe(-1);
});
