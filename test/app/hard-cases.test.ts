import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BY, EngineRig, LASTING } from "./support/engines.ts";

// What other supervisors have got wrong at some time, as tests of ours. Beside them: command-storm.test.ts (100 clients, one process),
// ../daemon/exit-statuses.test.ts (every exit code and signal), ../e2e/clock.test.ts (a clock that is set).

const READY = { command: "echo up; exec sleep 1000", ready: { regex: "up" } };
const needs = (condition: "started" | "ready" | "completed", ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { condition }]));
/** Position of a change, which has to be there. */
function place(rig: EngineRig, change: string): number {
  const at = rig.changes().indexOf(change);
  expect(at, `${change} in ${rig.changes().join("; ")}`).toBeGreaterThanOrEqual(0);
  return at;
}

describe("dependencies", () => {
  it("a chain starts from its deepest end, each waiting for the one before, and stops the other way round", async () => {
    const names = ["a", "b", "c", "d"];
    const processes = Object.fromEntries(
      names.map((name, index) => [name, { ...READY, depends_on: needs("ready", ...names.slice(Math.max(0, index - 1), index)) }]),
    );
    await using rig = await EngineRig.open({ processes });
    rig.engine.control.commands.process("start", "d", BY);
    await rig.until(() => rig.states(...names).every((state) => state === "ready"));
    for (const [index, name] of names.slice(1).entries())
      expect(place(rig, `${names[index]}: started → ready`)).toBeLessThan(place(rig, `${name}: waiting → starting`));
    rig.engine.control.commands.process("stop", "a", BY);
    await rig.until(() => rig.states(...names).every((state) => state === "stopped"));
    for (const [index, name] of names.slice(1).entries())
      expect(place(rig, `${name}: stopping → stopped`)).toBeLessThan(place(rig, `${names[index]}: stopping → stopped`));
  });

  it("a diamond of dependencies starts its base once, both sides together, and its top last", async () => {
    await using rig = await EngineRig.open({
      processes: {
        top: { ...LASTING, depends_on: needs("ready", "left", "right") },
        left: { ...READY, depends_on: needs("ready", "bottom") },
        right: { ...READY, depends_on: needs("ready", "bottom") },
        bottom: READY,
      },
    });
    rig.engine.control.commands.process("start", "top", BY);
    await rig.until(() => rig.states("top")[0] === "started");
    expect(rig.changes().filter((change) => change === "bottom: stopped → starting")).toHaveLength(1);
    for (const side of ["left", "right"]) {
      expect(place(rig, "bottom: started → ready")).toBeLessThan(place(rig, `${side}: waiting → starting`));
      expect(place(rig, `${side}: started → ready`)).toBeLessThan(place(rig, "top: waiting → starting"));
    }
  });

  it("a job that many processes wait for runs once, and its end starts all of them", async () => {
    const many = Array.from({ length: 20 }, (_, index) => `m${index}`);
    const processes = Object.fromEntries(many.map((name) => [name, { ...LASTING, depends_on: needs("completed", "job") }]));
    await using rig = await EngineRig.open({ processes: { job: { command: "true" }, ...processes } });
    for (const name of many) rig.engine.control.commands.process("start", name, BY);
    await rig.until(() => rig.states(...many).every((state) => state === "started"));
    expect(rig.changes().filter((change) => change === "job: stopped → starting")).toHaveLength(1);
  });

  it("a process that ends before its ready line fails all that wait for it, transitively; each error names the previous process", async () => {
    await using rig = await EngineRig.open({
      processes: {
        db: { command: "echo almost; exit 3", ready: { regex: "ready to accept" } },
        api: { ...LASTING, depends_on: needs("ready", "db") },
        ui: { ...LASTING, depends_on: needs("started", "api") },
      },
    });
    rig.engine.control.commands.process("start", "ui", BY);
    await rig.until(() => rig.states("db", "api", "ui").every((state) => state === "error"));
    const reason = (name: string) => rig.engine.control.state.process(name)?.exit?.reason;
    expect([reason("api"), reason("ui")]).toEqual(["dependency 'db' failed", "dependency 'api' failed"]);
    expect(rig.engine.control.state.process("db")?.exit?.code).toBe(3);
  });

  it("a restart of a waiting process waits on; a stop of it acts at once and does not affect its dependency", async () => {
    await using rig = await EngineRig.open({
      processes: { slow: { ...LASTING, ready: { regex: "never" } }, waits: { ...LASTING, depends_on: needs("ready", "slow") } },
    });
    rig.engine.control.commands.process("start", "waits", BY);
    await rig.until(() => rig.states("waits", "slow").join() === "waiting,started");
    rig.engine.control.commands.process("restart", "waits", BY);
    expect(rig.states("waits")).toEqual(["waiting"]);
    rig.engine.control.commands.process("stop", "waits", BY);
    expect(rig.states("waits", "slow")).toEqual(["stopped", "started"]);
  });

  it("a process that ends with success until its restarts are used up fails those that wait for it", async () => {
    await using rig = await EngineRig.open({
      processes: {
        flaps: {
          command: "exit 0",
          ready: { regex: "never" },
          restart: { policy: "always", delay: "10ms", max_delay: "10ms", max_restarts: 3 },
        },
        waits: { ...LASTING, depends_on: { flaps: { condition: "ready" } } },
      },
    });
    rig.engine.control.commands.process("start", "waits", BY);
    await rig.until(() => rig.states("waits")[0] === "error");
    expect(rig.states("flaps")).toEqual(["error"]);
    expect(rig.engine.control.state.process("waits")?.exit?.reason).toContain("'flaps'");
    expect(rig.changes().filter((change) => change === "flaps: starting → started")).toHaveLength(4);
  });

  it("dependents that need the success of a restarted job wait if it fails this time", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mgr-hard-"));
    try {
      await using rig = await EngineRig.open({
        processes: {
          migrate: { command: `test ! -e ${folder}/broken` },
          app: { ...LASTING, depends_on: { migrate: { condition: "completed", on_stop: "restart" } } },
        },
      });
      await rig.handle("app").start();
      await writeFile(join(folder, "broken"), "");
      rig.engine.control.commands.process("restart", "migrate", BY);
      await rig.until(() => rig.states("app", "migrate").join() === "error,error");
      expect(rig.engine.control.state.process("app")).toMatchObject({ pid: null, exit: { reason: expect.stringContaining("'migrate'") } });
      await rm(join(folder, "broken"));
      await rig.handle("app").start();
      expect(rig.states("migrate")).toEqual(["stopped"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a group whose member backs off", () => {
  /** Only what hangs takes so long: a busy machine may need half a minute for some restarts. */
  const SLOW_MS = 100_000;
  const restart = { policy: "on-failure", delay: "20ms", max_delay: "20ms", max_restarts: 3 } as const;
  it("is started when its dependency is up, and fails when the dependency cannot start", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mgr-hard-"));
    try {
      // Fails until it has been tried three times.
      const late = `echo x >> ${folder}/tries; [ $(wc -l < ${folder}/tries) -ge 3 ] && echo up && exec sleep 1000; exit 1`;
      await using rig = await EngineRig.open({
        processes: {
          "g/late": { command: late, restart, ready: { regex: "up" } },
          "g/other": LASTING,
          "h/never": { command: "exit 5", restart, ready: { regex: "up" } },
          "h/other": LASTING,
        },
      });
      await rig.client.group("g").start({ timeout: SLOW_MS });
      expect(rig.states("g/late", "g/other")).toEqual(["ready", "started"]);
      expect(rig.changes().filter((change) => change === "g/late: backoff → starting")).toHaveLength(2);
      await expect(rig.client.group("h").start({ timeout: SLOW_MS })).rejects.toThrow("'h/never': crash loop");
      await rig.until(() => rig.log.entries().some(({ msg }) => msg.startsWith("group 'h' is up, but for 'h/never' (crash loop")));
      expect(rig.log.entries().map(({ msg }) => msg)).toContain("group 'g' is up");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("the ends of processes", () => {
  it("a process that ignores SIGTERM is killed after its time-out, and the processes that wait for it continue", async () => {
    const stubborn = { command: "trap '' TERM; echo up; while :; do sleep 0.02; done", ready: { regex: "up" }, stop: { timeout: "200ms" } };
    await using rig = await EngineRig.open({ processes: { db: LASTING, stubborn: { ...stubborn, depends_on: needs("started", "db") } } });
    rig.engine.control.commands.process("start", "stubborn", BY);
    await rig.until(() => rig.states("stubborn")[0] === "ready");
    rig.engine.control.commands.process("stop", "db", BY);
    await rig.until(() => rig.states("db", "stubborn").every((state) => state === "stopped"));
    expect(place(rig, "stubborn: stopping → stopped")).toBeLessThan(place(rig, "db: stopping → stopped"));
    expect(rig.engine.control.state.process("stubborn")?.exit?.signal).toBe("SIGKILL");
  });

  it("a grandchild that keeps the terminal and a pipe open does not delay stop and restart", async () => {
    // The leader ends at once; what it leaves behind ignores the hang-up and would write for ever.
    const holder = { command: "(trap '' HUP TERM; while :; do echo still here; sleep 0.02; done) | cat & sleep 0.1; exit 0" };
    await using rig = await EngineRig.open({ processes: { holder } });
    rig.engine.control.commands.process("start", "holder", BY);
    await rig.until(() => rig.changes().includes("holder: started → stopped"));
    rig.engine.control.commands.process("start", "holder", BY);
    await rig.until(() => rig.changes().filter((change) => change === "holder: started → stopped").length === 2);
    expect(rig.engine.control.state.process("holder")).toMatchObject({ pid: null, exit: { code: 0 } });
  });
});
