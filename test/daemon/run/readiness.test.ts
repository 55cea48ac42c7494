import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ReadyCondition } from "../../../src/contract/run.ts";
import { stripEscapes } from "../../../src/daemon/output/escape-sequences.ts";
import { Readiness } from "../../../src/daemon/run/readiness.ts";
import { ManualClock } from "../../transport/manual-clock.ts";

function watch(condition: ReadyCondition | null) {
  const clock = new ManualClock();
  let calls = 0;
  const readiness = new Readiness({ condition, clock, onReady: () => calls++ });
  return { clock, readiness, calls: () => calls, say: (text: string) => readiness.append(Buffer.from(text)) };
}
const regex = (pattern: string): ReadyCondition => ({ kind: "regex", pattern });

describe("an expression", () => {
  test("is found however the bytes are cut, once", () => {
    const text = "Höhe erreicht: bereit ✓ auf Port 8080\r\n";
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(text)), { maxLength: 6 }), (cuts) => {
        const { clock, readiness, calls } = watch(regex("bereit ✓ auf Port \\d+"));
        const bytes = Buffer.from(text);
        const ends = [...cuts.sort((a, b) => a - b), bytes.length];
        ends.forEach((end, index) => {
          readiness.append(bytes.subarray(ends[index - 1] ?? 0, end));
          clock.advance(10);
        });
        readiness.append(bytes);
        clock.advance(10);
        expect(calls()).toBe(1);
      }),
    );
  });

  test("matches the visible text, and the raw bytes too", () => {
    const coloured = "\x1b[1;32mserver\x1b[0m \x1b]8;;http://x\x07rea\x1b(Bdy\x1b]8;;\x1b\\\r\n";
    const plain = watch(regex("server ready\\n"));
    plain.say(coloured);
    plain.clock.advance(10);
    expect(plain.calls()).toBe(1);
    const raw = watch(regex("\\x1b\\[0m"));
    raw.say(coloured);
    raw.clock.advance(10);
    expect(raw.calls()).toBe(1);
  });

  test("spans 60,000 characters, and not more than is kept", () => {
    for (const [distance, expected] of [
      [60_000, 1],
      [400_000, 0],
    ] as const) {
      const { say, clock, calls } = watch(regex("begin[^]*end"));
      say("begin");
      for (let said = 0; said < distance; said += 1_000) say("x".repeat(1_000));
      say("end");
      // Also behind a pause, if a search was slow.
      clock.advance(10_000);
      expect(calls()).toBe(expected);
    }
  });

  test("that would not end does not block the daemon, and is found once it can be", async () => {
    const { say, clock, calls } = watch(regex("(a+)+$"));
    say(`${"a".repeat(60)}!`);
    await expect
      .poll(
        () => {
          clock.advance(10_000);
          return clock.pendingTimers;
        },
        { timeout: 60_000 },
      )
      .toBe(0);
    expect(calls()).toBe(0);
    say("aa");
    clock.advance(10);
    expect(calls()).toBe(1);
  });

  test("counts output right before the end of the run, and nothing after it", () => {
    const last = watch(regex("done"));
    last.say("done");
    last.readiness.end();
    expect(last.calls()).toBe(1);
    const late = watch(regex("done"));
    late.readiness.end();
    late.say("done");
    late.clock.advance(10);
    expect([late.calls(), late.clock.pendingTimers]).toEqual([0, 0]);
  });

  test("is searched for in batches: 10,000 small reads cost few searches", () => {
    const { say, calls, clock } = watch(regex("never there"));
    const searches = vi.spyOn(RegExp.prototype, "exec");
    onTestFinished(() => searches.mockRestore());
    for (let read = 0; read < 10_000; read++) say("some output of a program that is not ready yet\r\n");
    clock.advance(10);
    const made = searches.mock.calls.length;
    expect(calls()).toBe(0);
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(500);
  });
});

test("a time is met once it has passed, unless the run has ended", () => {
  const passed = watch({ kind: "time", ms: 2_000 });
  passed.clock.advance(1_999);
  expect(passed.calls()).toBe(0);
  passed.clock.advance(1);
  expect(passed.calls()).toBe(1);
  const ended = watch({ kind: "time", ms: 2_000 });
  ended.readiness.end();
  ended.clock.advance(5_000);
  expect(ended.calls()).toBe(0);
});

test("a run without a condition never becomes ready", () => {
  const { say, readiness, calls } = watch(null);
  say("anything");
  readiness.end();
  expect(calls()).toBe(0);
});

test("escape sequences are removed, and no text is", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("text", "[0m", "\x1b[0;1m", "\x1b[?25l", "\x1b]0;title\x07", "\x1bM", "\x1b(B", "ü", "\n")),
      (parts) => {
        expect(stripEscapes(parts.join(""))).toBe(parts.filter((part) => !part.startsWith("\x1b")).join(""));
      },
    ),
  );
  expect(stripEscapes("cut \x1b[38;5;1")).toBe("cut ");
  // Never closed, and long: a search that starts again at each of them would not end.
  expect(stripEscapes("\x1b]".repeat(50_000))).toBe("\x1b]".repeat(49_999));
  expect(stripEscapes("\x1b[".concat("0;".repeat(50_000)))).toBe("");
});
