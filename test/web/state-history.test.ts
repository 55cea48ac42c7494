import { describe, expect, test } from "vitest";
import type { LogEntry, StateChange } from "../../src/protocol/resources/resources.ts";
import { recentChanges, stateHistory } from "../../web/src/process/state-history.ts";

const at = (second: number) => `2026-11-21T08:00:${String(second).padStart(2, "0")}.000`;
const change = (process: string, from: StateChange["from"], to: StateChange["to"], more: Partial<StateChange> = {}): StateChange => ({
  process,
  from,
  to,
  by: null,
  reason: null,
  ...more,
});
/** Entries of a log, a second apart; a text is one that tells no change. */
const log = (...entries: (StateChange | string)[]): LogEntry[] =>
  entries.map((entry, index) => {
    const common = { id: index, ts: at(index), level: "info" as const, source: "manager" };
    return typeof entry === "string" ? { ...common, msg: entry } : { ...common, msg: "any sentence", change: entry };
  });
const recent = (entries: LogEntry[], { count = 10, since = 0 } = {}) =>
  recentChanges(entries, { count, since, startOf: () => null }).map(({ name, changes }) => [name, ...changes.map(({ text }) => text)]);

describe("recent changes", () => {
  test("list each process once, the last one first, its states oldest first, as far back as requested", () => {
    const entries = log(
      change("a", "stopped", "starting", { by: "ada" }),
      "process 'b' changes state from 'ready' to 'error'",
      change("b", "stopped", "starting"),
      change("a", "starting", "started", { by: "ada" }),
      change("a", "started", "backoff", { reason: "exit code 3" }),
    );
    expect(recent(entries)).toEqual([
      ["a", "starting, requested by ada", "started by ada", "restarting: exit code 3"],
      ["b", "starting"],
    ]);
    // The state before that time lasts into it.
    const since = Date.parse(`${at(4)}Z`) - 1;
    expect(recent(entries, { count: 1, since })).toEqual([["a", "started by ada", "restarting: exit code 3"]]);
    expect(recent(entries, { count: 1, since: since + 60_000 })).toEqual([["a", "restarting: exit code 3"]]);
  });

  test("distinguish an end with success from a stop", () => {
    expect(recent(log(change("job", "started", "stopped")))).toEqual([["job", "completed"]]);
    expect(recent(log(change("job", "stopping", "stopped", { by: "ada" })))).toEqual([["job", "stopped by ada"]]);
  });

  test("show what a new manager found", () => {
    const entries = log(change("runs", null, "ready"), change("failed", null, "error"));
    const found = recentChanges(entries, { count: 10, since: 0, startOf: () => at(0) });
    expect(found.map(({ changes }) => changes[0]?.text)).toEqual([
      "error when the manager started",
      expect.stringMatching(/^adopted, running since .*\d\d/),
    ]);
  });
});

describe("the states of a process", () => {
  const run = (second: number, code: number) => ({
    run_id: `1-${second}`,
    number: second,
    pid: second,
    start_time: at(second),
    stop_time: at(second + 1),
    code,
    signal: null,
    reason: null,
    output_end: null,
  });
  const received = (detail: Parameters<typeof stateHistory>[0]) =>
    stateHistory(detail, null).map(({ time, text }) => `${time.slice(17, 19)} ${text}`);

  test("are the changes of the log, after the runs that the log has forgotten", () => {
    const changes = [
      { ...change("a", "stopped", "starting", { by: "ada" }), ts: at(20) },
      { ...change("a", "starting", "started", { by: "ada" }), ts: at(21) },
    ];
    const newest = { ...run(21, 0), stop_time: null, code: null };
    expect(received({ changes, history: [newest, run(10, 3), run(5, 0)] })).toEqual([
      "05 started",
      "06 ended: exit code 0",
      "10 started",
      "11 ended: exit code 3",
      "20 starting, requested by ada",
      "21 started by ada",
    ]);
  });

  test("are those of the runs if the log has none", () => {
    expect(received({ changes: [], history: [run(5, 0)] })).toEqual(["05 started", "06 ended: exit code 0"]);
    expect(received({ changes: [], history: [] })).toEqual([]);
  });
});
