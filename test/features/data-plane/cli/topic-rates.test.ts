import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measured } from "../../../../src/features/data-plane/cli/topic/rates.ts";
import type { TopicLimit } from "../../../../src/features/data-plane/wire/topic.ts";

const row = (name: string, ...limits: TopicLimit[]) => ({ name, rate: 998, bytes_s: 1_000, packets: 998, limits });
const limit: TopicLimit = { min_rate: 900, max_gap_ms: 100, max_latency_ms: 5, met: true, since: "2026-11-27T01:12:09.512", problem: null };
const none: TopicLimit = { min_rate: null, max_gap_ms: null, max_latency_ms: null, met: null, since: null, problem: null };
const silent = { ...none, met: false, since: limit.since, problem: "nothing was published for 1000 ms" };

test("the table of rates shows what is expected of topics, and since when it is met or not", () => {
  const text = measured("hz", { sample_seconds: 1, topics: [row("a", limit), row("b", none, silent), row("c")] }, { once: true });
  expect(
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(line.search(/LIMIT|at least|published|-$/))),
  ).toEqual([
    "LIMIT",
    "at least 900 Hz, gaps up to 100 ms, latency up to 5 ms: met since 2026-11-27T01:12:09 UTC",
    "published: not checked: its process does not run; published: not met since 2026-11-27T01:12:09 UTC: nothing was published for 1000 ms",
    "-",
  ]);
});

test("without limits there is no column for them, and none in a table of bandwidths", () => {
  expect(measured("hz", { sample_seconds: 1, topics: [row("c")] }, { once: true })).not.toContain("LIMIT");
  expect(measured("bw", { sample_seconds: 1, topics: [row("a", limit)] }, { once: true })).not.toContain("LIMIT");
});

test("the table is as docs/topic-health.md shows it", () => {
  const text = measured("hz", { sample_seconds: 1, topics: [{ ...row("arm/state", limit), packets: 1_001 }] }, { once: true });
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/topic-health.md"), "utf8");
  const shown = text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
  const from = docs.indexOf("    TOPIC ");
  expect(docs.slice(from, docs.indexOf("\n\n", from))).toBe(shown);
});
