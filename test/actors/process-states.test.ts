import { describe, expect, test } from "vitest";
import { MgrError } from "../../src/base/errors.ts";
import { report } from "../support/fakes/run-reports.ts";
import { WALL } from "./support/clock.ts";
import { definition, settle, startedProcess, stoppedProcess } from "./support/process.ts";

const READY = { ready: { kind: "regex", pattern: "listening" }, ready_timeout: 30_000 } as const;
const ON_FAILURE = { restart: { policy: "on-failure" } } as const;

describe("the table of states (docs/design/wire-rules.md, 'Basic transitions')", () => {
  test("stopped | start requested | starting if nothing is missing", () => {
    const rig = stoppedProcess().start();
    expect(rig.state).toBe("starting");
    expect(rig.spawns.map((spawn) => spawn.runId)).toEqual(["1-1"]);
  });

  test("stopped | start requested | waiting if a dependency is missing", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start();
    rig.watching?.({ type: "dependencies", missing: ["db"], impossible: null });
    expect(rig.state).toBe("waiting");
    expect(rig.context.waitingFor).toEqual(["db"]);
    expect(rig.spawns).toEqual([]);
  });

  test("error | start requested | starting", () => {
    const rig = startedProcess().died(1);
    expect(rig.state).toBe("error");
    expect(rig.start().state).toBe("starting");
  });

  test("backoff | start requested | starting, and the counters are reset", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) }).died(1);
    expect(rig.state).toBe("backoff");
    rig.start();
    expect(rig.state).toBe("starting");
    expect(rig.context).toMatchObject({ restarts: 0, attempt: 0, restartTimes: [], nextStart: null });
  });

  test("waiting | dependencies hold | starting", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start();
    rig.watching?.({ type: "dependencies", missing: ["db"], impossible: null });
    rig.watching?.({ type: "dependencies", missing: [], impossible: null });
    expect(rig.state).toBe("starting");
    expect(rig.context.waitingFor).toEqual([]);
    expect(rig.watching).toBeNull();
  });

  test("waiting | a dependency can no longer be met | error", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start();
    rig.watching?.({ type: "dependencies", missing: ["db"], impossible: "db is in error" });
    expect(rig.state).toBe("error");
    expect(rig.reason).toBe("db is in error");
    expect(rig.context.exit).toEqual({ code: null, signal: null, reason: "db is in error", time: WALL });
  });

  test("waiting | stop requested | stopped, at once", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start().stop();
    expect(rig.path).toEqual(["waiting", "stopped"]);
    expect(rig.context.requested).toBe("stop");
    expect(rig.watching).toBeNull();
  });

  test("backoff | stop requested | stopped, at once, and its timer never starts it again", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) })
      .died(1)
      .stop();
    expect(rig.state).toBe("stopped");
    rig.clock.advance(3_600_000);
    expect(rig.state).toBe("stopped");
    expect(rig.spawns).toHaveLength(1);
  });

  test("starting | spawned | started", async () => {
    const rig = stoppedProcess().start();
    rig.spawning?.resolve(report("1-1", { pid: 99 }));
    await settle();
    expect(rig.path).toEqual(["starting", "started"]);
    expect(rig.context.run?.pid).toBe(99);
  });

  test("starting | spawn failed | error, with the reason in exit.reason", async () => {
    const rig = stoppedProcess({ definition: definition({ restart: { policy: "always" } }) }).start();
    rig.spawning?.reject(new MgrError("spawn_failed", "'./world' does not exist"));
    await settle();
    expect(rig.path).toEqual(["starting", "error"]);
    expect(rig.context.exit?.reason).toBe("'./world' does not exist");
    expect(rig.reason).toBe("'./world' does not exist");
  });

  test("starting | the host's record says that the spawn failed | error", () => {
    const rig = stoppedProcess({ definition: definition({ restart: { policy: "always" } }) }).start();
    rig.spawned({ exit: { code: null, signal: null, reason: "no such user" }, extinct: true });
    expect(rig.path).toEqual(["starting", "error"]);
    expect(rig.context.exit?.reason).toBe("no such user");
  });

  test("started | ready condition met | ready", () => {
    const rig = startedProcess({ definition: definition(READY) });
    rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    expect(rig.path).toEqual(["starting", "started", "ready"]);
    rig.clock.advance(60_000);
    expect(rig.state).toBe("ready");
  });

  test("started | ready condition met, but it has none | started", () => {
    const rig = startedProcess();
    rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    expect(rig.state).toBe("started");
  });

  test("started | ready timeout | stopping, then error", () => {
    const rig = startedProcess({ definition: definition(READY) });
    rig.clock.advance(29_999);
    expect(rig.state).toBe("started");
    rig.clock.advance(1);
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["starting", "started", "stopping", "error"]);
    expect(rig.context.exit).toMatchObject({ code: null, signal: "SIGTERM", reason: "not ready within 30 s" });
    expect(rig.context.requested).toBe("start");
  });

  test("started | ready timeout | stopping, then backoff if the policy allows", () => {
    const rig = startedProcess({ definition: definition({ ...READY, ...ON_FAILURE }) });
    rig.clock.advance(30_000);
    // Its reaction to the signal may look like success: it still failed to become ready.
    rig.extinct(0);
    expect(rig.path).toEqual(["starting", "started", "stopping", "backoff"]);
    expect(rig.reason).toBe("not ready within 30 s");
  });

  test("started | stop requested | stopping", async () => {
    const rig = startedProcess().stop();
    expect(rig.state).toBe("stopping");
    expect(rig.stops.map((stop) => stop.runId)).toEqual(["1-1"]);
    rig.stopping?.resolve("accepted");
    await settle();
    expect(rig.state).toBe("stopping");
  });

  test("ready | stop requested | stopping", () => {
    const rig = startedProcess({ definition: definition(READY) });
    rig.send({ type: "run.ready", run: rig.run({ ready: true }) }).stop();
    expect(rig.path).toEqual(["starting", "started", "ready", "stopping"]);
  });

  test.each([0, 3])("started, ready | ended, exit code %i among success_exit_codes | stopped", (code) => {
    const rig = startedProcess({ definition: definition({ success_exit_codes: [0, 3], restart: { policy: "on-failure" } }) });
    rig.died(code);
    expect(rig.state).toBe("stopped");
    expect(rig.context.lastRunSucceeded).toBe(true);
    expect(rig.context.exit).toMatchObject({ code, signal: null, reason: null });
  });

  test("started, ready | ended well under restart: always | backoff", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always" } }) }).died(0);
    expect(rig.state).toBe("backoff");
  });

  test("started, ready | ended otherwise | backoff if the restart policy allows", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) });
    rig.clock.advance(500);
    rig.died(7);
    expect(rig.state).toBe("backoff");
    expect(rig.reason).toBe("exited with code 7");
    expect(rig.context.nextStart?.time).toBe(WALL + 1_500);
  });

  test("started, ready | ended otherwise | error without a restart policy", () => {
    const rig = startedProcess().died(null, "SIGSEGV");
    expect(rig.state).toBe("error");
    expect(rig.reason).toBe("killed by SIGSEGV");
    expect(rig.context.lastRunSucceeded).toBe(false);
  });

  test("stopping | group of processes extinct | stopped, not before", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always" } }) }).stop();
    rig.exited(null, "SIGTERM");
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("stopped");
    expect(rig.context.exit).toMatchObject({ signal: "SIGTERM", time: WALL });
  });

  test("stopping | the host reports both ends in one event | stopped, with the exit", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always" } }) }).stop();
    rig.exited(null, "SIGTERM", { extinct: true });
    expect(rig.state).toBe("stopped");
    expect(rig.context.exit).toMatchObject({ signal: "SIGTERM", time: WALL });
  });

  test("started | the host reports both ends in one event | the next run begins without waiting for the tree", () => {
    const rig = startedProcess().exited(1, null, { extinct: true });
    expect(rig.state).toBe("error");
    expect(rig.start().state).toBe("starting");
    expect(rig.spawns.map((spawn) => spawn.runId)).toEqual(["1-1", "1-2"]);
  });

  test.each(["starting", "started", "ready", "stopping"])("any alive (%s) | host link lost | state kept", (state) => {
    const rig = stoppedProcess({ definition: definition(READY) }).start();
    if (state !== "starting") rig.spawned();
    if (state === "ready") rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    if (state === "stopping") rig.stop();
    rig.send({ type: "host.lost" });
    expect(rig.state).toBe(state);
  });
});

describe("the table of states (docs/design/wire-rules.md, 'Overlapping events')", () => {
  test("starting | stop requested | stopping; a spawn answer that still comes is stopped", () => {
    const rig = stoppedProcess().start().stop();
    expect(rig.state).toBe("stopping");
    expect(rig.stops.map((stop) => stop.runId)).toEqual(["1-1"]);
    rig.spawned();
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["starting", "stopping", "stopped"]);
  });

  test("starting | stop requested, the host never got the spawn | stopped", async () => {
    const rig = stoppedProcess().start().stop();
    rig.stopping?.resolve("gone");
    await settle();
    expect(rig.state).toBe("stopped");
    // The answer was overtaken: what runs against the wish is stopped.
    rig.spawned();
    expect(rig.path).toEqual(["starting", "stopping", "stopped", "stopping"]);
    expect(rig.stops).toHaveLength(2);
  });

  test("starting | no answer, host lost | starting; the same run_id is re-sent, the next report decides", () => {
    const rig = stoppedProcess().start();
    rig.send({ type: "host.lost" });
    expect(rig.spawning).not.toBeNull();
    rig.send({ type: "report", run: null });
    expect(rig.state).toBe("starting");
    expect(rig.spawns.map((spawn) => spawn.runId)).toEqual(["1-1"]);
    rig.send({ type: "report", run: report("1-1") });
    expect(rig.state).toBe("started");
    expect(rig.spawning).toBeNull();
  });

  test("stopping | start requested | stopping, then start with the newest definition", () => {
    const newest = definition({ cwd: "/newest" });
    const rig = startedProcess().stop().start();
    expect(rig.state).toBe("stopping");
    rig.send({ type: "definition", definition: newest }).extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["starting", "started", "stopping", "starting"]);
    expect(rig.spawns.at(-1)).toMatchObject({ runId: "1-2", definition: newest });
  });

  test("stopping | restart requested | stopping, then waiting if a dependency is missing meanwhile", () => {
    const rig = startedProcess().stop().restart();
    rig.dependenciesHold = false;
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("waiting");
  });

  test("stopping | start requested, a later stop cancels | stopped", () => {
    const rig = startedProcess({ definition: definition({ restart: { policy: "always" } }) })
      .stop()
      .start()
      .stop()
      .extinct(0);
    expect(rig.path).toEqual(["starting", "started", "stopping", "stopped"]);
    expect(rig.context.requested).toBe("stop");
  });

  test("stopping | 10 s after SIGKILL, its host is lost | an error that names the host, until it has reported", () => {
    const rig = startedProcess().stop().send({ type: "host.lost" });
    rig.clock.advance(20_000);
    rig.send({ type: "report", run: rig.run({ stopping: true }) });
    rig.clock.advance(60_000);
    expect(rig.notes).toEqual([
      "it still exists 10 s after SIGKILL: its host cannot be reached",
      "it still exists 10 s after SIGKILL: it is stuck in the kernel",
    ]);
  });

  test("stopping | 10 s after SIGKILL | stopping, an error logged each minute", () => {
    const rig = startedProcess().stop();
    rig.clock.advance(19_999);
    expect(rig.notes).toEqual([]);
    rig.clock.advance(1);
    expect(rig.notes).toEqual(["it still exists 10 s after SIGKILL: it is stuck in the kernel"]);
    rig.clock.advance(120_000);
    expect(rig.notes).toHaveLength(3);
    expect(rig.state).toBe("stopping");
    expect(rig.emitted.filter((event) => event.type === "note").every((event) => event.level === "error")).toBe(true);
  });

  test("started, ready | start requested | unchanged", () => {
    const rig = startedProcess();
    const before = rig.emitted.length;
    expect(rig.start().state).toBe("started");
    // Only that a user wants it, which perhaps only the configuration wanted before.
    expect(rig.emitted.slice(before)).toEqual([
      { type: "intent", requested_state: "start", origin: expect.objectContaining({ by: "ann" }) },
    ]);
  });

  test("stopped | stop requested | stopped, requested_state stop", () => {
    const rig = startedProcess().died(0);
    expect(rig.context.requested).toBe("start");
    rig.stop();
    expect(rig.state).toBe("stopped");
    expect(rig.context.requested).toBe("stop");
    expect(rig.emitted.at(-1)).toEqual({ type: "intent", requested_state: "stop", origin: expect.objectContaining({ by: "ann" }) });
  });

  test("a stop of a process that only the configuration keeps stopped is recorded with its requester, once", () => {
    const rig = stoppedProcess();
    expect([rig.context.requested, rig.context.origin]).toEqual(["stop", null]);
    const before = rig.emitted.length;
    rig.stop().stop();
    expect(rig.emitted.slice(before)).toEqual([
      { type: "intent", requested_state: "stop", origin: expect.objectContaining({ by: "ann" }) },
    ]);
  });

  test("error | stop requested | stopped, requested_state stop", () => {
    const rig = startedProcess().died(1).stop();
    expect(rig.path.slice(-2)).toEqual(["error", "stopped"]);
    expect(rig.context.requested).toBe("stop");
  });

  test("backoff | delay over | starting", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) }).died(1);
    rig.clock.advance(999);
    expect(rig.state).toBe("backoff");
    rig.clock.advance(1);
    expect(rig.state).toBe("starting");
    expect(rig.context.restarts).toBe(1);
  });

  test("backoff | delay over, a dependency is missing | waiting", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) }).died(1);
    rig.dependenciesHold = false;
    rig.clock.advance(1_000);
    expect(rig.state).toBe("waiting");
  });

  test.each(["started", "ready"])("any alive (%s) | liveness failed | stopping, then restart policy", (state) => {
    const rig = startedProcess({ definition: definition({ ...READY, ...ON_FAILURE }) });
    if (state === "ready") rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    rig.send({ type: "liveness.failed", reason: "port 8080 does not answer" });
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("backoff");
    expect(rig.reason).toBe("port 8080 does not answer");
  });

  test.each(["started", "ready"])("%s | recycle | stopping, then backoff under every policy, in a crash loop error", (state) => {
    const restart = { policy: "never", delay: 1_000, max_restarts: 1 } as const;
    const rig = startedProcess({ definition: definition({ ...READY, restart }) });
    if (state === "ready") rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    rig.send({ type: "recycle", runId: "1-0", reason: "of another run" });
    expect(rig.state).toBe(state);
    for (const [then, reason] of [
      ["backoff", "too much memory"],
      ["error", "crash loop: restarted 1 times within 300 s, at last too much memory"],
    ]) {
      rig.send({ type: "recycle", runId: rig.context.runId ?? "", reason: "too much memory" });
      expect(rig.state).toBe("stopping");
      rig.extinct(null, "SIGTERM");
      expect([rig.state, rig.reason]).toEqual([then, reason]);
      rig.clock.advance(1_000);
      if (rig.state === "starting") rig.spawned();
    }
  });

  test("recycle, then stop requested | stopped", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) });
    rig.send({ type: "recycle", runId: rig.context.runId ?? "", reason: "too much memory" });
    rig.send({ type: "stop", by: "ann" });
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("stopped");
  });

  test.each(["started", "ready"])("%s | a watched file changed | stopping, then launching, whatever the policy", (state) => {
    const rig = startedProcess({ definition: definition(READY) });
    if (state === "ready") rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    rig.send({ type: "files.changed", path: "/src/a.js" });
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("starting");
    expect(rig.spawns).toHaveLength(2);
  });

  test("stopped, stopping by request, error | a watched file changed | unchanged", () => {
    const changed = { type: "files.changed", path: "/src/a.js" } as const;
    expect(stoppedProcess().send(changed).state).toBe("stopped");
    const rig = startedProcess();
    rig.stop();
    rig.send(changed);
    rig.extinct(null, "SIGTERM");
    expect(rig.state).toBe("stopped");
    expect(startedProcess().died(1).send(changed).state).toBe("error");
  });

  test.each(["starting", "started", "ready", "stopping"])("any alive (%s) | its daemon died | error 'host daemon died'", (state) => {
    const rig = stoppedProcess({ definition: definition({ ...READY, ...ON_FAILURE }) }).start();
    if (state !== "starting") rig.spawned();
    if (state === "ready") rig.send({ type: "run.ready", run: rig.run({ ready: true }) });
    if (state === "stopping") rig.stop();
    rig.send({ type: "host.died" });
    expect(rig.state).toBe("error");
    expect(rig.reason).toBe("host daemon died");
    expect(rig.context.exit?.reason).toBe("host daemon died");
    rig.clock.advance(3_600_000);
    expect(rig.state).toBe("error");
  });

  test("its daemon died | the host is back | restart policy", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) }).send({ type: "host.died" });
    rig.send({ type: "report", run: null });
    expect(rig.path.slice(-2)).toEqual(["error", "backoff"]);
    rig.clock.advance(1_000);
    expect(rig.state).toBe("starting");
    expect(rig.spawns).toHaveLength(2);
  });

  test("its host was lost, then its daemon died | the host is back | restart policy, and the next run begins", () => {
    const rig = startedProcess({ definition: definition(ON_FAILURE) }).send({ type: "host.lost" }, { type: "host.died" });
    rig.send({ type: "report", run: null });
    rig.clock.advance(1_000);
    expect(rig.path.slice(-2)).toEqual(["backoff", "starting"]);
  });

  test("its daemon died | the host is back, no restart policy or a stop requested | error", () => {
    const never = startedProcess().send({ type: "host.died" }, { type: "report", run: null });
    expect(never.state).toBe("error");
    const stopped = startedProcess({ definition: definition(ON_FAILURE) }).stop();
    stopped.send({ type: "host.died" }, { type: "report", run: null });
    expect(stopped.state).toBe("error");
  });

  test("its daemon died while it was being restarted | the host is back | starting", () => {
    const rig = startedProcess().restart().send({ type: "host.died" }, { type: "report", run: null });
    expect(rig.path).toEqual(["starting", "started", "stopping", "error", "starting"]);
  });

  test("any | restart requested | alive: stop, then start", () => {
    const rig = startedProcess().restart();
    expect(rig.state).toBe("stopping");
    rig.extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["starting", "started", "stopping", "starting"]);
    expect(rig.context.restarts).toBe(0);
  });

  test("a restart is done once: the run after it that ends well stays stopped", () => {
    const rig = startedProcess().restart().extinct(null, "SIGTERM").spawned().died(0);
    expect(rig.state).toBe("stopped");
    expect(rig.spawns).toHaveLength(2);
  });

  test("a restart whose daemon seemed to die is carried out when its run turns up again", () => {
    const rig = startedProcess();
    const run = rig.run();
    rig.restart().send({ type: "host.died" }, { type: "report", run }).died(0);
    expect(rig.path.slice(-3)).toEqual(["error", "stopping", "starting"]);
  });

  test("its daemon died under policy never | a policy of later, another report | error", () => {
    const rig = startedProcess().send({ type: "host.died" }, { type: "report", run: null });
    rig.send({ type: "definition", definition: definition(ON_FAILURE) }, { type: "report", run: null });
    expect(rig.state).toBe("error");
  });

  test("any | restart requested | starting: stop, then start", () => {
    const rig = stoppedProcess().start().restart().extinct(null, "SIGTERM");
    expect(rig.path).toEqual(["starting", "stopping", "starting"]);
  });

  test.each(["stopped", "error", "backoff"])("any | restart requested | %s: start", (state) => {
    const rig = startedProcess({ definition: definition(state === "backoff" ? ON_FAILURE : {}) }).died(state === "stopped" ? 0 : 1);
    expect(rig.state).toBe(state);
    expect(rig.restart().state).toBe("starting");
    expect(rig.stops).toEqual([]);
  });

  test("a leader ended by itself | start requested before its tree is extinct | starting, and no run before that", () => {
    const rig = startedProcess().exited(1).start();
    expect(rig.state).toBe("starting");
    expect(rig.spawns).toHaveLength(1);
    rig.clock.advance(60_000);
    expect(rig.notes).toEqual(["processes of its last run are still alive; it starts when they have ended"]);
    rig.extinct(1);
    expect(rig.spawns.map((spawn) => spawn.runId)).toEqual(["1-1", "1-2"]);
    expect(rig.context.exit).toBeNull();
  });

  test("waiting | definition changed | its new dependencies are watched", () => {
    const rig = stoppedProcess();
    rig.dependenciesHold = false;
    rig.start();
    const first = rig.watching;
    rig.send({ type: "definition", definition: definition({ cwd: "/new" }) });
    expect(rig.watching).not.toBe(first);
    expect(rig.path).toEqual(["waiting"]);
    rig.watching?.({ type: "dependencies", missing: [], impossible: null });
    expect(rig.spawns[0]?.definition.cwd).toBe("/new");
  });

  test("started | definition changed | the run keeps its own readiness and success codes", () => {
    const rig = startedProcess({ definition: definition({ success_exit_codes: [5] }) });
    rig.send({ type: "definition", definition: definition(READY) });
    rig.clock.advance(60_000);
    expect(rig.state).toBe("started");
    expect(rig.died(5).state).toBe("stopped");
  });
});

test("an effect that ends against its contract makes the actor fail, so that the registry rebuilds it", () => {
  const rig = startedProcess().stop();
  const defect = new TypeError("a defect");
  rig.stopping?.reject(defect);
  expect(rig.error).toBe(defect);
});
