import { describe, expect, test } from "vitest";
import { ended, report } from "../support/fakes/run-reports.ts";
import { definition, ProcessRig, settle, startedProcess, stoppedProcess } from "./support/process.ts";

/** Delays of successive backoffs while every run fails at once. */
function delays(rig: ProcessRig, count: number): number[] {
  const seen: number[] = [];
  for (let failure = 0; failure < count; failure++) {
    rig.died(1);
    const delay = (rig.context.nextStart?.monotonic ?? Number.NaN) - rig.clock.monotonic();
    seen.push(delay);
    rig.clock.advance(delay);
    rig.spawned();
  }
  return seen;
}

describe("restart policy", () => {
  test("the delay grows by its factor up to the cap", () => {
    const rig = startedProcess({
      definition: definition({ restart: { policy: "on-failure", delay: 1_000, factor: 2, max_delay: 5_000 } }),
    });
    expect(delays(rig, 5)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(rig.context.restarts).toBe(5);
  });

  test("a run that lived for reset_after sets the delay back", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always", delay: 1_000, factor: 2, reset_after: 60_000 } }) });
    expect(delays(rig, 2)).toEqual([1_000, 2_000]);
    rig.clock.advance(60_000);
    expect(delays(rig, 2)).toEqual([1_000, 2_000]);
  });

  test("more than max_restarts within the window is a crash loop: error, with the reason", () => {
    const rig = startedProcess({
      definition: definition({ restart: { policy: "on-failure", delay: 1_000, factor: 1, max_restarts: 3, window: 60_000 } }),
    });
    delays(rig, 3);
    rig.died(1);
    expect(rig.state).toBe("error");
    expect(rig.reason).toBe("crash loop: restarted 3 times within 60 s, at last exited with code 1");
    expect(rig.context.exit).toMatchObject({ code: 1, reason: rig.reason });
    expect(rig.context.requested).toBe("start");
  });

  test("restarts older than the window do not count", () => {
    const rig = startedProcess({
      definition: definition({ restart: { policy: "on-failure", delay: 1_000, factor: 1, max_restarts: 2, window: 10_000 } }),
    });
    delays(rig, 1);
    rig.clock.advance(10_000);
    rig.died(1);
    expect(rig.state).toBe("backoff");
    rig.clock.advance(60_000);
    rig.spawned();
    rig.clock.advance(60_000);
    rig.died(1);
    expect(rig.state).toBe("backoff");
  });

  test("delays that reach beyond the window do not hide a crash loop", () => {
    const rig = startedProcess({
      definition: definition({ restart: { policy: "on-failure", delay: 30_000, factor: 1, max_restarts: 20, window: 300_000 } }),
    });
    delays(rig, 20);
    rig.died(1);
    expect(rig.state).toBe("error");
    expect(rig.reason).toBe("crash loop: restarted 20 times in a row, and never ran for 60 s, at last exited with code 1");
  });

  test("the next manager continues to count consecutive failures", () => {
    const policy = definition({ restart: { policy: "on-failure", delay: 30_000, factor: 1, max_restarts: 3, window: 60_000 } });
    const rig = startedProcess({ definition: policy });
    delays(rig, 3);
    const memo = rig.spawns.at(-1)?.memo ?? "";
    const next = new ProcessRig({ requested: "start", definition: policy });
    next.send({ type: "report", run: report("3-7", { memo, age_ms: 1_000 }) });
    expect(next.context).toMatchObject({ failures: 3, unstable: true });
    next.send({ type: "report", run: report("3-7", { memo, age_ms: 1_000, ...ended(1), extinct: true }) });
    expect(next.state).toBe("error");
  });

  test("a job under `always` that succeeds each time is not a crash loop", () => {
    const rig = startedProcess({
      definition: definition({ restart: { policy: "always", delay: 30_000, factor: 1, max_restarts: 3, window: 60_000 } }),
    });
    for (let run = 0; run < 10; run++) {
      rig.died(0);
      expect(rig.state).toBe("backoff");
      expect(rig.context.unstable).toBe(false);
      rig.clock.advance(30_000);
      rig.spawned();
    }
  });

  test("a process is unstable from a failure until a run has lasted stable_after", () => {
    const rig = startedProcess({
      definition: definition({
        ready: { kind: "regex", pattern: "up" },
        restart: { policy: "on-failure", delay: 1_000, stable_after: 10_000 },
      }),
    });
    expect(rig.context.unstable).toBe(false);
    delays(rig, 2);
    rig.clock.advance(6_000);
    rig.send({ type: "run.ready", run: report(rig.context.runId ?? "", { ready: true }) });
    expect(rig.context.unstable).toBe(true);
    rig.died(1);
    rig.clock.advance(4_000);
    rig.spawned();
    rig.clock.advance(9_999);
    expect(rig.context.unstable).toBe(true);
    rig.clock.advance(1);
    expect(rig.context.unstable).toBe(false);
    expect(rig.state).toBe("started");
  });

  test("a manual restart resets the failure counter", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "on-failure", delay: 1_000 } }) });
    delays(rig, 1);
    rig.restart().extinct(null, "SIGTERM").spawned();
    expect(rig.context).toMatchObject({ unstable: false, failures: 0 });
  });

  test("a manual start after a crash loop resets the restart counter", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "on-failure", delay: 10, max_restarts: 1 } }) });
    delays(rig, 1);
    rig.died(1).start().spawned().died(1);
    expect(rig.state).toBe("backoff");
    expect(rig.context.restarts).toBe(0);
  });

  test("a delay of 0 with a huge factor restarts at once", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always", delay: 0, factor: 1e300, max_restarts: 100 } }) });
    expect(delays(rig, 3)).toEqual([0, 0, 0]);
  });

  test("next_start_time is set in backoff only", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always" } }) });
    expect(rig.context.nextStart).toBeNull();
    expect(rig.died(1).context.nextStart).not.toBeNull();
    rig.clock.advance(1_000);
    expect(rig.context.nextStart).toBeNull();
  });

  test("a backoff takes a changed definition at its next start", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always" } }) }).died(1);
    rig.send({ type: "definition", definition: definition({ cwd: "/new" }) });
    rig.clock.advance(1_000);
    expect(rig.spawns.at(-1)?.definition.cwd).toBe("/new");
  });

  test("lastRunSucceeded is null while a newer run is starting", () => {
    const rig = startedProcess().died(0);
    expect(rig.context.lastRunSucceeded).toBe(true);
    expect(rig.start().context.lastRunSucceeded).toBeNull();
    expect(rig.spawned().context.lastRunSucceeded).toBeNull();
  });
});

describe("a process emits", () => {
  test("one `changed` for each visible change, and its snapshot is that of the new state", () => {
    const rig = stoppedProcess();
    const shown: string[] = [];
    rig.actor.on("changed", (event) => shown.push(`${event.to}=${rig.context.shown}`));
    rig.start().spawned().stop().extinct(0);
    expect(shown).toEqual(["starting=starting", "started=started", "stopping=stopping", "stopped=stopped"]);
  });

  test("the intent before the effect that it leads to", () => {
    const rig = stoppedProcess().start().spawned().stop();
    expect(rig.order).toEqual(["intent start", "spawn", "intent stop", "stop"]);
  });

  test("an intent for each start or restart that a user requests, and none for its own restarts", () => {
    const rig = startedProcess().restart().extinct(0);
    expect(rig.emitted.filter((event) => event.type === "intent")).toHaveLength(2);
    rig.spawned().died(1);
    expect(rig.emitted.filter((event) => event.type === "intent")).toHaveLength(2);
  });

  test("the missing dependencies are kept as they change", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start();
    rig.watching?.({ type: "dependencies", missing: ["a", "b"], impossible: null });
    expect(rig.context.waitingFor).toEqual(["a", "b"]);
    rig.watching?.({ type: "dependencies", missing: ["b"], impossible: null });
    expect(rig.context.waitingFor).toEqual(["b"]);
  });

  test("the size of the last send_winch is passed to the next run, and is adopted from a living one", () => {
    const rig = stoppedProcess().send({ type: "winch", rows: 50, cols: 120 }).start();
    expect(rig.spawns[0]?.size).toEqual({ rows: 50, cols: 120 });
    const adopted = new ProcessRig({ requested: "start" }).send({ type: "report", run: report("2-1", { rows: 50, cols: 120 }) });
    expect(adopted.context.size).toEqual({ rows: 50, cols: 120 });
    const untouched = new ProcessRig({ requested: "start" }).send({ type: "report", run: report("2-1") });
    expect(untouched.context.size).toBeNull();
  });

  test("an effect that breaks its contract makes the actor fail, so that the registry rebuilds it", async () => {
    const rig = startedProcess().stop();
    rig.stopping?.reject(new Error("boom"));
    await settle();
    expect(rig.error).toEqual(new Error("boom"));
  });
});
