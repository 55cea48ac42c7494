import { expect, test } from "vitest";
import type { OutputHit } from "../../../../src/features/output-search/wire.ts";
import { isSamePlace, SearchResults, shownHit } from "../../../../web/src/features/output-search/search/result-rows.ts";

const hit = (name: string, line: string, more: Partial<OutputHit> = {}): OutputHit => ({
  name,
  host: "rt1",
  run: null,
  place: { offset: 10, stream_id: "s" },
  file: null,
  time: null,
  line,
  is_cut: false,
  match: [0, line.length],
  before: [],
  after: [],
  ...more,
});

const kinds = (results: SearchResults) =>
  results
    .rows()
    .map((row) => (row.kind === "process" ? `${row.name} ${row.count}` : row.kind === "hit" ? row.found.hit.line : `  ${row.text}`));

test("hits stand below their process, in the order in which they were found", () => {
  const results = new SearchResults();
  for (const one of [hit("b", "1"), hit("a", "2"), hit("b", "3")]) results.add(one);
  expect(kinds(results)).toEqual(["b 2", "1", "3", "a 1", "2"]);
  expect([results.count, results.processes]).toEqual([3, 2]);
  results.fold("b", true);
  expect(kinds(results)).toEqual(["b 2", "a 1", "2"]);
  expect(new Set(results.rows().map(({ key }) => key)).size).toBe(3);
});

test("the lines around a hit are rows below it, with its path and position", () => {
  const results = new SearchResults();
  results.add(hit("a", "found", { place: null, file: { path: "/var/log/a.log.1", position: 512 }, run: { run_id: "1-2", number: 7 } }));
  results.setContext(0, { kind: "loading" });
  expect(kinds(results).slice(2)).toEqual([
    "  /var/log/a.log.1, byte 512, not in memory any more, on rt1, run 7",
    "  Loading the lines around it…",
  ]);
  results.setContext(0, { kind: "lines", before: ["before"], after: ["after 1", "after 2"] });
  expect(kinds(results).slice(3)).toEqual(["  before", "  found", "  after 1", "  after 2"]);
  results.setContext(0, { kind: "problem", text: "gone" });
  expect(kinds(results).at(-1)).toBe("  gone");
  results.setContext(0, null);
  expect(kinds(results)).toHaveLength(2);
});

test("a match far from the beginning of its line is in sight", () => {
  const line = `${"x".repeat(300)}MATCH${"y".repeat(300)}`;
  const shown = shownHit(hit("a", line, { match: [300, 305] }));
  expect(shown.match).toBe("MATCH");
  expect(shown.before).toMatch(/^…x{60}$/);
  expect(shown.after).toHaveLength(300);
  expect(shownHit(hit("a", "ab", { match: [1, 2] }))).toEqual({ before: "a", match: "b", after: "" });
});

test("a hit is found again by its place in the file, or in memory", () => {
  const inFile = (position: number) => hit("a", "x", { file: { path: "/a", position } });
  expect(isSamePlace(inFile(3), inFile(3))).toBe(true);
  expect(isSamePlace(inFile(3), inFile(4))).toBe(false);
  expect(isSamePlace(inFile(3), hit("a", "x"))).toBe(false);
  expect(isSamePlace(hit("a", "x"), hit("a", "x"))).toBe(true);
  expect(isSamePlace(hit("a", "x"), hit("a", "x", { place: { offset: 10, stream_id: "t" } }))).toBe(false);
  expect(isSamePlace(hit("a", "x", { place: null }), hit("a", "x", { place: null }))).toBe(false);
});
