import { beforeEach, describe, expect, test } from "vitest";
import type { Process } from "../../src/protocol/resources/resources.ts";
import { forgetChanges, noteChange, noteSeen, recentChanges, sortSeen, stateHistory } from "../../web/src/process/state-history.ts";

const at = (second: number) => `2026-11-21T08:00:${String(second).padStart(2, "0")}.000`;
const NEVER_RUN = { name: "a", state: "stopped", pid: null, start_time: null, stop_time: null, exit: null } as Process;
const process = (fields: Partial<Process>): Process => ({ ...NEVER_RUN, ...fields });
const exited = (second: number, code: number) => ({
  stop_time: at(second),
  exit: { code, signal: null, reason: null, time: at(second) },
});
const told = (name: string, runs: Parameters<typeof stateHistory>[1] = []) =>
  stateHistory(name, runs).map(({ time, to, exit }) => `${time.slice(17, 19)} ${to} ${exit}`.trim());

beforeEach(() => {
  for (const { name } of recentChanges(1_000)) forgetChanges(name);
});

describe("the states of a process", () => {
  test("begin with what its newest run says of itself", () => {
    noteSeen(process({ name: "runs", state: "ready", pid: 7, start_time: at(1) }), undefined);
    noteSeen(process({ name: "failed", state: "error", start_time: at(2), ...exited(3, 4) }), undefined);
    noteSeen(
      process({ name: "no-such-file", state: "error", exit: { code: null, signal: null, reason: "not found", time: at(5) } }),
      undefined,
    );
    noteSeen(process({ name: "never" }), undefined);
    expect(told("runs")).toEqual(["01 ready"]);
    expect(told("failed")).toEqual(["02 started", "03 error exit code 4"]);
    expect(told("no-such-file")).toEqual(["05 error not found"]);
    expect(told("never")).toEqual([]);
  });

  test("a stopped process that waits again has stopped before", () => {
    noteSeen(process({ state: "waiting", start_time: at(2), ...exited(3, 0) }), undefined);
    expect(told("a")).toEqual(["02 started", "03 stopped exit code 0"]);
  });

  test("go on with every change that is received, and with nothing else", () => {
    const first = process({ state: "stopped" });
    const second = process({ state: "starting" });
    const third = process({ state: "started", pid: 8, start_time: at(11) });
    noteSeen(first, undefined);
    noteChange(second, first, at(10));
    noteChange(third, second, at(11));
    noteChange({ ...third, low_delay_output: true }, third, at(12));
    noteChange(process({ state: "backoff", start_time: at(11), ...exited(13, 1) }), third, at(13));
    expect(told("a")).toEqual(["10 starting", "11 started", "13 backoff exit code 1"]);
  });

  test("changes that were missed while disconnected are found afterwards", () => {
    const before = process({ state: "started", pid: 8, start_time: at(1) });
    noteSeen(before, undefined);
    noteSeen(before, before);
    noteSeen(process({ state: "stopped", start_time: at(1), ...exited(5, 0) }), before);
    expect(told("a")).toEqual(["01 started", "05 stopped exit code 0"]);
  });

  test("earlier runs stand before them, once", () => {
    const run = (second: number, code: number) => ({
      run_id: `1-${second}`,
      pid: second,
      start_time: at(second),
      stop_time: at(second + 1),
      code,
      signal: null,
      reason: null,
    });
    noteSeen(process({ state: "started", pid: 9, start_time: at(20) }), undefined);
    const newest = { ...run(20, 0), stop_time: null, code: null };
    expect(told("a", [newest, run(10, 3), run(5, 0)])).toEqual([
      "05 started",
      "06 stopped exit code 0",
      "10 started",
      "11 stopped exit code 3",
      "20 started",
    ]);
  });

  test("are bounded", () => {
    let before = process({});
    for (let count = 0; count < 1_000; count++) {
      const next = process({ state: count % 2 === 0 ? "started" : "stopped" });
      noteChange(next, before, at(count % 60));
      before = next;
    }
    expect(told("a").length).toBeLessThanOrEqual(200);
  });
});

test("the process that changed last is the first of the recent ones, each stands there once", () => {
  noteSeen(process({ name: "late", state: "started", pid: 1, start_time: at(9) }), undefined);
  noteSeen(process({ name: "early", state: "started", pid: 2, start_time: at(1) }), undefined);
  sortSeen();
  expect(recentChanges(10).map(({ name }) => name)).toEqual(["late", "early"]);
  noteChange(process({ name: "early", state: "stopping" }), process({ name: "early", state: "started" }), at(10));
  expect(recentChanges(10).map(({ name }) => name)).toEqual(["early", "late"]);
  expect(recentChanges(1).map(({ name }) => name)).toEqual(["early"]);
  forgetChanges("early");
  expect(recentChanges(10).map(({ name }) => name)).toEqual(["late"]);
});
