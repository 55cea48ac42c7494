import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createManager } from "../../src/app/index.ts";
import { ConfigError } from "../../src/config/load.ts";
import type { HostLink } from "../../src/contract/host-link.ts";
import { StateRecorder } from "../../src/testing/index.ts";
import { processesWith, uniqueSeconds } from "../support/processes.ts";
import { ScriptedLink } from "./support/scripted-link.ts";

// A folder for temporary files that nobody else uses.
const temporary = mkdtempSync(join(tmpdir(), "mgr-test-"));
vi.stubEnv("TMPDIR", temporary);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});

function stateDirs(): string[] {
  return readdirSync(temporary);
}

const lasting = (seconds: string) => ({ command: ["sleep", seconds] });

describe("createManager", () => {
  it("runs processes and says what they do", async () => {
    await using manager = await createManager({ processes: { hello: { command: "echo hello; exit 0" }, "g/a": lasting(uniqueSeconds()) } });
    expect((await manager.process("g/a").start()).state).toBe("started");
    await manager.process("hello").start();
    await manager.process("hello").waitForOutput(/hel(lo)/);
    expect((await manager.snapshot()).processes.map(({ name }) => name)).toEqual(["hello", "g/a"]);
    expect(() => manager.process("nope")).toThrow(expect.objectContaining({ code: "not_found" }));
  });

  it("two at a time do not see each other", async () => {
    const seconds = [uniqueSeconds(), uniqueSeconds()] as const;
    await using first = await createManager({ processes: { a: lasting(seconds[0]) } });
    {
      await using second = await createManager({ processes: { a: lasting(seconds[1]) } });
      const [one, two] = await Promise.all([first.process("a").start(), second.process("a").start()]);
      expect(one.pid).not.toBe(two.pid);
      await second.process("a").restart();
      expect((await first.process("a").get()).pid).toBe(one.pid);
    }
    expect(processesWith(seconds[1])).toEqual([]);
    expect(processesWith(seconds[0])).toHaveLength(1);
    expect((await first.process("a").get()).state).toBe("started");
  });

  it("leaves nothing behind when the test throws", async () => {
    const seconds = uniqueSeconds();
    const before = stateDirs();
    const failing = async () => {
      await using manager = await createManager({
        processes: { a: { command: `setsid sleep ${seconds} & trap '' HUP TERM; exec sleep ${seconds}` } },
      });
      await manager.process("a").start();
      throw new Error("the test failed");
    };
    await expect(failing()).rejects.toThrow("the test failed");
    expect(processesWith(seconds)).toEqual([]);
    expect(stateDirs()).toEqual(before);
  });

  it("may be disposed of while processes start, and twice", async () => {
    const seconds = uniqueSeconds();
    const names = Array.from({ length: 5 }, (_, n) => `p${n}`);
    const manager = await createManager({
      processes: Object.fromEntries(names.map((name) => [name, { ...lasting(seconds), ready: { regex: "never" } }])),
    });
    const starts = names.map((name) => manager.process(name).start());
    const ends = Promise.allSettled(starts);
    await Promise.all([manager[Symbol.asyncDispose](), manager[Symbol.asyncDispose]()]);
    for (const end of await ends) expect(end).toMatchObject({ status: "rejected", reason: { code: "host_unavailable" } });
    expect(processesWith(seconds)).toEqual([]);
  });

  it("tells a bad configuration with every problem, and leaves no folder", async () => {
    const before = stateDirs();
    await expect(createManager({ processes: { a: { command: [], nonsense: 1 } } } as never)).rejects.toBeInstanceOf(ConfigError);
    expect(stateDirs()).toEqual(before);
  });

  it("closes the host and its folder when the host cannot be greeted", async () => {
    const before = stateDirs();
    const link = new ScriptedLink();
    let closed = 0;
    link.close = async () => {
      closed++;
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const refused = expect(createManager({ processes: {} }, { host: link satisfies HostLink })).rejects.toMatchObject({
        code: "timeout",
      });
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
      await vi.advanceTimersByTimeAsync(10_000);
      vi.useRealTimers();
      await refused;
    } finally {
      vi.useRealTimers();
    }
    expect(closed).toBe(1);
    expect(link.listeners.size).toBe(0);
    expect(stateDirs()).toEqual(before);
  });

  it("ends further connections along with itself", async () => {
    const manager = await createManager({ processes: { a: lasting(uniqueSeconds()) } });
    const focused = manager.connect({ kind: "single_process", name: "a" });
    expect((await focused.snapshot()).processes).toHaveLength(1);
    await manager[Symbol.asyncDispose]();
    await expect(focused.snapshot()).rejects.toMatchObject({ code: "host_unavailable" });
  });
});

describe("StateRecorder", () => {
  it("writes down every change in order, until it is disposed of", async () => {
    await using manager = await createManager({
      processes: { db: lasting(uniqueSeconds()), api: { ...lasting(uniqueSeconds()), depends_on: ["db"] } },
    });
    {
      using recorder = new StateRecorder(manager.client);
      await manager.process("api").start();
      await manager.process("db").stop();
      expect(recorder.lines).toEqual([
        "db: starting",
        "api: waiting",
        "db: starting → started",
        "api: waiting → starting",
        "api: starting → started",
        "api: started → stopping",
        "db: started → stopping",
        "api: stopping → stopped",
        "db: stopping → stopped",
      ]);
      recorder[Symbol.dispose]();
      await manager.process("db").start();
      expect(recorder.lines).toHaveLength(9);
    }
  });
});
