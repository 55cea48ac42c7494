import { describe, expect, test } from "vitest";
import { stillStoppedWith, stoppedAlong } from "../../../src/client/shown/along.ts";
import { isFine, SHOWN_STATES, shownGroupState, shownState, stateText } from "../../../src/client/shown/shown-state.ts";
import { statusReason } from "../../../src/client/shown/status-reason.ts";
import { PROCESS_STATES, type Process } from "../../../src/protocol/resources/resources.ts";
import { fakeProcess } from "../../support/fakes/fake-control.ts";

const T = "2026-11-21T08:14:02.123";
const EXIT_0 = { code: 0, signal: null, reason: null, time: T };
const EXIT_3 = { ...EXIT_0, code: 3 };
const WORDS = { at: (timestamp: string) => timestamp.slice(11, 16), in: () => "in 12 s" };

const process = (change: Partial<Process>): Process => ({ ...fakeProcess("a"), ...change });
const running = (change: Partial<Process> = {}) =>
  process({ state: "started", requested_state: "start", pid: 7, start_time: T, ...change });
const reasonOf = (change: Partial<Process>) => statusReason(process(change), WORDS);

test("every state of the protocol can be shown", () => {
  expect([...PROCESS_STATES, "completed", "lost"].sort()).toEqual([...SHOWN_STATES].sort());
});

describe("a process that has failed", () => {
  const looping = running({ restarting: true, restarts: 97 });

  test("is restarting until it is stable, also while it runs, and so is its group", () => {
    expect(shownState(looping)).toBe("backoff");
    expect(stateText(looping)).toBe("restarting (97×)");
    expect(shownGroupState([running(), looping])).toBe("backoff");
    expect(isFine(looping)).toBe(false);
    expect(statusReason(looping, WORDS)).toBe("restarted after a failure, not stable yet");
  });

  test("is running again once it is stable", () => {
    const stable = running({ restarts: 97 });
    expect(stateText(stable)).toBe("started");
    expect(isFine(stable)).toBe(true);
    expect(statusReason(stable, WORDS)).toBe("");
  });
});

describe("a job", () => {
  test("that ended with success is completed, and counts as healthy", () => {
    const job = process({ requested_state: "start", start_time: T, stop_time: T, exit: EXIT_0 });
    expect(shownState(job)).toBe("completed");
    expect(isFine(job)).toBe(true);
    expect(shownGroupState([job, process({})])).toBe("completed");
    expect(statusReason(job, WORDS)).toBe("completed at 08:14 (exit code 0)");
  });

  test("that was stopped, or has never run, is not completed", () => {
    expect(shownState(process({ exit: EXIT_0 }))).toBe("stopped");
    expect(shownState(process({ requested_state: "start" }))).toBe("stopped");
    expect(isFine(process({}))).toBe(false);
  });
});

describe("a process of a lost host", () => {
  test("is lost if it ran or was to run; a stopped process stays stopped", () => {
    for (const state of ["waiting", "starting", "started", "ready", "stopping", "backoff"] as const)
      expect(shownState(running({ state, host_ready: false }))).toBe("lost");
    expect(shownState(process({ host_ready: false }))).toBe("stopped");
    expect(shownState(process({ state: "error", host_ready: false }))).toBe("error");
    expect(shownGroupState([running(), running({ host_ready: false })])).toBe("lost");
  });

  test("shows its state at the loss of its host", () => {
    const lost = running({ host_ready: false, host: "rt1" });
    expect(statusReason(lost, WORDS, { lost_time: T })).toBe("started as of 08:14: host rt1 is not connected");
    expect(statusReason(lost, WORDS, { lost_time: null })).toBe("started: host rt1 is not connected");
  });
});

test("a stopped process shows which user stopped it, when, and with which other process", () => {
  const by = { requested_by: "ada", requested_time: T, exit: { ...EXIT_0, code: null, signal: "SIGTERM" } };
  expect(reasonOf(by)).toBe("stopped by ada at 08:14");
  expect(reasonOf({ ...by, stopped_with: "db" })).toBe("stopped by ada with db at 08:14");
  expect(reasonOf({ exit: by.exit })).toBe("ended by SIGTERM");
  expect(reasonOf({})).toBe("not started yet");
});

test("other states show what they wait for or how the process ended", () => {
  expect(reasonOf({ state: "error", exit: EXIT_3 })).toBe("exit code 3");
  expect(reasonOf({ state: "backoff", exit: EXIT_3, next_start_time: T })).toBe("exit code 3; restarts in 12 s");
  expect(reasonOf({ state: "waiting", waiting_for: ["db", "bus"] })).toBe("waiting for db, bus");
  expect(reasonOf({ state: "started", has_ready_state: true })).toBe("running, not ready yet");
  expect(reasonOf({ state: "stopping", requested_state: "start" })).toBe("stopping, then starting again");
});

describe("the processes that a stop also stops", () => {
  const node = (name: string, state: Process["state"], stops_with: string[] = []) =>
    ({ name, state, requested_state: state === "stopped" ? "stop" : "start", stops_with }) as const;
  const db = node("db", "ready");
  const all = [
    node("web", "started", ["api"]),
    node("api", "started", ["db"]),
    db,
    node("idle", "stopped", ["db"]),
    node("behind", "started", ["idle"]),
  ];
  const names = (found: readonly { name: string }[]) => found.map(({ name }) => name);

  test("are those that run and depend on it, directly or not", () => {
    expect(names(stoppedAlong(["db"], all))).toEqual(["web", "api", "behind"]);
    expect(names(stoppedAlong(["db", "api"], all))).toEqual(["web", "behind"]);
    expect(names(stoppedAlong(["web"], all))).toEqual([]);
    expect(names(stoppedAlong([], all))).toEqual([]);
  });

  test("are found also if processes depend on each other", () => {
    expect(names(stoppedAlong(["a"], [node("a", "started", ["b"]), node("b", "started", ["a"])]))).toEqual(["b"]);
  });

  test("are still known at the next start, until they are started themselves", () => {
    const stopped = (name: string, stopped_with: string | null, requested_state: Process["requested_state"] = "stop") =>
      ({ name, stopped_with, requested_state }) as const;
    const found = [
      stopped("web", "api"),
      stopped("api", "db"),
      stopped("db", null, "start"),
      stopped("log", "db", "start"),
      stopped("other", null),
    ];
    expect(names(stillStoppedWith(["db"], found))).toEqual(["web", "api"]);
    expect(names(stillStoppedWith(["api"], found))).toEqual(["web"]);
  });
});
