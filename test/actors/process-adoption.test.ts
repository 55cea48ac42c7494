import { describe, expect, test } from "vitest";
import type { RunReport } from "../../src/contract/run.ts";
import { ended, report } from "../support/fakes/run-reports.ts";
import { WALL } from "./support/clock.ts";
import { definition, ProcessRig, startedProcess, stoppedProcess } from "./support/process.ts";

const READY = { ready: { kind: "regex", pattern: "listening" }, ready_timeout: 30_000 } as const;
const ON_FAILURE = { restart: { policy: "on-failure" } } as const;

describe("adoption (docs/design/runtime-invariants.md, 'Adoption')", () => {
  test("before the first report a process is shown as stopped, with its requested_state kept", () => {
    const rig = new ProcessRig({ requested: "start" });
    expect(rig.state).toBe("stopped");
    expect(rig.context.requested).toBe("start");
    expect(rig.spawns).toEqual([]);
    expect(rig.emitted).toEqual([]);
  });

  test("a command before the first report is kept, and the report decides", () => {
    const rig = new ProcessRig().start();
    expect(rig.emitted).toEqual([
      { type: "intent", requested_state: "start", origin: { by: "ann", time: WALL, stoppedWith: null } },
      { type: "pending_run", pending: { after: "1-0", replace: false } },
    ]);
    expect(rig.send({ type: "report", run: null }).state).toBe("starting");
  });

  test("a run that was found is logged as adopted, and what this manager does as a change", () => {
    const received = (rig: ProcessRig) => rig.emitted.filter(({ type }) => type === "adopted" || type === "changed");
    const found = (run: RunReport) => new ProcessRig({ requested: "start" }).send({ type: "report", run });
    expect(received(found(report("3-7")))).toEqual([{ type: "adopted", state: "started", reason: null }]);
    expect(received(found(report("3-7", { ...ended(9), extinct: true })))).toEqual([
      { type: "adopted", state: "error", reason: "exited with code 9" },
    ]);
    expect(received(found(report("3-7")).died(1))).toEqual([
      { type: "adopted", state: "started", reason: null },
      { type: "changed", from: "started", to: "error", reason: "exited with code 1" },
    ]);
    expect(received(new ProcessRig({ requested: "start" }).send({ type: "report", run: null }))).toEqual([
      { type: "changed", from: "stopped", to: "starting", reason: null },
    ]);
    // After a rebuild of its actor the state that was shown is compared.
    const rebuilt = new ProcessRig({ requested: "start", shown: "started" });
    expect(received(rebuilt.send({ type: "report", run: report("3-7", { ...ended(9), extinct: true }) }))).toEqual([
      { type: "changed", from: "started", to: "error", reason: "exited with code 9" },
    ]);
  });

  test("a live run with a requested start is adopted as started", () => {
    const rig = new ProcessRig({ requested: "start" }).send({ type: "report", run: report("3-7", { pid: 42, age_ms: 5_000 }) });
    expect(rig.path).toEqual(["started"]);
    expect(rig.context).toMatchObject({ runId: "3-7", run: { pid: 42 }, exit: null });
    expect(rig.spawns).toEqual([]);
    expect(rig.stops).toEqual([]);
  });

  test("a live run that is ready is adopted as ready", () => {
    const rig = new ProcessRig({ requested: "start", definition: definition(READY) });
    rig.send({ type: "report", run: report("3-7", { ready: true, age_ms: 99_000 }) });
    expect(rig.path).toEqual(["ready"]);
    rig.clock.advance(60_000);
    expect(rig.state).toBe("ready");
  });

  test("a live run with a requested stop is stopped", () => {
    const rig = new ProcessRig({ requested: "stop" }).send({ type: "report", run: report("3-7") });
    expect(rig.state).toBe("stopping");
    expect(rig.stops.map((stop) => stop.runId)).toEqual(["3-7"]);
    rig.extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["stopping", "stopped"]);
  });

  test.each([
    ["lives", "stop", report("3-7"), "started", "start"],
    ["lives and is being stopped", "start", report("3-7", { stopping: true }), "stopping", "start"],
    ["was stopped", "start", report("3-7", { ...ended(null, "SIGTERM"), stopping: true, extinct: true }), "stopped", "stop"],
    ["has failed by itself", "start", report("3-7", { ...ended(1), extinct: true }), "error", "start"],
    ["has failed by itself", "stop", report("3-7", { ...ended(1), extinct: true }), "stopped", "stop"],
  ] as const)("where requests of users are lost, a run that %s and would %s is logged", (_, requested, run, state, then) => {
    const rig = new ProcessRig({ requested, isIntentLost: true }).send({ type: "report", run });
    expect(rig.state).toBe(state);
    expect(rig.context.requested).toBe(then);
    const intents = rig.emitted.filter(({ type }) => type === "intent");
    expect(intents).toEqual(
      requested === then ? [] : [{ type: "intent", requested_state: then, origin: expect.objectContaining({ by: "" }) }],
    );
  });

  test("a stopping run with a requested start (a restart was under way) is stopped and started again", () => {
    const rig = new ProcessRig({ requested: "start" }).send({ type: "report", run: report("3-7", { stopping: true }) });
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["stopping", "starting"]);
  });

  test("the ready timeout is re-armed with the remainder", () => {
    const rig = new ProcessRig({ requested: "start", definition: definition(READY) });
    rig.send({ type: "report", run: report("3-7", { age_ms: 20_000 }) });
    rig.clock.advance(9_999);
    expect(rig.state).toBe("started");
    rig.clock.advance(1);
    expect(rig.state).toBe("stopping");
  });

  test("a ready timeout that passed while the manager was away acts at once", () => {
    const rig = new ProcessRig({ requested: "start", definition: definition(READY) });
    rig.send({ type: "report", run: report("3-7", { age_ms: 31_000 }) });
    rig.clock.advance(1);
    expect(rig.state).toBe("stopping");
  });

  test("a process that ended while the manager was away has that exit, and the rest of its restart delay", () => {
    const rig = new ProcessRig({ requested: "start", definition: definition(ON_FAILURE) });
    const run = report("3-7", { ...ended(1), extinct: true, start_time: WALL - 5_000, stop_time: WALL - 400, age_ms: 5_000 });
    rig.send({ type: "report", run });
    expect(rig.path).toEqual(["backoff"]);
    expect(rig.context.nextStart?.time).toBe(WALL + 600);
    rig.clock.advance(600);
    expect(rig.state).toBe("starting");
  });

  test("a process that succeeded while the manager was away is stopped, and its dependents see the success", () => {
    const rig = new ProcessRig({ requested: "start" }).send({ type: "report", run: report("3-7", { ...ended(0), extinct: true }) });
    expect(rig.state).toBe("stopped");
    expect(rig.context.lastRunSucceeded).toBe(true);
    expect(rig.spawns).toEqual([]);
  });

  test("a process in error stays in error over a manager restart", () => {
    const rig = new ProcessRig({ requested: "start" }).send({ type: "report", run: report("3-7", { ...ended(9), extinct: true }) });
    expect(rig.path).toEqual(["error"]);
    expect(rig.reason).toBe("exited with code 9");
  });

  test("a crash loop stays in error over a manager restart, however long the manager was away", () => {
    const policy = definition({ restart: { policy: "on-failure", max_restarts: 1, delay: 100 } });
    const before = startedProcess({ definition: policy }).died(1);
    before.clock.advance(100);
    before.spawned().died(1);
    expect(before.state).toBe("error");
    const { memo = "" } = before.spawns.at(-1) ?? {};

    const day = 86_400_000;
    const run = report("1-2", { ...ended(1), extinct: true, memo, start_time: WALL, stop_time: WALL, age_ms: day });
    const after = new ProcessRig({ requested: "start", definition: policy }).send({ type: "report", run });
    expect(after.state).toBe("error");
    expect(after.reason).toContain("crash loop");
  });

  test("a process with a requested start is started again after a host reboot", () => {
    const rig = new ProcessRig({ requested: "start" }).send({ type: "report", run: null });
    expect(rig.path).toEqual(["starting"]);
  });

  test("a process that never ran and has no requested start stays stopped", () => {
    const rig = new ProcessRig().send({ type: "report", run: null });
    expect(rig.state).toBe("stopped");
    expect(rig.spawns).toEqual([]);
    expect(rig.emitted).toEqual([]);
  });

  test("restart counters come back from the memo of the run", () => {
    const policy = definition({ restart: { policy: "on-failure", delay: 1_000, factor: 3 } });
    const before = startedProcess({ definition: policy }).died(1);
    before.clock.advance(1_000);
    before.spawned().died(1);
    before.clock.advance(3_000);
    const { memo = "" } = before.spawns.at(-1) ?? {};
    expect(memo.length).toBeLessThanOrEqual(4_096);

    const after = new ProcessRig({ requested: "start", definition: policy }).send({
      type: "report",
      run: report("1-3", { memo, age_ms: 2_000 }),
    });
    expect(after.context).toMatchObject({ restarts: 2, attempt: 2 });
    after.died(1);
    expect(after.context.nextStart?.time).toBe(WALL + 9_000);
  });

  test.each(["", "not json", "[]", '{"restarts":-1,"attempt":0,"ago":[]}'])(
    "a memo that cannot be read (%j) counts for nothing",
    (memo) => {
      const rig = new ProcessRig({ requested: "start" }).send({ type: "report", run: report("3-7", { memo }) });
      expect(rig.context).toMatchObject({ restarts: 0, attempt: 0, restartTimes: [] });
    },
  );

  test("the memo stays within 4 KiB after any number of restarts", () => {
    const rig = startedProcess({
      definition: definition({ restart: { policy: "always", delay: 0, max_restarts: 5_000, window: 2_000_000_000 } }),
    });
    for (let run = 0; run < 2_000; run++) {
      rig.died(1);
      rig.clock.advance(1);
      rig.spawned();
    }
    expect(Math.max(...rig.spawns.map((spawn) => spawn.memo.length))).toBeLessThanOrEqual(4_096);
    expect(rig.context.restarts).toBe(2_000);
  });

  test("a rebuilt process keeps showing its last state, and publishes nothing if the report agrees", () => {
    const rig = new ProcessRig({ requested: "start", shown: "started" });
    expect(rig.state).toBe("started");
    rig.send({ type: "report", run: report("3-7") });
    expect(rig.emitted).toEqual([]);
    expect(rig.spawns).toEqual([]);
  });
});

test("a host clock that was stepped during a run affects neither its backoff nor its reset", () => {
  const policy = definition({ restart: { policy: "always", delay: 1_000, factor: 2, reset_after: 60_000 } });
  const rig = startedProcess({ definition: policy });
  rig.clock.advance(61_000);
  rig.send({ type: "run.exited", run: rig.run({ ...ended(1), stop_time: WALL - 3_600_000 }) });
  expect(rig.context.nextStart?.monotonic).toBe(62_000);
  expect(rig.context.attempt).toBe(1);
});

describe("reconciliation after a lost link", () => {
  test("a live run with a requested start does not change", () => {
    const rig = startedProcess().send({ type: "host.lost" });
    rig.send({ type: "report", run: rig.run() });
    expect(rig.path).toEqual(["starting", "started"]);
  });

  test("a run that became ready while the link was lost is ready", () => {
    const rig = startedProcess({ definition: definition(READY) }).send({ type: "host.lost" });
    rig.send({ type: "report", run: rig.run({ ready: true }) });
    expect(rig.state).toBe("ready");
  });

  test("a run that ended while the link was lost has that exit, and the restart policy applies", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) }).send({ type: "host.lost" });
    rig.send({ type: "report", run: rig.run({ ...ended(4), extinct: true, stop_time: WALL }) });
    expect(rig.path).toEqual(["starting", "started", "backoff"]);
    expect(rig.context.exit?.code).toBe(4);
  });

  test("a run that is gone is error 'host daemon died', then the restart policy applies; each state is shown", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) }).send({ type: "host.lost" });
    rig.send({ type: "report", run: null });
    expect(rig.path).toEqual(["starting", "started", "error", "backoff"]);
    expect(rig.emitted).toContainEqual({ type: "changed", from: "started", to: "error", reason: "host daemon died" });
  });

  test("a run that is gone while it was being stopped is stopped", () => {
    const rig = startedProcess().stop().send({ type: "host.lost" }, { type: "report", run: null });
    expect(rig.path.at(-1)).toBe("stopped");
  });

  test("a run whose stop was requested and that is not stopping gets the stop again", async () => {
    const rig = startedProcess().stop();
    rig.stopping?.resolve("accepted");
    await new Promise((resolve) => setImmediate(resolve));
    rig.send({ type: "report", run: rig.run({ stopping: true }) });
    expect(rig.stops).toHaveLength(1);
    rig.send({ type: "report", run: rig.run() });
    expect(rig.stops).toHaveLength(2);
    expect(rig.state).toBe("stopping");
  });

  test("a run that is already stopping, with a requested start, is stopped and started again", () => {
    const rig = startedProcess();
    rig.send({ type: "report", run: rig.run({ stopping: true }) });
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("starting");
  });

  test("a run that ended before its spawn was answered is shown as started, then as ended", () => {
    const rig = stoppedProcess().start();
    rig.send({ type: "run.exited", run: report("1-1", ended(2)) });
    expect(rig.path).toEqual(["starting", "started", "error"]);
  });

  test("events of an older run are ignored", () => {
    const rig = startedProcess().restart().extinct(null, "SIGTERM").spawned();
    expect(rig.runId).toBe("1-2");
    const before = rig.emitted.length;
    rig.send(
      { type: "run.exited", run: report("1-1", ended(1)) },
      { type: "run.extinct", run: report("1-1", { ...ended(1), extinct: true }) },
    );
    rig.send({ type: "report", run: report("1-1", ended(1)) });
    expect(rig.state).toBe("started");
    expect(rig.emitted).toHaveLength(before);
  });

  test("a spawn answer that arrives after the end of the run does not make the run alive again", () => {
    const rig = startedProcess();
    const late = rig.run();
    rig.died(1);
    expect(rig.send({ type: "run.spawned", run: late }, { type: "report", run: late }).state).toBe("error");
    expect(rig.context.run?.exit?.code).toBe(1);
  });

  test("a spawn answer that arrives after the end of the leader does not make the run alive again", () => {
    const rig = startedProcess();
    const late = rig.run();
    rig.exited(1);
    expect(rig.send({ type: "run.spawned", run: late }).state).toBe("error");
    expect(rig.context.run?.exit?.code).toBe(1);
  });

  test("an exit event that arrives after the extinction does not make the tree alive again", () => {
    const rig = startedProcess();
    const late = rig.run(ended(1));
    rig.died(1).send({ type: "run.exited", run: late }).start();
    expect(rig.spawns).toHaveLength(2);
  });

  test("an event before the first report is adopted like a report", () => {
    const rig = new ProcessRig({ requested: "start" }).send({ type: "run.spawned", run: report("3-7") });
    expect(rig.path).toEqual(["started"]);
  });

  test("if the daemon dies while a process waits for the tree of its last run, the next run is requested", () => {
    const rig = startedProcess().exited(1).start().send({ type: "host.died" });
    expect(rig.state).toBe("starting");
    expect(rig.spawns).toHaveLength(2);
  });

  test("if the host is replaced while a process waits for the tree of its last run, the next run is requested", () => {
    const rig = startedProcess().exited(1).start().send({ type: "report", run: null });
    expect(rig.state).toBe("starting");
    expect(rig.spawns).toHaveLength(2);
  });

  test("if the daemon dies while a run is stopped for its ready timeout, the reason is the death of the daemon", () => {
    const rig = startedProcess({ definition: definition({ ...READY, ...ON_FAILURE }) });
    rig.clock.advance(30_000);
    rig.send({ type: "host.died" }, { type: "report", run: null });
    expect(rig.state).toBe("backoff");
    expect(rig.reason).toBe("host daemon died");
  });

  test("the host's record of a failed spawn stays an error under every policy", () => {
    const rig = new ProcessRig({ requested: "start", definition: definition({ restart: { policy: "always" } }) });
    rig.send({ type: "report", run: report("3-7", { exit: { code: null, signal: null, reason: "no such user" }, extinct: true }) });
    expect(rig.path).toEqual(["error"]);
    expect(rig.reason).toBe("no such user");
  });

  test("the run of a daemon that was wrongly taken for dead is adopted again", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) });
    const run = rig.run();
    rig.send({ type: "host.died" }, { type: "report", run });
    expect(rig.path.slice(-2)).toEqual(["error", "started"]);
    expect(rig.context).toMatchObject({ exit: null, lastRunSucceeded: null, runGone: false });
    rig.died(0);
    expect(rig.state).toBe("stopped");
  });

  test("the extinction of a run keeps the reason of its end", () => {
    const rig = startedProcess({ definition: definition(READY) });
    rig.clock.advance(30_000);
    rig.exited(null, "SIGTERM").extinct(null, "SIGTERM");
    rig.extinct(null, "SIGTERM");
    expect(rig.context.exit?.reason).toBe("not ready within 30 s");
  });
});
