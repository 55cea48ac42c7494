import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createManager } from "../../../src/app/index.ts";
import { createBench } from "../../../src/testing/index.ts";
import { bundled } from "../../support/bundled.ts";
import { processesWith, uniqueSeconds, until } from "../../support/processes.ts";

const temporary = mkdtempSync(join(tmpdir(), "mgr-test-"));
vi.stubEnv("TMPDIR", temporary);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

/** Only what hangs takes so long: fifty managers at once are slow on a busy machine. */
const PATIENT = { timeout: 600_000 };

/** Files that somebody made there. */
function left(): string[] {
  return readdirSync(temporary);
}

/** A system of three processes, one of them with a child that has left its session. */
function system(seconds: string) {
  return {
    processes: {
      db: { command: `echo open; exec sleep ${seconds}`, ready: { regex: "open" } },
      api: { command: `setsid sleep ${seconds} & trap '' HUP; exec sleep ${seconds}`, depends_on: { db: { condition: "ready" as const } } },
      web: { command: ["sleep", seconds], depends_on: ["api"] },
    },
  };
}

/** Kinds of what keeps this program's event loop busy, without what comes and goes by itself. */
function resources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => !["Immediate", "FSReqPromise", "FSReqCallback"].includes(kind))
    .sort();
}

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").sort();
}

describe("50 embedded managers of three real processes at once", () => {
  it("leave no process, file descriptor, handle, timer, listener or file, half of them failing in the middle", async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on("warning", onWarning);
    // What is opened once for all (modules, the guard's pipe of libuv's first child) is open from the first one on.
    await using _warm = await createManager(system(uniqueSeconds())).then((manager) =>
      manager
        .process("web")
        .start()
        .then(() => manager),
    );
    await _warm.close();
    const before = { files: openFiles(), resources: resources(), listeners: process.listenerCount("SIGCHLD") };
    const seconds = uniqueSeconds();
    const one = async (index: number) => {
      await using manager = await createManager(system(seconds));
      await manager.process("web").start(PATIENT);
      if (index % 2 === 0) throw new Error("a test failed");
      await manager.stopAll();
    };
    const ends = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => one(index)));
    expect(ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []))).toEqual(Array(25).fill("Error: a test failed"));
    expect(processesWith(seconds)).toEqual([]);
    expect(left()).toEqual([]);
    await until(
      () => openFiles().length <= before.files.length && resources().length <= before.resources.length,
      60_000,
      () => ({ before, after: { files: openFiles(), resources: resources() } }),
    );
    expect(process.listenerCount("SIGCHLD")).toBe(before.listeners);
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  }, 900_000);
});

describe("a program with an embedded manager", () => {
  let program = "";
  beforeAll(async () => {
    program = await bundled("test/fixtures/embedding-worker.ts");
  });

  const start = async (how: string) => {
    const seconds = uniqueSeconds();
    const child = spawn(process.execPath, [program, seconds, how], { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    await expect.poll(() => processesWith(seconds).length).toBeGreaterThanOrEqual(4);
    return { child, exited, seconds, go: () => child.stdin.write("go\n") };
  };
  const gone = (seconds: string) =>
    until(
      () => processesWith(seconds).length === 0,
      60_000,
      () => processesWith(seconds),
    );

  it.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("that is ended by %s leaves nothing", async (signal) => {
    const { child, exited, seconds } = await start("wait");
    child.kill(signal);
    await exited;
    await gone(seconds);
    expect(left()).toEqual([]);
  });

  it.each(["exit", "throw"])("that ends by %s without disposing leaves nothing", async (how) => {
    const { exited, seconds, go } = await start(how);
    go();
    await exited;
    await gone(seconds);
    expect(left()).toEqual([]);
  });

  it("that disposes of it ends by itself: nothing holds its event loop", async () => {
    const { exited, seconds, go } = await start("dispose");
    go();
    const [code] = await exited;
    expect(code).toBe(0);
    expect(processesWith(seconds)).toEqual([]);
  });
});

describe("a bench", () => {
  it("leaves no timers, no handles, and no growing memory", async () => {
    const config = { processes: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`g/p${n}`, { command: "x" }])) };
    const round = async () => {
      await using bench = await createBench(config);
      await bench.until(bench.manager.group("g").start());
      return bench.clock;
    };
    await round();
    const before = resources();
    const clocks = await Promise.all(Array.from({ length: 20 }, round));
    expect(clocks.map((clock) => clock.pending)).toEqual(Array(20).fill(0));
    // The test runner's own timers come and go; twenty benches would leave twenty.
    await until(
      () => resources().length <= before.length,
      60_000,
      () => ({ before, after: resources() }),
    );
    expect(left()).toEqual([]);
  });

  it("can be garbage-collected once it is closed", async () => {
    const released: string[] = [];
    const registry = new FinalizationRegistry<string>((name) => released.push(name));
    const round = async () => {
      const bench = await createBench({ processes: { a: { command: "a" } } });
      registry.register(bench.manager, "manager");
      registry.register(bench.host, "host");
      await bench.until(bench.manager.process("a").start());
      await bench.close();
    };
    await round();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const collected = () => {
      collect();
      return released.length;
    };
    await expect.poll(collected, { timeout: 110_000 }).toBe(2);
  });
});
