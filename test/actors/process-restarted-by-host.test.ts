import { describe, expect, test } from "vitest";
import { ended, report } from "../support/fakes/run-reports.ts";
import { definition, ProcessRig, startedProcess } from "./support/process.ts";

const ON_FAILURE = definition({ restart: { policy: "on-failure" } });
const memo = (counters: { restarts: number; attempt: number; failures: number }) => JSON.stringify({ ...counters, ago: [] });
const TWO = memo({ restarts: 2, attempt: 2, failures: 2 });

const SICK = { reason: "not alive", recycled: false };

/** A host that was lost and has greeted, before its report. */
const back = (rig: ProcessRig) => rig.send({ type: "host.lost" });

describe("a process whose host restarted it without the manager", () => {
  test("stays in backoff while its host is lost, and starts with the report if the host did nothing", () => {
    const rig = startedProcess({ definition: ON_FAILURE }).died(1);
    rig.send({ type: "host.lost" });
    rig.clock.advance(60_000);
    rig.clock.advance(60_000);
    expect(rig.state).toBe("backoff");
    rig.send({ type: "report", run: rig.run({ ...ended(1), extinct: true }) });
    rig.clock.advance(1);
    expect(rig.state).toBe("starting");
    expect(rig.spawns.map(({ runId, after }) => [runId, after])).toEqual([
      ["1-1", null],
      ["1-2", "1-1"],
    ]);
  });

  test("starts after a backoff in which its host got another daemon", () => {
    const rig = startedProcess({ definition: ON_FAILURE }).died(1).send({ type: "host.died" });
    rig.clock.advance(60_000);
    expect(rig.state).toBe("backoff");
    rig.send({ type: "report", run: null });
    rig.clock.advance(1);
    expect(rig.state).toBe("starting");
  });

  test("starts again after the death of a daemon that was lost before", () => {
    const rig = startedProcess({ definition: ON_FAILURE }).send({ type: "host.lost" }, { type: "host.died" });
    rig.send({ type: "report", run: null });
    expect(rig.state).toBe("backoff");
    rig.clock.advance(1_000);
    expect(rig.state).toBe("starting");
  });

  test("is not stopped for a readiness time-out while its host is lost, but with the report", () => {
    const ready = { ready: { kind: "regex", pattern: "up" }, ready_timeout: 30_000 } as const;
    const rig = startedProcess({ definition: definition(ready) });
    rig.send({ type: "host.lost" });
    rig.clock.advance(60_000);
    expect(rig.state).toBe("started");
    rig.send({ type: "report", run: rig.run() });
    rig.clock.advance(1);
    expect(rig.state).toBe("stopping");
  });

  test("is adopted from backoff with the host's run and counters", () => {
    const rig = back(startedProcess({ definition: ON_FAILURE }).died(1));
    rig.send({ type: "report", run: report("1-1-2", { memo: TWO }) });
    expect(rig.path).toEqual(["starting", "started", "backoff", "started"]);
    expect(rig.context).toMatchObject({ runId: "1-1-2", restarts: 2, attempt: 2 });
    expect(rig.spawns).toHaveLength(1);
  });

  test("is adopted while it is shown as running, and shows the new run's readiness", () => {
    const ready = definition({ ...ON_FAILURE, ready: { kind: "regex", pattern: "up" } });
    const rig = startedProcess({ definition: ready });
    rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    back(rig).send({ type: "report", run: report("1-1-2", { memo: TWO }) });
    expect(rig.path).toEqual(["starting", "started", "ready", "started"]);
  });

  test("is judged by the host's counters if its last run has ended", () => {
    const loop = memo({ restarts: 10, attempt: 10, failures: 10 });
    const rig = back(startedProcess({ definition: ON_FAILURE }));
    rig.send({ type: "report", run: report("1-1-10", { ...ended(3), extinct: true, memo: loop }) });
    expect(rig.state).toBe("error");
    expect(rig.reason).toContain("crash loop: restarted 10 times in a row");
  });

  test("gives up a run that this manager has decided on and its host has not started", () => {
    const rig = startedProcess({ definition: ON_FAILURE }).died(1);
    rig.clock.advance(1_000);
    expect([rig.state, rig.runId]).toEqual(["starting", "1-2"]);
    back(rig).send({ type: "report", run: report("1-1-1", { memo: TWO }) });
    expect([rig.state, rig.runId, rig.spawning]).toEqual(["started", "1-1-1", null]);
  });

  test("is stopped if a stop was accepted that its host did not receive", () => {
    const rig = back(startedProcess({ definition: ON_FAILURE }).stop());
    rig.stopping?.resolve("gone");
    rig.send({ type: "report", run: report("1-1-1", { memo: TWO }) });
    expect(rig.state).toBe("stopping");
    expect(rig.stops.at(-1)).toMatchObject({ runId: "1-1-1", isWanted: false });
  });

  test("is restarted once more if a restart was accepted that its host did not receive", () => {
    const rig = back(startedProcess({ definition: ON_FAILURE }).restart());
    rig.send({ type: "report", run: report("1-1-1", { memo: TWO }) });
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect([rig.state, rig.context.restarts]).toEqual(["starting", 0]);
  });

  test("fulfils an accepted start with the run that its host began", () => {
    const rig = startedProcess({ definition: ON_FAILURE }).died(1).start();
    back(rig).send({ type: "report", run: report("1-1-1", { memo: TWO }) });
    expect([rig.state, rig.runId, rig.context.pendingRun]).toEqual(["started", "1-1-1", null]);
  });

  test.each([
    ["that lives", { stopping: true, stop_cause: SICK }],
    ["that has ended with code 0", { stopping: true, stop_cause: SICK, ...ended(0), extinct: true }],
  ])("waits for the delay of its policy after a run %s and that its host stopped for a failure", (_which, run) => {
    const rig = back(startedProcess({ definition: ON_FAILURE }));
    rig.send({ type: "report", run: rig.run(run) });
    if (rig.state === "stopping") rig.extinct(0);
    expect([rig.state, rig.reason]).toEqual(["backoff", "not alive"]);
    expect(rig.context.attempt).toBe(1);
  });

  test("waits for that delay also under a manager that did not start the run", () => {
    const rig = new ProcessRig({ definition: ON_FAILURE, requested: "start" });
    rig.send({ type: "report", run: report("1-1-2", { stopping: true, stop_cause: SICK, memo: TWO }) });
    expect(rig.state).toBe("stopping");
    rig.send({ type: "run.extinct", run: report("1-1-2", { stopping: true, stop_cause: SICK, memo: TWO, ...ended(0), extinct: true }) });
    expect([rig.state, rig.reason, rig.context.attempt]).toEqual(["backoff", "not alive", 3]);
  });

  test("is restarted at once if a restart was accepted while its host stopped it for a failure", () => {
    const rig = back(startedProcess({ definition: ON_FAILURE }).restart());
    rig.send({ type: "report", run: report("1-1-1", { stopping: true, stop_cause: SICK, memo: TWO }) });
    rig.send({ type: "run.extinct", run: report("1-1-1", { stopping: true, stop_cause: SICK, ...ended(0), extinct: true }) });
    expect([rig.state, rig.context.restarts]).toEqual(["starting", 0]);
  });

  test.each([
    ["continued from a run of the manager after the request", "1-2-1", "started"],
    ["began before it knew of the request", "1-1-1", "stopping"],
  ])("a saved restart is carried out once: a run of the host that %s", (_which, runId, state) => {
    const rig = new ProcessRig({ definition: ON_FAILURE, requested: "start", pendingRun: { after: "1-1", replace: true } });
    rig.send({ type: "report", run: report(runId) });
    expect(rig.state).toBe(state);
  });

  test("is adopted from a daemon that counted from an earlier run, as after a power cut in which the host lost what it began last", () => {
    const rig = startedProcess({ definition: ON_FAILURE });
    rig.restart().extinct(null, "SIGTERM").spawned();
    expect(rig.runId).toBe("1-2");
    rig.send({ type: "host.died" }, { type: "report", run: report("1-1-1") });
    expect([rig.state, rig.runId]).toEqual(["started", "1-1-1"]);
  });
});
