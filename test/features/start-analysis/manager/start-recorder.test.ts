import { expect, test } from "vitest";
import { type ObservedProcess, StartRecorder } from "../../../../src/features/start-analysis/manager/start-recorder.ts";
import { outcomeOf } from "../../../../src/features/start-analysis/start-times.ts";
import type { ProcessState } from "../../../../src/protocol/resources/resources.ts";

/** A recorder whose clock is at 1, 2, 3 … with each change. */
function recorder() {
  const record = new StartRecorder();
  let time = 0;
  const see = (name: string, state: ProcessState, more: Partial<ObservedProcess> = {}) => {
    const process = { name, state, waiting_for: [], restarts: 0, has_ready_state: true, exit: null, ...more };
    record.observe(process, ++time);
  };
  const all = (name: string, ...states: ProcessState[]) => {
    for (const state of states) see(name, state);
  };
  return { record, see, all };
}

const failed = { exit: { code: 1, signal: null, reason: null, time: "2026-11-21T08:14:02.123" } };

test("a start has the times of its parts, and the dependency that was met last", () => {
  const { record, see, all } = recorder();
  see("api", "waiting");
  see("api", "waiting", { waiting_for: ["db", "cache"] });
  expect(record.of("api")).toMatchObject({ requested: 1, released: null, after: "db" });
  all("cache", "starting", "started", "ready");
  see("api", "waiting", { waiting_for: ["db"] });
  all("db", "starting", "started", "ready");
  all("api", "starting", "started", "ready");
  expect(record.of("api")).toMatchObject({ requested: 1, released: 10, started: 11, up: 12, ended: null, after: "db", attempts: 1 });
  expect(record.of("db")).toMatchObject({ requested: 7, released: 7, started: 8, up: 9, after: null });
});

test("of dependencies that were met together, the last one counts", () => {
  const { record, see, all } = recorder();
  see("api", "waiting", { waiting_for: ["one", "two", "three"] });
  for (const name of ["one", "three", "two"]) all(name, "starting", "started", "ready");
  see("api", "starting");
  expect(record.of("api")).toMatchObject({ after: "two" });
});

test("attempts of the restart policy belong to one start until it is up; later restarts change nothing", () => {
  const { record, see, all } = recorder();
  all("a", "starting", "started");
  see("a", "backoff", { ...failed });
  expect(record.of("a")).toMatchObject({ ended: 3, failure: "exit code 1" });
  see("a", "starting", { restarts: 1 });
  all("a", "started", "ready");
  const up = { requested: 1, released: 1, started: 5, up: 6, ended: null, failure: null, attempts: 2 };
  expect(record.of("a")).toMatchObject(up);
  see("a", "backoff", failed);
  see("a", "starting", { restarts: 2 });
  all("a", "started", "ready");
  expect(record.of("a")).toMatchObject({ ...up, ended: 7 });
  // A start that is requested meanwhile is a new one: it resets the counter of restarts.
  see("a", "backoff", failed);
  see("a", "starting");
  expect(record.of("a")).toMatchObject({ requested: 12, attempts: 1, up: null });
});

test("a process that fails, or is stopped while it waits, has an end and an outcome", () => {
  const { record, see, all } = recorder();
  see("a", "waiting", { waiting_for: ["db"] });
  all("db", "starting");
  see("db", "error", failed);
  see("a", "error", { exit: { ...failed.exit, reason: "dependency 'db' failed" } });
  const start = record.of("a");
  expect(start).toMatchObject({ released: null, ended: 4, failure: "dependency 'db' failed", after: "db" });
  expect(start && outcomeOf(start)).toBe("failed");
  all("b", "waiting", "stopped");
  const other = record.of("b");
  expect(other && outcomeOf(other)).toBe("ended");
});

test("a process without a ready condition is up when it has started, and a job keeps the time of its end", () => {
  const { record, see } = recorder();
  for (const state of ["starting", "started", "stopped"] as const) see("job", state, { has_ready_state: false });
  expect(record.of("job")).toMatchObject({ started: 2, up: 2, ended: 3, failure: null });
});

test("a run that another manager has started is not known", () => {
  const { record, all } = recorder();
  all("a", "stopped", "started", "ready", "stopping", "stopped");
  expect(record.of("a")).toBeUndefined();
  all("a", "starting", "started", "stopped", "started");
  expect(record.of("a")).toBeUndefined();
  all("a", "stopping", "starting");
  expect(record.of("a")).toMatchObject({ up: null });
  record.forget("a");
  expect(record.of("a")).toBeUndefined();
});
