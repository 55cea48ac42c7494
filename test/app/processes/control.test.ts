import { describe, expect, it } from "vitest";
import { ProcessWaits } from "../../../src/app/processes/process-waits.ts";
import { CancellationSource } from "../../../src/base/timing/cancellation.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { BY, EngineRig, Intents, LASTING } from "../support/engines.ts";

/** Ends only when it is told to, and only after a while. */
const SLOW = { command: "trap 'sleep 0.15; exit 0' TERM; while :; do sleep 0.02; done" };
const on = (name: string, on_stop: "stop" | "restart" | "keep" = "stop", condition: "ready" | "started" | "completed" = "ready") => ({
  [name]: { on_stop, condition },
});

/** `first` comes before `second` in what happened. */
function expectOrder(changes: string[], first: string, second: string): void {
  expect(changes).toContain(first);
  expect(changes).toContain(second);
  expect(changes.indexOf(first), changes.join("\n")).toBeLessThan(changes.indexOf(second));
}

describe("starting a process", () => {
  it("starts what it needs, transitively, and waits for it", async () => {
    await using rig = await EngineRig.open({
      processes: { ui: { ...LASTING, depends_on: ["api"] }, api: { ...LASTING, depends_on: ["db"] }, db: LASTING, other: LASTING },
    });
    rig.engine.control.commands.process("start", "ui", BY);
    expect(rig.states("ui", "api", "db", "other")).toEqual(["waiting", "waiting", "starting", "stopped"]);
    await rig.until(() => rig.states("ui")[0] === "started");
    expect(rig.states("api", "db", "other")).toEqual(["started", "started", "stopped"]);
    expectOrder(rig.changes(), "db: starting → started", "api: waiting → starting");
    expectOrder(rig.changes(), "api: starting → started", "ui: waiting → starting");
  });

  it("does not run a job again that has been completed", async () => {
    await using rig = await EngineRig.open({
      processes: { app: { ...LASTING, depends_on: on("migrate", "stop", "completed") }, migrate: { command: ["true"] } },
    });
    await rig.handle("app").start();
    await rig.handle("app").stop();
    const ran = rig.engine.processTable.process("migrate")?.start_time;
    await rig.handle("app").start();
    expect(rig.engine.processTable.process("migrate")?.start_time).toBe(ran);
  });

  it("starts a dependency again that is being stopped", async () => {
    await using rig = await EngineRig.open({ processes: { app: { ...LASTING, depends_on: ["db"] }, db: SLOW } });
    await rig.handle("db").start();
    rig.engine.control.commands.process("stop", "db", BY);
    rig.engine.control.commands.process("start", "app", BY);
    expect(rig.states("db", "app")).toEqual(["stopping", "waiting"]);
    await rig.until(() => rig.states("app")[0] === "started");
  });
});

describe("stopping a process", () => {
  it("stops its dependents first and waits for them; dependents with 'keep' continue to run", async () => {
    await using rig = await EngineRig.open({
      processes: {
        db: LASTING,
        api: { ...SLOW, depends_on: on("db") },
        ui: { ...LASTING, depends_on: on("api", "restart") },
        audit: { ...LASTING, depends_on: on("db", "keep") },
      },
    });
    await Promise.all(["ui", "audit"].map((name) => rig.handle(name).start()));
    rig.engine.control.commands.process("stop", "db", BY);
    await rig.until(() => rig.states("db")[0] === "stopped");
    expect(rig.states("db", "api", "ui", "audit")).toEqual(["stopped", "stopped", "stopped", "started"]);
    expectOrder(rig.changes(), "ui: stopping → stopped", "api: stopping → stopped");
    expectOrder(rig.changes(), "api: stopping → stopped", "db: stopping → stopped");
    for (const name of ["db", "api", "ui"]) expect(rig.engine.processTable.process(name)?.requested_state).toBe("stop");
    expect(rig.engine.processTable.process("audit")?.requested_state).toBe("start");
  });

  it("does not wait for a dependent whose stop is cancelled", async () => {
    await using rig = await EngineRig.open({ processes: { db: LASTING, api: { ...SLOW, depends_on: on("db") } } });
    await rig.handle("api").start();
    rig.engine.control.commands.process("stop", "db", BY);
    rig.engine.control.commands.process("start", "api", BY);
    // It comes back, and brings what it needs.
    await rig.until(
      () =>
        rig.changes().includes("db: starting → started") && rig.changes().filter((each) => each === "api: starting → started").length === 2,
    );
    expect(rig.states("db", "api")).toEqual(["started", "started"]);
  });

  it("waits for dependents no longer than their stops may take", async () => {
    // The host never hears of the dependent's stop: it stays in stopping.
    await using rig = await EngineRig.open(
      { processes: { db: LASTING, api: { ...LASTING, depends_on: on("db") } } },
      { onRequest: (name, request) => (name === "stop" && request.run_id === "1-2" ? new Promise(() => {}) : undefined) },
    );
    await rig.handle("api").start();
    const time = rig.engine.processTable.graph.stopTimeOfDependents("db");
    expect(time).toBeGreaterThan(10_000);
    rig.engine.control.commands.process("stop", "db", BY);
    expect(rig.states("db", "api")).toEqual(["stopping", "stopping"]);
    const task = new CancellationSource();
    const left = new ProcessWaits({
      processTable: rig.engine.processTable,
      events: rig.engine.events,
      clock: systemClock,
    }).dependentsStopped("db", task);
    task.cancel();
    await expect(left).rejects.toThrow("no longer wanted");
  });
});

describe("restarting a process", () => {
  it("restarts its running dependents: stops them before it, and starts them after it", async () => {
    await using rig = await EngineRig.open({
      processes: {
        db: LASTING,
        api: { ...LASTING, depends_on: on("db") },
        idle: { ...LASTING, depends_on: on("db") },
        kept: { ...LASTING, depends_on: on("db", "keep") },
      },
    });
    await Promise.all(["api", "kept"].map((name) => rig.handle(name).start()));
    const pids = new Map(rig.engine.control.state.processes().map((each) => [each.name, each.pid]));
    await rig.handle("db").restart();
    await rig.until(() => rig.states("api")[0] === "started");
    expect(rig.engine.processTable.process("api")?.pid).not.toBe(pids.get("api"));
    expect(rig.engine.processTable.process("kept")?.pid).toBe(pids.get("kept"));
    expect(rig.states("idle")).toEqual(["stopped"]);
    const since = rig.changes().slice(rig.changes().indexOf("api: started → stopping"));
    expectOrder(since, "api: stopping → waiting", "db: stopping → starting");
    expectOrder(since, "db: starting → started", "api: waiting → starting");
    for (const change of since) expect(change).not.toContain("stopped");
  });

  it("does not start a process that is being stopped by request", async () => {
    await using rig = await EngineRig.open({ processes: { db: LASTING, api: { ...SLOW, depends_on: on("db") } } });
    await rig.handle("api").start();
    rig.engine.control.commands.process("stop", "api", BY);
    rig.engine.control.commands.process("restart", "db", BY);
    await rig.until(() => rig.states("db")[0] === "started" && rig.states("api")[0] === "stopped");
    expect(rig.engine.processTable.process("api")?.requested_state).toBe("stop");
  });

  it("starts what it needs", async () => {
    await using rig = await EngineRig.open({ processes: { db: LASTING, api: { ...LASTING, depends_on: on("db", "keep") } } });
    await rig.handle("api").start();
    await rig.handle("db").stop();
    await rig.handle("api").restart();
    expect(rig.states("db", "api")).toEqual(["started", "started"]);
  });
});

describe("a group", () => {
  const inEveryOrder: [string, string[]][] = [
    ["dependencies first", ["g/db", "g/api", "g/ui"]],
    ["dependents first", ["g/ui", "g/api", "g/db"]],
    ["mixed", ["g/api", "g/ui", "g/db"]],
  ];

  it.each(inEveryOrder)("starts, restarts and stops with dependencies inside and outside it: %s", async (_order, names) => {
    const needs: Record<string, string[]> = { "g/db": ["base"], "g/api": ["g/db"], "g/ui": ["g/api"] };
    await using rig = await EngineRig.open({
      processes: {
        watcher: { ...LASTING, depends_on: ["g/api"] },
        ...Object.fromEntries(names.map((name) => [name, { ...LASTING, depends_on: needs[name] ?? [] }])),
        base: LASTING,
      },
    });
    const all = ["base", ...names];
    rig.engine.control.commands.group("start", "g", BY);
    await rig.until(() => rig.states(...all).every((state) => state === "started"));
    expectOrder(rig.changes(), "base: starting → started", "g/db: waiting → starting");
    expectOrder(rig.changes(), "g/db: starting → started", "g/api: waiting → starting");
    expect(rig.states("watcher")).toEqual(["stopped"]);

    await rig.handle("watcher").start();
    const pids = new Map(rig.engine.control.state.processes().map((each) => [each.name, each.pid]));
    const before = rig.changes().length;
    rig.engine.control.commands.group("restart", "g", BY);
    await rig.until(() =>
      [...names, "watcher"].every(
        (name) => rig.states(name)[0] === "started" && rig.engine.processTable.process(name)?.pid !== pids.get(name),
      ),
    );
    expect(rig.engine.processTable.process("base")?.pid).toBe(pids.get("base"));
    const restarts = rig.changes().slice(before);
    expectOrder(restarts, "g/ui: stopping → waiting", "g/db: stopping → starting");
    // Each once: nothing is started only to be stopped again.
    for (const name of [...names, "watcher"]) expect(restarts.filter((each) => each === `${name}: started → stopping`)).toHaveLength(1);

    rig.engine.control.commands.group("stop", "g", BY);
    await rig.until(() => [...names, "watcher"].every((name) => rig.states(name)[0] === "stopped"));
    expect(rig.states("base")).toEqual(["started"]);
    const stops = rig.changes();
    expectOrder(stops, "watcher: stopping → stopped", "g/api: stopping → stopped");
    expectOrder(stops, "g/api: stopping → stopped", "g/db: stopping → stopped");
  });

  it("that is restarted while members are down starts those once", async () => {
    await using rig = await EngineRig.open({ processes: { "g/api": { ...LASTING, depends_on: ["g/db"] }, "g/db": LASTING } });
    rig.engine.control.commands.group("restart", "g", BY);
    await rig.until(() => rig.states("g/api")[0] === "started");
    expect(rig.changes().filter((each) => each.startsWith("g/db"))).toEqual(["g/db: stopped → starting", "g/db: starting → started"]);
  });

  it.each([["the job first"], ["the job last"]])("runs a job again before those that wait for its end: %s", async (order) => {
    const job = { "g/job": { command: "sleep 0.1" } };
    const app = { "g/app": { ...LASTING, depends_on: on("g/job", "stop", "completed") } };
    await using rig = await EngineRig.open({ processes: order === "the job first" ? { ...job, ...app } : { ...app, ...job } });
    await rig.handle("g/app").start();
    await rig.handle("g/app").stop();
    const before = rig.changes().length;
    rig.engine.control.commands.group("start", "g", BY);
    expect(rig.states("g/app", "g/job")).toEqual(["waiting", "starting"]);
    await rig.until(() => rig.states("g/app")[0] === "started");
    expectOrder(rig.changes().slice(before), "g/job: started → stopped", "g/app: waiting → starting");
  });
});

describe("refusals", () => {
  it("name what does not exist", async () => {
    await using rig = await EngineRig.open({ processes: { a: LASTING, "g/b": LASTING } });
    const { control } = rig.engine;
    const notFound = expect.objectContaining({ code: "not_found" });
    for (const verb of ["start", "stop", "restart"] as const) {
      expect(() => control.commands.process(verb, "g", BY)).toThrow(notFound);
      expect(() => control.commands.process(verb, "__proto__", BY)).toThrow(notFound);
    }
    for (const verb of ["start", "stop", "restart"] as const) expect(() => control.commands.group(verb, "a", BY)).toThrow(notFound);
    expect(() => control.terminals.resize("nope", { rows: 1, cols: 1 })).toThrow(notFound);
    expect(() => control.commands.sendSignal("nope", "SIGHUP", BY)).toThrow(notFound);
    expect(() => control.terminals.sendStdin("nope", "x")).toThrow(notFound);
    await expect(control.terminals.backlog("nope", { lines: 1 })).rejects.toEqual(notFound);
    expect(() => rig.engine.commands.startNamed(["a", "nope"], "test")).toThrow(notFound);
    expect(rig.states("a")).toEqual(["stopped"]);
  });

  it("of signals and typing to a process that does not run are not_running", async () => {
    await using rig = await EngineRig.open({ processes: { a: LASTING } });
    const notRunning = expect.objectContaining({ code: "not_running" });
    expect(() => rig.engine.control.commands.sendSignal("a", "SIGHUP", BY)).toThrow(notRunning);
    expect(() => rig.engine.control.terminals.sendStdin("a", "x")).toThrow(notRunning);
  });

  it("of everything that needs the host are host_unavailable while it is away", async () => {
    await using rig = await EngineRig.open({ processes: { "g/a": LASTING } });
    await rig.handle("g/a").start();
    rig.engine.system.send("host", "bench", { type: "silent" });
    const { control } = rig.engine;
    const unavailable = expect.objectContaining({ code: "host_unavailable" });
    for (const verb of ["start", "stop", "restart"] as const) expect(() => control.commands.process(verb, "g/a", BY)).toThrow(unavailable);
    for (const verb of ["start", "stop", "restart"] as const) expect(() => control.commands.group(verb, "g", BY)).toThrow(unavailable);
    expect(() => control.commands.sendSignal("g/a", "SIGHUP", BY)).toThrow(unavailable);
    expect(() => control.terminals.sendStdin("g/a", "x")).toThrow(unavailable);
    await expect(control.terminals.backlog("g/a", { lines: 1 })).rejects.toEqual(unavailable);
    expect(rig.engine.processTable.process("g/a")).toMatchObject({ state: "started", host_ready: false, requested_state: "start" });
    expect(control.state.hosts()).toMatchObject([{ daemon_ready: false }]);
    // The next heartbeat brings it back.
    await rig.until(() => rig.engine.processTable.isHostReady());
    expect(rig.engine.processTable.process("g/a")).toMatchObject({ state: "started", host_ready: true });
  });
});

describe("a terminal's size", () => {
  it("is kept for the next run and for the next manager", async () => {
    const intents = new Intents();
    await using rig = await EngineRig.open({ processes: { a: { command: "stty size; sleep 1000" } } }, { intents });
    rig.engine.control.terminals.resize("a", { rows: 33, cols: 101 });
    expect(intents.get("a")).toMatchObject({ rows: 33, cols: 101 });
    await rig.handle("a").start();
    await rig.handle("a").waitForOutput(/33 101/);
    rig.engine.control.terminals.resize("a", { rows: 44, cols: 102 });
    await rig.handle("a").restart();
    await rig.handle("a").waitForOutput(/44 102/);
    await using next = await EngineRig.open(
      { processes: { a: { command: "stty size; sleep 1000" } } },
      { intents: new Intents({ a: intents.get("a") }) },
    );
    await next.handle("a").start();
    await next.handle("a").waitForOutput(/44 102/);
  });

  it("is written within a second, however often it changes, and not when it does not", async () => {
    const intents = new Intents();
    await using rig = await EngineRig.open({ processes: { a: LASTING } }, { intents });
    for (let rows = 10; rows < 20; rows++) rig.engine.control.terminals.resize("a", { rows, cols: 80 });
    rig.engine.control.terminals.resize("a", { rows: 19, cols: 80 });
    expect(intents.done.filter((each) => each.startsWith("set"))).toHaveLength(10);
    expect(intents.done).not.toContain("flush");
    await expect.poll(() => intents.done).toContain("flush");
    expect(intents.done.filter((each) => each === "flush")).toHaveLength(1);
  });

  it("of a running terminal changes at once", async () => {
    await using rig = await EngineRig.open({
      processes: { a: { command: "trap 'stty size' WINCH; echo armed; while :; do sleep 0.02; done" } },
    });
    const armed = rig.handle("a").waitForOutput(/armed/);
    await rig.handle("a").start();
    // Before that, the signal would be ignored.
    await armed;
    const seen = rig.handle("a").waitForOutput(/55 103/);
    rig.engine.control.terminals.resize("a", { rows: 55, cols: 103 });
    await expect(seen).resolves.toBeDefined();
  });
});
