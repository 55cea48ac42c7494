import { expect, test } from "vitest";
import { OutputRing } from "../../../../src/daemon/output/output-ring.ts";
import { lastOutput } from "../../../../src/features/crash-reports/host/last-output.ts";
import { MAX_OUTPUT_BYTES } from "../../../../src/features/crash-reports/limits.ts";

const NOW = Date.parse("2026-11-21T08:14:02Z");

function printed(...pieces: (string | Uint8Array)[]): OutputRing {
  const ring = new OutputRing(1024 * 1024);
  for (const piece of pieces) ring.append(Buffer.from(piece));
  return ring;
}

test("the output of the run alone is kept, as it was printed", () => {
  const ring = printed("of an earlier run\n");
  const from = ring.end;
  ring.append(Buffer.from("\x1b[31mred\x1b[0m\r\nb\xc3\xbcrg\xff\n", "latin1"));
  ring.append(Buffer.from("of a later run\n"), performance.now() + 5_000);
  const output = lastOutput(ring, { from, until: from + 20, now: NOW });
  expect(output).toMatchObject({ text: "\x1b[31mred\x1b[0m\r\nbürg\ufffd\n".slice(0, output?.text.length), bytes: 20, truncated: false });
  expect(lastOutput(ring, { from, until: from, now: NOW })).toBeNull();
});

test("long output is cut at the beginning of a line, and its lines keep their times", () => {
  const ring = new OutputRing(1024 * 1024);
  const begin = performance.now();
  for (let second = 0; second < 10; second++) ring.append(Buffer.from(`${"x".repeat(99)}\n`.repeat(200)), begin + 2_000 * second);
  const output = lastOutput(ring, { from: 0, until: ring.end, now: NOW });
  expect(output).toMatchObject({ bytes: 200_000, truncated: true });
  expect(Buffer.byteLength(output?.text ?? "")).toBeLessThanOrEqual(MAX_OUTPUT_BYTES);
  const lines = output?.text.split("\n") ?? [];
  expect(lines[0]).toHaveLength(99);
  // The last 200 lines have the last time.
  expect(output?.times.at(-1)?.line).toBe(lines.length - 1 - 200);
});

test("a character that is cut at the beginning is left out", () => {
  const ring = printed("ü".repeat(MAX_OUTPUT_BYTES), "x");
  const output = lastOutput(ring, { from: 0, until: ring.end, now: NOW });
  expect(output?.text).toMatch(/^ü+x$/);
});

test("output that the ring has dropped is left out", () => {
  const ring = new OutputRing(4_096);
  for (let index = 0; index < 100; index++) ring.append(Buffer.from("y".repeat(9_999)));
  const output = lastOutput(ring, { from: 0, until: 5, now: NOW });
  expect(output?.text).toBe("");
});
