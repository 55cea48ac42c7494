import { describe, expect, it } from "vitest";
import { createBench } from "../../src/testing/index.ts";

const server = { command: "server", ready: { regex: "listening" } };

describe("a bench", () => {
  it("simulates processes: ready at once, until they are stopped", async () => {
    await using bench = await createBench({
      processes: { db: server, api: { command: "api", depends_on: { db: { condition: "ready" } } } },
    });
    expect(await bench.until(bench.manager.process("api").start())).toMatchObject({ state: "started", pid: 1001 });
    await bench.until(bench.manager.process("db").stop());
    expect(bench.recorder.lines).toEqual([
      "db: starting",
      "api: waiting",
      "db: starting → started",
      "db: started → ready",
      "api: waiting → starting",
      "api: starting → started",
      "api: started → stopping",
      "db: ready → stopping",
      "api: stopping → stopped",
      "db: stopping → stopped",
    ]);
  });

  it("runs scripts: processes print, become ready, read, are slow, and exit", async () => {
    await using bench = await createBench(
      { processes: { db: server } },
      {
        programs: {
          db: async (process) => {
            process.print("starting up\n");
            await process.sleep(2_500);
            process.print("listening\n");
            const typed = await process.input();
            process.print(`heard ${typed}`);
            await process.sleep(500);
            return 3;
          },
        },
      },
    );
    const db = bench.manager.process("db");
    const ready = await bench.until(db.start());
    expect(ready).toMatchObject({ state: "ready", start_time: "2026-01-01T00:00:00.000" });
    expect(bench.clock.monotonic()).toBeGreaterThanOrEqual(2_500);
    await db.write("hello\n");
    await bench.until(db.waitForOutput(/heard hello/));
    await expect(bench.until(db.waitFor("stopped"))).rejects.toMatchObject({
      code: "conflict",
      message: "'db' failed: exit code 3\nIts last output:\nstarting up\r\nlistening\r\nheard hello\r\n",
    });
  });

  it("advances through backoff without waiting", async () => {
    await using bench = await createBench(
      { processes: { flaky: { command: "flaky", restart: { policy: "on-failure", delay: "1s", factor: 2, max_delay: "60s" } } } },
      { programs: { flaky: (process) => (process.run < 5 ? 1 : undefined) } },
    );
    bench.manager.send({ type: "start_process", name: "flaky" });
    await bench.advance(15_000);
    const restarts = bench.recorder.events.flatMap((each) => (each.kind === "state" && each.to === "starting" ? [each.at] : []));
    expect(restarts).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(bench.manager.actor("process", "flaky").getSnapshot().matches("started")).toBe(true);
  });

  it("kills processes that ignore signals, after the time limit of the stop", async () => {
    await using bench = await createBench(
      { processes: { stubborn: { command: "stubborn", stop: { timeout: "10s" } } } },
      { programs: { stubborn: (process) => process.ignore("SIGTERM") } },
    );
    await bench.until(bench.manager.process("stubborn").start());
    const before = bench.clock.monotonic();
    const stopped = await bench.until(bench.manager.process("stubborn").stop());
    expect(stopped.exit).toMatchObject({ signal: "SIGKILL" });
    expect(bench.clock.monotonic() - before).toBe(10_000);
    expect(bench.host.process("stubborn").received).toEqual(["SIGTERM", "SIGKILL"]);
  });

  it("can start processes slowly, and refuse to start them", async () => {
    await using bench = await createBench(
      { processes: { slow: { command: "slow" }, none: { command: "none" } } },
      { programs: { slow: { spawn_delay: 400 }, "n*": { spawn_error: "there is no program 'none'" } } },
    );
    await bench.until(bench.manager.process("slow").start());
    expect(bench.clock.monotonic()).toBe(400);
    await expect(bench.until(bench.manager.process("none").start())).rejects.toMatchObject({
      code: "conflict",
      message: "'none' failed: there is no program 'none'",
    });
  });

  it("measures time-outs in simulated time", async () => {
    await using bench = await createBench({ processes: { db: server } }, { programs: { db: () => {} } });
    await expect(bench.until(bench.manager.process("db").start({ timeout: 600_000 }))).rejects.toMatchObject({ code: "timeout" });
    expect(bench.clock.monotonic()).toBe(600_000);
    await expect(bench.until(new Promise(() => {}), { within: 5_000 })).rejects.toMatchObject({ code: "timeout" });
    expect(bench.clock.monotonic()).toBe(605_000);
  });

  it("can lose its host and get it back, and let its daemon die", async () => {
    await using bench = await createBench({
      processes: { a: { command: "a", restart: { policy: "always", delay: "1s" } } },
    });
    const a = bench.manager.process("a");
    const { pid } = await bench.until(a.start());
    bench.host.lose();
    expect(await bench.until(bench.manager.host().waitUntilLost())).toMatchObject({ daemon_ready: false });
    await expect(a.signal("SIGHUP")).rejects.toMatchObject({ code: "host_unavailable" });
    bench.host.restore();
    await bench.until(bench.manager.host().waitUntilReady());
    expect(await a.get()).toMatchObject({ state: "started", pid });
    bench.host.die();
    bench.host.restore();
    await bench.advance(10_000);
    expect(await a.get()).toMatchObject({ state: "started", pid: 1_001 });
    expect(bench.recorder.lines.slice(-4)).toEqual([
      "a: started → error",
      "a: error → backoff",
      "a: backoff → starting",
      "a: starting → started",
    ]);
  });

  it("gives the same result each time, to the last byte of every frame", async () => {
    const round = async () => {
      const frames: string[] = [];
      await using bench = await createBench(
        { processes: { db: server, api: { command: "api", depends_on: ["db"], restart: { policy: "always", delay: "1s" } } } },
        {
          programs: {
            db: async (process) => {
              await process.sleep(100);
              process.print("listening\n");
            },
            api: async (process) => {
              await process.sleep(1_000);
              process.crash();
            },
          },
        },
      );
      bench.manager.frames$.subscribe((frame) => frames.push(JSON.stringify(frame)));
      await bench.until(bench.manager.process("api").start());
      await bench.advance(20_000);
      return { frames, text: bench.recorder.text() };
    };
    const first = await round();
    expect(first.frames.length).toBeGreaterThan(20);
    expect(await round()).toEqual(first);
  });

  it("does not advance time while work on a thousand processes is spread over turns of the event loop", async () => {
    const processes = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`g/p${index}`, { command: "sleep" }]));
    await using bench = await createBench({ processes });
    const group = bench.manager.group("g");
    const began = bench.clock.now();
    const states = (members: readonly { state: string }[]) => [members.length, ...new Set(members.map(({ state }) => state))];
    expect(states(await bench.until(group.start()))).toEqual([1_000, "started"]);
    expect(states(await bench.until(group.stop()))).toEqual([1_000, "stopped"]);
    expect(bench.clock.now() - began).toBeLessThan(1_000);
  });

  it("has no answer to requests that a fake host does not know, unless one is defined", async () => {
    await using bench = await createBench(
      { processes: { a: { command: "a" } } },
      { answers: { tail: () => ({ stream_id: "x", pid: 7, from: 0, until: 0, truncated: false }) } },
    );
    const answer = await bench.manager.request({ type: "get_process_output", name: "a" });
    expect(answer).toMatchObject({ pid: 7, output: "" });
  });
});
