import { describe, expect, it } from "vitest";
import { control } from "../../src/cli/commands/processes/control.ts";
import { settled } from "../../src/cli/commands/processes/outcome.ts";
import { wait } from "../../src/cli/commands/processes/wait.ts";
import type { Process } from "../../src/protocol/resources/resources.ts";
import { fakeProcess } from "../support/fakes/fake-control.ts";
import { printed, ScriptedManager } from "./support/scripted-manager.ts";

const T1 = "2026-11-21T08:00:00.000";
const T2 = "2026-11-21T08:00:01.000";

const is = (state: Process["state"], more: Partial<Process> = {}): Process => ({
  ...fakeProcess("a"),
  state,
  requested_state: "start",
  ...more,
});
const DOWN = is("stopped", { requested_state: "stop" });
const UP = is("started", { pid: 10, start_time: T1 });

describe("a process that changes while the command waits for it", () => {
  it("at the moment of the first answer ends the wait", async () => {
    await using manager = await ScriptedManager.open("a");
    manager.onFrame = ({ type }) => {
      // Right behind the answer, in the same piece of the stream.
      if (type === "get_snapshot") queueMicrotask(() => manager.set("a", { state: "started", pid: 7 }));
    };
    const { output, error } = await printed(() => wait(["a"], { ...manager.flags, for: "started", timeout: 60 }));
    expect({ output, error }).toEqual({ output: "a: started\n", error: null });
  });

  it.each([
    ["mgr wait", (flags: ScriptedManager["flags"]) => wait(["a"], { ...flags, for: "ready", timeout: 60 })],
    ["mgr start", (flags: ScriptedManager["flags"]) => control("start", ["a"], { ...flags, wait: true, timeout: 60 })],
  ])("%s of one that is removed ends with 'not found'", async (_what, run) => {
    await using manager = await ScriptedManager.open("a", "b");
    manager.onFrame = ({ type }) => {
      if (type === "get_snapshot") setImmediate(() => manager.say({ type: "process_remove", name: "a" }));
    };
    const { error } = await printed(() => run(manager.flags));
    expect(error).toMatchObject({ exitCode: 3, message: expect.stringMatching(/'a' was removed|no process or group matches 'a'/) });
  });
});

describe("a start is complete", () => {
  it.each([
    ["started", is("started", { pid: 11, start_time: T2 }), true],
    ["started, but not ready yet", is("started", { pid: 11, start_time: T2, has_ready_state: true }), false],
    ["ready", is("ready", { pid: 11, start_time: T2, has_ready_state: true }), true],
    ["a job that ended well", is("stopped", { start_time: T2 }), true],
    ["stopped and not run since", is("stopped"), false],
    ["somebody else's stop", is("stopped", { requested_state: "stop" }), true],
    ["error", is("error"), true],
    ["backoff", is("backoff"), true],
    ["waiting for a dependency", is("waiting"), false],
    ["starting", is("starting"), false],
    ["stopping, to be started again", is("stopping", { pid: 10, start_time: T1 }), false],
  ] as const)("%s", (_what, now, expected) => expect(settled("start", now, DOWN)).toBe(expected));

  it("at once for what runs already", () => expect(settled("start", UP, UP)).toBe(true));
});

describe("a restart is complete", () => {
  it.each([
    ["the run before", UP, false],
    ["the run before, being stopped", { ...UP, state: "stopping" as const }, false],
    ["another run", is("started", { pid: 11, start_time: T2 }), true],
    ["another run under the same pid", is("started", { pid: 10, start_time: T2 }), true],
    ["another run that is not ready yet", is("started", { pid: 11, start_time: T2, has_ready_state: true }), false],
    ["a job that ended again", is("stopped", { start_time: T2 }), true],
    ["between the two", is("starting", { start_time: T1 }), false],
    ["error", is("error"), true],
  ] as const)("%s", (_what, now, expected) => expect(settled("restart", now, UP)).toBe(expected));
});

it("a stop is complete when the process is stopped, or could not be stopped", () => {
  const ended = (["stopped", "waiting", "starting", "started", "ready", "stopping", "backoff", "error"] as const).filter((state) =>
    settled("stop", is(state), UP),
  );
  expect(ended).toEqual(["stopped", "error"]);
});

describe("mgr stop", () => {
  it("lists all that it stopped, with the process that took it along", async () => {
    await using manager = await ScriptedManager.open("db", "api", "web", "idle", "kept");
    for (const [name, stops_with] of Object.entries({ db: [], api: ["db"], web: ["api"], kept: ["db"] }))
      manager.set(name, { state: "started", requested_state: "start", pid: 5, start_time: T1, stops_with });
    manager.onFrame = ({ type }) => {
      if (type !== "stop_process") return;
      manager.set("web", { state: "stopped", requested_state: "stop", stopped_with: "api" });
      manager.set("api", { state: "stopping", requested_state: "stop", stopped_with: "db" });
      manager.set("db", { state: "stopped", requested_state: "stop" });
      setTimeout(() => manager.set("api", { state: "stopped" }), 20);
    };
    const { output, error } = await printed(() => control("stop", ["db"], { ...manager.flags, timeout: 60, wait: true }));
    expect(error).toBeNull();
    // What the manager leaves alone is neither waited for nor listed.
    expect(output).toBe("db: stopped\napi: stopped (with db)\nweb: stopped (with api)\n");
  });
});

describe("mgr start", () => {
  const flags = (manager: ScriptedManager, more: { timeout?: number; wait?: boolean } = {}) => ({
    ...manager.flags,
    timeout: 60,
    wait: true,
    ...more,
  });

  it("asks for each process once and waits for all of them", async () => {
    await using manager = await ScriptedManager.open("g/a", "g/b", "other");
    let asked = 0;
    manager.onFrame = ({ type, name }) => {
      if (type !== "start_process" || name === undefined) return;
      manager.set(name, { state: "starting", requested_state: "start" });
      if (++asked === 2)
        setTimeout(() => ["g/a", "g/b"].map((each) => manager.set(each, { state: "started", start_time: T2, pid: 5 })), 20);
    };
    const { output, error, exitCode } = await printed(() => control("start", ["g", "g/*"], flags(manager)));
    expect(error).toBeNull();
    expect(output).toBe("g/a: started\ng/b: started\n");
    expect(exitCode).toBeUndefined();
    expect(manager.asked.filter(({ type }) => type === "start_process").map(({ name }) => name)).toEqual(["g/a", "g/b"]);
  });

  it("names the processes that stay stopped because they were stopped together with it", async () => {
    await using manager = await ScriptedManager.open("db", "api", "web", "other");
    manager.set("api", { stopped_with: "db" });
    manager.set("web", { stopped_with: "api" });
    manager.onFrame = ({ type, name }) => {
      if (type === "start_process" && name) manager.set(name, { state: "started", requested_state: "start", start_time: T2, pid: 5 });
    };
    const received = await printed(() => control("start", ["db"], flags(manager)));
    expect(received.output).toBe("db: started\n");
    expect(received.errors).toContain("mgr: api was stopped together with db and is still stopped.\n");
    expect(received.errors).toContain("mgr start api web");
    expect((await printed(() => control("start", ["api", "web"], flags(manager)))).errors).toBe("");
  });

  it("of something that fails is exit code 1, with the reason", async () => {
    await using manager = await ScriptedManager.open("a");
    manager.onFrame = ({ type }) => {
      if (type === "start_process")
        manager.set("a", { state: "error", requested_state: "start", exit: { code: 3, signal: null, reason: null, time: T2 } });
    };
    const { output, error, exitCode } = await printed(() => control("start", ["a"], flags(manager)));
    expect(error).toBeNull();
    expect(output).toBe("a: error (exit code 3)\n");
    expect(exitCode).toBe(1);
  });

  it("that another client stops is exit code 1", async () => {
    await using manager = await ScriptedManager.open("a");
    manager.onFrame = ({ type }) => {
      if (type !== "start_process") return;
      manager.set("a", { state: "starting", requested_state: "start" });
      manager.set("a", { state: "stopped", requested_state: "stop" });
    };
    const { output, exitCode } = await printed(() => control("start", ["a"], flags(manager)));
    expect(output).toBe("a: stopped (stopped by another command)\n");
    expect(exitCode).toBe(1);
  });

  it("that takes too long is exit code 4, and reports how far it came", async () => {
    await using manager = await ScriptedManager.open("a");
    manager.onFrame = ({ type }) => {
      if (type === "start_process") manager.set("a", { state: "waiting", requested_state: "start" });
    };
    const { output, error } = await printed(() => control("start", ["a"], flags(manager, { timeout: 0.05 })));
    expect(output).toBe("a: waiting\n");
    expect(error).toMatchObject({ exitCode: 4 });
  });

  it("does not wait with --no-wait", async () => {
    await using manager = await ScriptedManager.open("a");
    const { output, error } = await printed(() => control("start", ["a"], flags(manager, { wait: false })));
    expect([output, error]).toEqual(["", null]);
  });

  it("ends with the connection, at once, and with its reason", async () => {
    await using manager = await ScriptedManager.open("a");
    manager.onFrame = ({ type }) => {
      if (type !== "start_process") return;
      manager.set("a", { state: "starting", requested_state: "start" });
      setTimeout(() => manager.hangUp("the manager is shutting down"), 20);
    };
    const { error } = await printed(() => control("start", ["a"], flags(manager)));
    expect(error).toMatchObject({ exitCode: 1, message: "the connection to the manager was closed: the manager is shutting down" });
  });

  it("of an unknown name is exit code 3, and asks for nothing", async () => {
    await using manager = await ScriptedManager.open("a");
    const { error } = await printed(() => control("start", ["a", "nope"], flags(manager)));
    expect(error).toMatchObject({ exitCode: 3, message: expect.stringContaining("'nope'") });
    expect(manager.asked.map(({ type }) => type)).toEqual(["get_snapshot"]);
  });
});
