import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createManager, type EmbeddedManager } from "../../src/app/index.ts";

// One manager for all: each test has processes of its own.
let manager: EmbeddedManager;
beforeAll(async () => {
  manager = await createManager({
    processes: {
      job: { command: ["true"] },
      "bad-job": { command: "echo last words; sleep 0.05; exit 3", ready: { regex: "never" } },
      missing: { command: ["/no/such/program"] },
      server: { command: "echo up; exec sleep 1000", ready: { regex: "^up" } },
      silent: { command: ["sleep", "1000"], ready: { regex: "never" } },
      lasting: { command: ["sleep", "1000"] },
      speaker: { command: "printf 'ab'; sleep 0.1; printf 'cd\\n'; read line; echo \"heard $line\"; exec sleep 1000" },
      twice: { command: 'while read line; do echo "got $line"; done' },
      backlog: { command: "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; exec sleep 1000" },
      slow: { command: "trap 'sleep 0.2; exit 0' TERM; while :; do sleep 0.02; done" },
    },
  });
});
afterAll(() => manager[Symbol.asyncDispose]());

describe("start", () => {
  it("resolves at ready where there is a ready condition, at started elsewhere", async () => {
    expect(await manager.process("server").start()).toMatchObject({ state: "ready", has_ready_state: true });
    expect(await manager.process("lasting").start()).toMatchObject({ state: "started" });
  });

  it("of a running process resolves at once", async () => {
    const { pid } = await manager.process("server").start();
    expect((await manager.process("server").start()).pid).toBe(pid);
  });

  it("of a quick job resolves, every time", async () => {
    for (let round = 0; round < 5; round++) expect(["started", "stopped"]).toContain((await manager.process("job").start()).state);
  });

  it("that fails rejects with the reason", async () => {
    const failing = manager.process("missing");
    for (let round = 0; round < 3; round++)
      await expect(failing.start()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("/no/such/program") });
  });

  it("that does not end in time rejects with timeout", async () => {
    await expect(manager.process("silent").start({ timeout: 50 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("'silent'"),
    });
    await manager.process("silent").stop();
  });

  it("of a process that another client stops rejects with conflict", async () => {
    const starting = expect(manager.process("silent").start()).rejects.toMatchObject({
      code: "conflict",
      message: "'silent' was stopped meanwhile",
    });
    await manager.process("silent").waitFor("started");
    await manager.process("silent").stop();
    await starting;
  });

  it("of an unknown name rejects with not_found, and so does every wait", async () => {
    const { ProcessHandle } = await import("../../src/client/handles/process-handle.ts");
    const nobody = new ProcessHandle(manager.client, "nobody");
    const waits = [nobody.start(), nobody.stop(), nobody.restart(), nobody.waitFor("ready"), nobody.waitForOutput(/x/), nobody.output()];
    for (const end of await Promise.allSettled(waits)) expect(end).toMatchObject({ status: "rejected", reason: { code: "not_found" } });
  });
});

describe("stop and restart", () => {
  it("stop resolves when nothing of the process is left, also if it did not run", async () => {
    await manager.process("slow").start();
    expect(await manager.process("slow").stop()).toMatchObject({ state: "stopped", pid: null, requested_state: "stop" });
    expect((await manager.process("slow").stop()).state).toBe("stopped");
  });

  it("restart resolves with another run", async () => {
    const before = await manager.process("server").start();
    const after = await manager.process("server").restart();
    expect(after).toMatchObject({ state: "ready" });
    expect(after.pid).not.toBe(before.pid);
    await manager.process("server").stop();
    expect((await manager.process("server").restart()).state).toBe("ready");
  });

  it("restart of a quick job resolves", async () => {
    expect(["started", "stopped"]).toContain((await manager.process("job").restart()).state);
  });
});

describe("waitFor", () => {
  it("resolves at once for the current state", async () => {
    await manager.process("lasting").start();
    expect((await manager.process("lasting").waitFor("started")).name).toBe("lasting");
  });

  it("rejects when it fails instead, with how it ended and its last output", async () => {
    const waiting = expect(manager.process("bad-job").waitFor("ready")).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/'bad-job' failed: .*3[\s\S]*last words/),
    });
    await expect(manager.process("bad-job").start()).rejects.toMatchObject({ code: "conflict" });
    await waiting;
    await expect(manager.process("bad-job").waitFor("ready")).rejects.toMatchObject({ code: "conflict" });
    expect((await manager.process("bad-job").waitFor("error")).state).toBe("error");
  });
});

describe("waitFor of a state that is reached on the way", () => {
  it("resolves: a ready process has started, and without a ready condition started is ready", async () => {
    await manager.process("server").start();
    expect((await manager.process("server").waitFor("started")).state).toBe("ready");
    await manager.process("lasting").start();
    expect((await manager.process("lasting").waitFor("ready")).state).toBe("started");
  });

  it("ends when its signal aborts, with the signal's reason", async () => {
    const reason = new Error("no patience");
    await expect(manager.process("lasting").waitFor("error", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = expect(manager.process("lasting").waitFor("error", { signal: controller.signal })).rejects.toBe(reason);
    controller.abort(reason);
    await waiting;
  });
});

describe("waitForOutput", () => {
  it("matches across frames, and what is typed reaches the program", async () => {
    const speaker = manager.process("speaker");
    await speaker.start();
    expect((await speaker.waitForOutput(/a(bc)d/))[1]).toBe("bc");
    await speaker.write("you\n");
    expect((await speaker.waitForOutput(/heard (\w+)/))[1]).toBe("you");
  });

  it("matches output in the backlog", async () => {
    await manager.process("backlog").start();
    await manager.process("backlog").waitForOutput(/line 3000/);
    expect((await manager.process("backlog").waitForOutput(/line 2999\r?\nline (3000)/))[1]).toBe("3000");
    expect((await manager.process("backlog").output(2)).trim().split(/\r?\n/)).toEqual(["line 2999", "line 3000"]);
  });

  it("sees live and earlier output in order and once, also while it floods", async () => {
    await manager.process("backlog").restart();
    const [all] = await manager.process("backlog").waitForOutput(/line 2500\r\n(line \d+\r\n)*line 3000\r\n/);
    expect(all.trim().split("\r\n")).toEqual(Array.from({ length: 501 }, (_, n) => `line ${2500 + n}`));
  });

  it("of the same process twice: the end of one does not silence the other", async () => {
    const twice = manager.process("twice");
    // What a first try has printed is not in the output of this run.
    await twice.restart();
    const one = twice.waitForOutput(/got one/);
    const two = twice.waitForOutput(/got two/);
    const seen: string[] = [];
    const live = twice.output$.subscribe((text) => seen.push(text));
    await twice.write("one\n");
    await one;
    await twice.write("two\n");
    await two;
    live.unsubscribe();
    expect(seen.join("")).toContain("got two");
  });

  it("rejects with timeout and the last output if the output does not come", async () => {
    await manager.process("server").start();
    await expect(manager.process("server").waitForOutput(/nothing like it/, { timeout: 100 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/nothing like it[\s\S]*up/),
    });
  });
});

it("waits end with the connection, each with a message, and no rejection is unhandled", async () => {
  const { ProcessHandle } = await import("../../src/client/handles/process-handle.ts");
  const client = manager.connect();
  const handle = new ProcessHandle(client, "silent");
  const ends = Promise.allSettled([handle.start(), handle.waitFor("ready"), handle.waitForOutput(/never/)]);
  await manager.process("silent").waitFor("started");
  client.close();
  for (const end of await ends) expect(end).toMatchObject({ status: "rejected", reason: { code: "host_unavailable" } });
  await expect(handle.get()).rejects.toMatchObject({ code: "host_unavailable" });
});
