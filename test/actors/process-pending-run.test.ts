import { describe, expect, test } from "vitest";
import type { PendingRun } from "../../src/config/state/process-intent.ts";
import type { RunReport } from "../../src/contract/run.ts";
import { ended, report } from "../support/fakes/run-reports.ts";
import { definition, ProcessRig, startedProcess, stoppedProcess } from "./support/process.ts";

const OLD = "3-7";
const RESTART: PendingRun = { after: OLD, replace: true };
const START: PendingRun = { after: OLD, replace: false };
const POLICIES = ["never", "on-failure", "always"] as const;

/** What a manager finds that begins after another one has accepted `pendingRun`. */
function found(pendingRun: PendingRun, run: RunReport | null, policy: (typeof POLICIES)[number] = "never"): ProcessRig {
  const rig = new ProcessRig({
    requested: "start",
    pendingRun,
    definition: definition({ restart: { policy, max_restarts: 0 } }),
    nextRunId: () => "4-1",
    lastRunId: () => "4-0",
  });
  return rig.send({ type: "report", run });
}

const pendingOf = (rig: ProcessRig) => rig.emitted.flatMap((event) => (event.type === "pending_run" ? [event.pending] : []));

describe("a restart that an earlier manager accepted is carried out", () => {
  test.each(POLICIES)("when the run is alive and not stopped yet, policy %s", (policy) => {
    const rig = found(RESTART, report(OLD), policy);
    expect(rig.stops.map(({ runId }) => runId)).toEqual([OLD]);
    rig.extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["stopping", "starting"]);
    expect(rig.spawns.map(({ runId }) => runId)).toEqual(["4-1"]);
  });

  test.each(POLICIES)("when the run is stopping, policy %s", (policy) => {
    const rig = found(RESTART, report(OLD, { stopping: true }), policy).extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["stopping", "starting"]);
  });

  test.each(POLICIES)("when the leader has ended and the tree lives, policy %s", (policy) => {
    const rig = found(RESTART, report(OLD, ended(null, "SIGTERM")), policy);
    expect(rig.path).toEqual(["starting"]);
    expect(rig.spawns).toEqual([]);
    rig.send({ type: "run.extinct", run: report(OLD, { ...ended(null, "SIGTERM"), extinct: true }) });
    expect(rig.spawns).toHaveLength(1);
  });

  test.each(POLICIES.flatMap((policy) => [0, 1].map((code) => ({ policy, code }))))(
    "when the run is extinct, exit code $code, policy $policy",
    (row) => {
      const rig = found(RESTART, report(OLD, { ...ended(row.code), extinct: true }), row.policy);
      expect(rig.path).toEqual(["starting"]);
      expect(rig.spawns).toHaveLength(1);
    },
  );

  test("when the host never ran the process", () => {
    expect(found(RESTART, null).path).toEqual(["starting"]);
  });

  test("only once: not again after its new run has begun", () => {
    const rig = found(RESTART, report("3-8"));
    expect(rig.path).toEqual(["started"]);
    expect(pendingOf(rig)).toEqual([null]);
    expect(found(RESTART, report("3-8", { ...ended(1), extinct: true })).path).toEqual(["error"]);
    expect(found(RESTART, report("3-8", { ...ended(0), extinct: true })).state).toBe("stopped");
  });

  test("and does not count as a restart: the counters are reset", () => {
    const memo = JSON.stringify({ restarts: 4, attempt: 4, failures: 0, ago: [1, 2, 3, 4] });
    const alive = found(RESTART, report(OLD, { memo })).extinct(null, "SIGTERM");
    const gone = found(RESTART, report(OLD, { ...ended(1), extinct: true, memo }));
    for (const { context } of [alive, gone]) expect(context).toMatchObject({ restarts: 0, attempt: 0, restartTimes: [] });
  });

  test("unless a stop was requested since", () => {
    const rig = new ProcessRig({ requested: "stop", pendingRun: RESTART }).send({ type: "report", run: report(OLD) });
    rig.extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["stopping", "stopped"]);
  });
});

describe("a start that an earlier manager accepted is carried out", () => {
  test.each([0, 1])("when the process has ended with %i", (code) => {
    expect(found(START, report(OLD, { ...ended(code), extinct: true })).path).toEqual(["starting"]);
  });

  test("and changes nothing when a run lives", () => {
    const rig = found(START, report(OLD));
    expect(rig.path).toEqual(["started"]);
    expect(pendingOf(rig)).toEqual([null]);
  });
});

describe("what is kept", () => {
  test("a restart, until its run has begun", () => {
    const rig = startedProcess().restart();
    expect(pendingOf(rig).at(-1)).toEqual({ after: "1-1", replace: true });
    rig.extinct(null, "SIGTERM");
    expect(pendingOf(rig).at(-1)).not.toBe(null);
    rig.spawned();
    expect(pendingOf(rig).at(-1)).toBe(null);
  });

  test("a restart of a run whose spawn has no answer yet", () => {
    expect(pendingOf(stoppedProcess().start().restart()).at(-1)).toEqual({ after: "1-1", replace: true });
  });

  test("the restart for a watched file", () => {
    const rig = startedProcess().send({ type: "files.changed", path: "/src/a.js" });
    expect(pendingOf(rig).at(-1)).toEqual({ after: "1-1", replace: true });
  });

  test("a start that waits for its dependencies", () => {
    const rig = startedProcess().died(1);
    rig.dependenciesHold = false;
    rig.start();
    expect(rig.state).toBe("waiting");
    expect(pendingOf(rig).at(-1)).toEqual({ after: "1-1", replace: false });
  });

  test("nothing after a stop", () => {
    const rig = startedProcess().restart().stop();
    expect(pendingOf(rig).at(-1)).toBe(null);
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("stopped");
  });

  test("nothing after a start that failed", async () => {
    const rig = stoppedProcess().start();
    rig.spawning?.reject(new Error("no such program"));
    await expect.poll(() => rig.state).toBe("error");
    expect(pendingOf(rig).at(-1)).toBe(null);
  });

  test("nothing after a dependency that failed", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start().watching?.({ type: "dependencies", missing: ["db"], impossible: "dependency 'db' failed" });
    expect(rig.state).toBe("error");
    expect(pendingOf(rig).at(-1)).toBe(null);
  });
});

describe("before the first report", () => {
  const newManager = () => new ProcessRig({ nextRunId: () => "4-1", lastRunId: () => "4-0" });

  test("a restart restarts what is found alive", () => {
    const rig = newManager()
      .restart()
      .send({ type: "report", run: report(OLD) });
    expect(rig.path).toEqual(["stopping"]);
    expect(rig.extinct(null, "SIGTERM").state).toBe("starting");
  });

  test("a start starts what is found ended, and leaves alone what is found alive", () => {
    expect(
      newManager()
        .start()
        .send({ type: "report", run: report(OLD, { ...ended(1), extinct: true }) }).path,
    ).toEqual(["starting"]);
    expect(
      newManager()
        .start()
        .send({ type: "report", run: report(OLD) }).path,
    ).toEqual(["started"]);
  });
});
