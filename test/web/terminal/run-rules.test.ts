import { expect, test } from "vitest";
import { type OutputPart, type PastRun, type RunHistory, RunRules } from "../../../web/src/terminal/places/run-rules.ts";

const STREAM = "stream-1";
const run = (number: number, offset: number | null, changed: Partial<PastRun> = {}): PastRun => ({
  run_id: `1-${number}`,
  number,
  pid: 100 + number,
  start_time: "2026-11-22T10:00:00.000",
  stop_time: "2026-11-22T10:00:12.300",
  code: 0,
  signal: null,
  reason: null,
  output_end: offset === null ? null : { offset, stream_id: STREAM },
  ...changed,
});
const at = (offset: number, stream_id = STREAM) => ({ offset, stream_id });
/** Rules as their number in brackets. */
const received = (parts: OutputPart[]) => parts.map((part) => (typeof part === "string" ? part : `[${part.number}]`)).join("");

test("a backlog is split where each run ended, newest first as in the history", () => {
  const rules = new RunRules();
  rules.learn({ runs: [run(3, null), run(2, 10), run(1, 4)] });
  expect(received(rules.backlog("one\nsecondthird", at(15)))).toBe("one\n[1]second[2]third");
});

test("runs that ended before the backlog begins have no rule; one that ended where it begins has", () => {
  const rules = new RunRules();
  rules.learn({ runs: [run(3, 14), run(2, 10), run(1, 4)] });
  expect(received(rules.backlog("abcd", at(14)))).toBe("[2]abcd[3]");
});

test("offsets are bytes, whatever the encoding of the text is", () => {
  const rules = new RunRules();
  rules.learn({ runs: [run(1, 11)] });
  expect(received(rules.backlog("größe😀 µm", at(15)))).toBe("größe😀[1] µm");
});

test("runs without output have rules one after the other, also if there is no output at all", () => {
  const rules = new RunRules();
  rules.learn({ runs: [run(2, 0), run(1, 0)] });
  expect(received(rules.backlog("", at(0)))).toBe("[1][2]");
});

test("an end that is reported before its output waits for it; a late one is drawn at once, and only once", () => {
  const rules = new RunRules();
  expect(received(rules.backlog("abc", at(3)))).toBe("abc");
  rules.learn({ runs: [run(1, 6)] });
  rules.learn({ runs: [run(1, 6)] });
  expect(received(rules.place("de", at(5)))).toBe("de");
  expect(received(rules.place("fgh", at(8)))).toBe("f[1]gh");
  rules.learn({ runs: [run(2, 7), run(1, 6)] });
  expect(received(rules.place("", at(8)))).toBe("[2]");
  expect(received(rules.place("i", at(9)))).toBe("i");
});

test("places in the output of another daemon are not compared", () => {
  const rules = new RunRules();
  rules.learn({ runs: [run(1, 2)] });
  expect(received(rules.backlog("abc", at(3, "stream-2")))).toBe("abc");
  rules.learn({ runs: [run(2, 9)] });
  expect(received(rules.place("new", at(3, "stream-3")))).toBe("[2]new");
});

test("a rule has how the run ended, how long it lasted and when", () => {
  const rules = new RunRules();
  const failed = run(1, 0, { code: 3 });
  const stopped = run(2, 0, { code: null, signal: "SIGTERM", stop_time: "2026-11-22T10:00:00.400" });
  const crashed = run(3, 0, { code: null, signal: "SIGSEGV", start_time: null });
  rules.learn({ runs: [crashed, stopped, failed] });
  expect(rules.backlog("", at(0))).toMatchObject([
    { number: 1, tone: "bad", parts: ["exit code 3", "12 s", expect.stringMatching(/\d/)] },
    { number: 2, tone: "soft", parts: ["ended by SIGTERM", "0.4 s", expect.stringMatching(/\d/)] },
    { number: 3, tone: "bad", parts: ["ended by SIGSEGV", expect.stringMatching(/\d/)] },
  ]);
});

test("an exit code that is configured as a success is drawn as one", () => {
  const tones = (codes?: number[]) => {
    const rules = new RunRules();
    rules.learn({ runs: [run(2, 4, { code: 3 }), run(1, 2)], ...(codes === undefined ? {} : { successCodes: codes }) });
    return rules.backlog("abcd", at(4)).flatMap((part) => (typeof part === "string" ? [] : [part.tone]));
  };
  expect(tones()).toEqual(["good", "bad"]);
  expect(tones([3])).toEqual(["bad", "good"]);
});

test("a rule says why a run ended and what came then, if the changes of state tell; a name acts on no terminal", () => {
  const change = (second: number, from: string, to: string, by: string | null = null) =>
    ({ ts: `2026-11-22T10:00:${String(second).padStart(2, "0")}.000`, from, to, by, reason: null }) as NonNullable<
      RunHistory["changes"]
    >[number];
  const crash = [change(0, "stopped", "starting"), change(0, "starting", "started"), change(12, "started", "backoff")];
  const parts = (changes: RunHistory["changes"] & object, runs = [run(1, 0, { code: 3 })]) => {
    const rules = new RunRules();
    rules.learn({ runs, changes });
    return rules.backlog("", at(0)).flatMap((part) => (typeof part === "string" ? [] : [part.parts.slice(0, 2)]));
  };
  expect(parts(crash)).toEqual([["exit code 3 (crashed)", "is started again by the restart policy"]]);
  const second = run(2, null, { start_time: "2026-11-22T10:00:20.000", stop_time: null });
  expect(parts([...crash, change(20, "backoff", "starting", "a\x1b[2Jb")], [second, run(1, 0, { code: 3 })])).toEqual([
    ["exit code 3 (crashed)", expect.stringMatching(/^started by a[^\p{C}]+b$/u)],
  ]);
});
