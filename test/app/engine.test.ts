import { describe, expect, it } from "vitest";
import { BY, EngineRig, Intents, LASTING } from "./support/engines.ts";

describe("the state at the start", () => {
  it("is the last request of a user, else autostart and its dependencies; a requested stop wins", async () => {
    const intents = new Intents({
      wanted: { requested_state: "start" },
      off: { requested_state: "stop" },
      cache: { requested_state: "stop" },
      gone: { requested_state: "start", rows: 7, cols: 70 },
      "gone-too": { requested_state: "stop" },
    });
    await using rig = await EngineRig.open(
      {
        processes: {
          auto: { ...LASTING, autostart: true, depends_on: ["db"] },
          wanted: LASTING,
          off: { ...LASTING, autostart: true },
          idle: LASTING,
          db: { ...LASTING, depends_on: ["disk"] },
          disk: LASTING,
          web: { ...LASTING, autostart: true, depends_on: ["cache"] },
          cache: { ...LASTING, depends_on: ["only-for-cache"] },
          "only-for-cache": LASTING,
        },
      },
      { intents },
    );
    const up = ["auto", "wanted", "db", "disk"];
    await rig.until(() => rig.states(...up).every((state) => state === "started") && rig.states("web")[0] === "error");
    expect(rig.states("off", "idle", "cache", "only-for-cache")).toEqual(["stopped", "stopped", "stopped", "stopped"]);
    expect(rig.log.entries({ level: "error" }).map((entry) => entry.msg)).toContain("process 'web': dependency 'cache' was stopped");
    // Taken out of the configuration while no manager ran: a later one of that name has not been started by anybody.
    expect([intents.get("gone"), intents.get("gone-too")]).toEqual([{ rows: 7, cols: 70 }, { requested_state: "stop" }]);
    // Nobody asked for anything: there is no new intent.
    expect(intents.done.filter((each) => each.startsWith("set"))).toEqual([]);
  });
});

describe("the log", () => {
  it("has one entry for each change of state, with these texts", async () => {
    await using rig = await EngineRig.open({ processes: { "g/a": { command: ["false"] }, b: LASTING } });
    rig.engine.control.commands.process("start", "g/a", BY);
    await rig.until(() => rig.states("g/a")[0] === "error");
    const { entries } = rig.log.entries().reduce(
      (found, entry) => {
        if (entry.msg.includes("changes state")) found.entries.push([entry.level, entry.source, entry.msg]);
        return found;
      },
      { entries: [] as string[][] },
    );
    expect(entries).toEqual([
      ["info", "manager", "process 'g/a' changes state from 'stopped' to 'starting'"],
      ["info", "manager", "process 'g/a' changes state from 'starting' to 'started'"],
      ["error", "manager", "process 'g/a' changes state from 'started' to 'error'"],
    ]);
  });
});

describe("the reason for a change of a process that no request named", () => {
  const said = (rig: EngineRig) =>
    rig.log.entries().flatMap(({ level, msg }) => (/request for|^group/.test(msg) ? [`${level}: ${msg}`] : []));

  it("is in the log: its dependent or its dependency", async () => {
    await using rig = await EngineRig.open({
      processes: { db: LASTING, api: { ...LASTING, depends_on: ["db"] }, web: { ...LASTING, depends_on: ["api"] } },
    });
    await rig.handle("web").start();
    await rig.handle("web").start();
    await rig.handle("db").restart();
    await rig.until(() => rig.states("web")[0] === "started");
    await rig.handle("db").stop();
    expect(said(rig)).toEqual([
      "info: the request for 'web' also starts what it needs: 'db', 'api'",
      "info: the request for 'db' also restarts what needs it: 'web', 'api'",
      "info: the request for 'db' also stops what needs it: 'web', 'api'",
    ]);
  });

  it("as is what came of a request to a group, once each member is where it should be, or cannot get there", async () => {
    // `started` is not where a process with a ready condition should be: the group waits for its end, however late that is.
    const bad = { command: "exit 3", ready: { regex: "never" } };
    await using rig = await EngineRig.open({
      processes: { "g/good": LASTING, "g/bad": bad, "g/never": { command: "/no/such/program" } },
    });
    rig.engine.control.commands.group("start", "g", BY);
    await rig.until(() => rig.states("g/good", "g/bad", "g/never").join() === "started,error,error");
    rig.engine.control.commands.group("stop", "g", BY);
    await rig.until(() => rig.states("g/good", "g/bad", "g/never").every((state) => state === "stopped"));
    expect(said(rig)).toEqual([
      "warning: group 'g' is up, but for 'g/bad' (exit code 3), 'g/never' (the program '/no/such/program' does not exist; check the command)",
      "info: group 'g' is stopped",
    ]);
  });
});

describe("intent", () => {
  it("is on the disk before its effect is sent to the host", async () => {
    const intents = new Intents();
    await using rig = await EngineRig.open(
      { processes: { a: LASTING } },
      {
        intents,
        onRequest: (name) => {
          if (name === "spawn" || name === "stop") intents.done.push(name);
        },
      },
    );
    // A disk that takes its time.
    intents.onFlush = () => new Promise((resolve) => setTimeout(resolve, 30));
    await rig.handle("a").start();
    await rig.handle("a").stop();
    for (const [wish, effect] of [
      ["set a start", "spawn"],
      ["set a run pending", "spawn"],
      ["set a stop", "stop"],
    ] as const) {
      const between = intents.done.slice(intents.done.indexOf(wish), intents.done.indexOf(effect));
      expect(between, `between '${wish}' and '${effect}'`).toContain("flushed");
    }
  });

  it("that cannot be written is an error in the log; processes start and stop nevertheless", async () => {
    const intents = new Intents();
    await using rig = await EngineRig.open({ processes: { a: LASTING } }, { intents });
    intents.onFlush = () => Promise.reject(new Error("no space left on device"));
    await rig.handle("a").start();
    await rig.handle("a").stop();
    const errors = rig.log.entries({ level: "error" }).map((entry) => entry.msg);
    // Once, however often it fails.
    expect(errors).toEqual(["no space left on device; it is done nevertheless, but a crash would forget it until the disk works again"]);
    expect(rig.engine.processTable.process("a")).toMatchObject({ state: "stopped", requested_state: "stop" });
  });

  it("on a disk that hangs is waited for once; then everything starts and stops at once", async () => {
    const intents = new Intents();
    await using rig = await EngineRig.open({ processes: { a: LASTING, b: LASTING } }, { intents });
    intents.onFlush = () => new Promise(() => {});
    await rig.handle("a").start();
    await rig.handle("b").start();
    await rig.handle("a").stop();
    await rig.handle("b").stop();
    expect(rig.states("a", "b")).toEqual(["stopped", "stopped"]);
    expect(rig.log.entries({ level: "error" }).map(({ msg }) => msg)).toEqual([
      "requests could not be written to the disk for 2 s; it is done nevertheless, but a crash would forget it until the disk works again",
    ]);
  });

  it("is also written if the host has nothing to do: a stop in backoff", async () => {
    const intents = new Intents();
    const restart = { policy: "always", delay: "1h", max_delay: "1h" } as const;
    await using rig = await EngineRig.open({ processes: { a: { command: "false", restart } } }, { intents });
    rig.engine.control.commands.process("start", "a", BY);
    await rig.until(() => rig.states("a")[0] === "backoff");
    intents.done.length = 0;
    rig.engine.control.commands.process("stop", "a", BY);
    expect(intents.done).toEqual(["set a stop", "flush"]);
  });

  it("does not change when everything is stopped at the end", async () => {
    const intents = new Intents();
    await using rig = await EngineRig.open({ processes: { a: LASTING, b: { ...LASTING, depends_on: ["a"] } } }, { intents });
    await rig.handle("b").start();
    await rig.engine.stopEverything();
    expect(rig.states("a", "b")).toEqual(["stopped", "stopped"]);
    expect(intents.get("a").requested_state).toBe("start");
    expect(intents.get("b").requested_state).toBe("start");
    const changes = rig.changes();
    expect(changes.indexOf("b: stopping → stopped")).toBeLessThan(changes.indexOf("a: stopping → stopped"));
  });
});

describe("stopping everything at the end", () => {
  it("does not wait for a host that is away", async () => {
    await using rig = await EngineRig.open(
      { processes: { a: LASTING } },
      { onRequest: (name) => (name === "stop" ? new Promise(() => {}) : undefined) },
    );
    await rig.handle("a").start();
    const stopped = rig.engine.stopEverything();
    expect(rig.states("a")).toEqual(["stopping"]);
    rig.engine.system.send("host", "bench", { type: "silent" });
    await stopped;
  });
});

describe("an actor that fails", () => {
  /** A host whose answer to a stop is a defect, as long as `broken`. */
  async function brokenRig() {
    const state = { broken: true };
    const rig = await EngineRig.open(
      { processes: { "g/a": LASTING } },
      {
        onRequest: (name) => {
          if (name === "stop" && state.broken) throw new TypeError("a defect");
        },
      },
    );
    return { rig, state };
  }

  it("again and again is parked: shown as error, with pid and requested state; the log and the group know", async () => {
    const { rig } = await brokenRig();
    await using _ = rig;
    const { pid } = await rig.handle("g/a").start();
    rig.engine.control.commands.process("stop", "g/a", BY);
    await rig.until(() => rig.states("g/a")[0] === "error");
    const parked = rig.engine.processTable.process("g/a");
    expect(parked).toMatchObject({ state: "error", pid, requested_state: "stop", exit: { code: null, signal: null } });
    expect(parked?.exit?.reason).toContain("a defect");
    expect(rig.changes().at(-1)).toMatch(/^g\/a: \w+ → error$/);
    expect(rig.engine.control.state.processTree("g")).toMatchObject([{ state: "error" }]);
    expect((await rig.handle("g/a").get()).state).toBe("error");
    // While it is built again, clients see what they saw before: it was never shown as stopped.
    expect(rig.changes().filter((change) => change.includes("stopped →")).length).toBe(1);
  });

  it("is back at the next request, with its host's report", async () => {
    const { rig, state } = await brokenRig();
    await using _ = rig;
    await rig.handle("g/a").start();
    rig.engine.control.commands.process("stop", "g/a", BY);
    await rig.until(() => rig.states("g/a")[0] === "error");
    state.broken = false;
    rig.engine.control.commands.group("stop", "g", BY);
    await rig.until(() => rig.states("g/a")[0] === "stopped");
    expect(rig.engine.processTable.process("g/a")).toMatchObject({ pid: null, requested_state: "stop" });
    expect((await rig.handle("g/a").start()).state).toBe("started");
  });
});

describe("a dependency whose daemon died", () => {
  it("does not end the wait while its restart is still possible", async () => {
    await using rig = await EngineRig.open({
      processes: { db: { ...LASTING, ready: { regex: "never" } }, app: { ...LASTING, depends_on: ["db"] } },
    });
    rig.engine.control.commands.process("start", "app", BY);
    await rig.until(() => rig.states("db")[0] === "started");
    rig.engine.system.send("process", "db", { type: "host.died" });
    expect(rig.states("db", "app")).toEqual(["error", "waiting"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(rig.states("app")).toEqual(["waiting"]);
    expect(rig.engine.processTable.unmet("app")).toEqual({ missing: ["db"], impossible: null });
  });
});
