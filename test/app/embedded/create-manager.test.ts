import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as nats } from "@nats-io/transport-node";
import type { Observable } from "rxjs";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ConfigError, createManager, type EmbeddedManager } from "../../../src/app/index.ts";
import { connect } from "../../../src/client/index.ts";
import type { HostLink } from "../../../src/contract/host-link.ts";
import { Recorder } from "../../../src/testing/index.ts";
import { freePort } from "../../support/free-port.ts";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { ScriptedLink } from "../support/scripted-link.ts";

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
  it("runs processes and reports their states", async () => {
    await using manager = await createManager({ processes: { hello: { command: "echo hello; exit 0" }, "g/a": lasting(uniqueSeconds()) } });
    expect((await manager.process("g/a").start()).state).toBe("started");
    await manager.process("hello").start();
    await manager.process("hello").waitForOutput(/hel(lo)/);
    expect((await manager.snapshot()).processes.map(({ name }) => name)).toEqual(["hello", "g/a"]);
    expect(() => manager.process("nope")).toThrow(expect.objectContaining({ code: "not_found" }));
  });

  it("continues the log and the run history of the manager before", async () => {
    const stateDir = mkdtempSync(join(temporary, "goes-on-"));
    const config = { processes: { job: { command: "exit 3" } } };
    const history = async (manager: EmbeddedManager) => {
      const detail = await manager.client.request({ type: "request_process_detail", name: "job" });
      return detail.type === "process_detail" && detail.ok ? detail.history : [];
    };
    {
      await using first = await createManager(config, { stateDir });
      await first.process("job").start();
      await first.process("job").waitFor("error");
      expect(await history(first)).toHaveLength(1);
    }
    // It was requested to run, so the next manager starts it.
    await using second = await createManager(config, { stateDir });
    await second.process("job").waitFor("error");
    expect((await history(second)).map(({ code }) => code)).toEqual([3, 3]);
    const entries = async () => {
      const answer = await second.client.request({ type: "request_logs" });
      return answer.type === "log_batch" ? answer.entries : [];
    };
    expect((await entries()).map(({ change }) => change)).toEqual(
      expect.arrayContaining([{ process: "job", from: "started", to: "error", by: null, reason: "exited with code 3" }]),
    );
    const ids = (await entries()).map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it("creates two managers that do not affect each other", async () => {
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

  it("reports every problem of a bad configuration, and creates no folder", async () => {
    const before = stateDirs();
    await expect(createManager({ processes: { a: { command: [], nonsense: 1 } } } as never)).rejects.toBeInstanceOf(ConfigError);
    expect(stateDirs()).toEqual(before);
  });

  it.each([
    [undefined, {}, "createManager takes a configuration object or the path of a file; found undefined"],
    [null, {}, "found null"],
    [3, {}, "found 3"],
    [{}, { listn: true }, "createManager has no option 'listn'; did you mean 'listen'?"],
    [{}, { onLog: "x" }, "the option 'onLog' of createManager must be a function, found 'x'"],
    [{}, { listen: 8130 }, "'listen' of createManager must be true, false or an address '[HOST]:PORT', found 8130"],
    [{}, { clock: {} }, "'clock' of createManager must be an object with now, monotonic"],
    [{}, null, "the options of createManager must be an object, found null"],
  ])("refuses %j with %j and names what is wrong", async (config, options, message) => {
    await expect(createManager(config as never, options as never)).rejects.toMatchObject({
      code: "bad_field",
      message: expect.stringContaining(message),
    });
  });

  it("continues if a listener throws; the error is the listener's", async () => {
    const uncaught: string[] = [];
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", (error) => uncaught.push(error.message));
    let thrown = 0;
    const failing = (what: string) => () => {
      thrown++;
      throw new Error(what);
    };
    try {
      await using manager = await createManager(
        { processes: { a: lasting(uniqueSeconds()) } },
        { inspect: failing("inspect"), onLog: failing("onLog") },
      );
      manager.frames$.subscribe(failing("frames$"));
      manager.log$.subscribe(failing("log$"));
      manager.process("a").output$.subscribe(failing("output$"));
      expect((await manager.process("a").start()).state).toBe("started");
      await manager.process("a").stop();
    } finally {
      // Errors are reported in later turns: each one that was thrown must have come before other handlers are back.
      await vi.waitFor(() => expect(uncaught).toHaveLength(thrown), 110_000);
      process.removeAllListeners("uncaughtException");
      for (const listener of others) process.on("uncaughtException", listener);
    }
    expect(new Set(uncaught)).toEqual(new Set(["inspect", "onLog", "frames$", "log$"]));
  });

  it.each(["frames$", "events$", "log$"] as const)("may be disposed of from within a listener of %s", async (which) => {
    const seconds = uniqueSeconds();
    const manager = await createManager({ processes: { a: lasting(seconds), b: { ...lasting(seconds), depends_on: ["a"] } } });
    let closing: Promise<void> | undefined;
    const heard: Observable<unknown> = manager[which];
    heard.subscribe(() => {
      closing ??= manager.close();
    });
    await expect(manager.process("b").start()).rejects.toMatchObject({
      code: "host_unavailable",
      message: expect.stringContaining("this manager has been disposed"),
    });
    await closing;
    expect(processesWith(seconds)).toEqual([]);
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
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), 110_000);
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

  it("closes further connections when it is disposed of", async () => {
    const manager = await createManager({ processes: { a: lasting(uniqueSeconds()) } });
    const focused = manager.connect({ single_process: "a" });
    expect((await focused.snapshot()).processes).toHaveLength(1);
    await manager[Symbol.asyncDispose]();
    await expect(focused.snapshot()).rejects.toMatchObject({ code: "host_unavailable" });
  });
});

describe("a manager without options", () => {
  it("creates no file and no folder, and listens on no socket", async () => {
    const before = stateDirs();
    const listening = () => process.getActiveResourcesInfo().filter((name) => /Server|Pipe.*Wrap/.test(name) && name.includes("Server"));
    const serversBefore = listening();
    await using manager = await createManager({ processes: { a: lasting(uniqueSeconds()) } });
    await manager.process("a").start();
    expect(manager.port).toBeNull();
    expect(stateDirs()).toEqual(before);
    expect(listening()).toEqual(serversBefore);
  });
});

describe("an embedded manager", () => {
  it("has handles of groups and hosts, and throws for unknown names", async () => {
    await using manager = await createManager({
      processes: {
        "g/a": lasting(uniqueSeconds()),
        "g/b": { ...lasting(uniqueSeconds()), depends_on: ["g/a"] },
        c: lasting(uniqueSeconds()),
      },
    });
    const states = (await manager.group("g").start()).map(({ name, state }) => `${name} ${state}`);
    expect(states).toEqual(["g/a started", "g/b started"]);
    expect(await manager.group("g").get()).toMatchObject({ type: "group", state: "started" });
    expect((await manager.host().processes()).map(({ name }) => name)).toEqual(["g/a", "g/b", "c"]);
    expect(await manager.host("localhost").waitUntilReady()).toMatchObject({ daemon_ready: true });
    await manager.group("g").stop();
    expect(await manager.group("g").get()).toMatchObject({ state: "stopped" });
    for (const missing of [
      () => manager.group("c"),
      () => manager.group("x"),
      () => manager.host("x"),
      () => manager.connect({ single_group: "x" }),
    ])
      expect(missing).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(() => manager.connect({ single_process: "" })).toThrow(expect.objectContaining({ code: "bad_field" }));
    expect(() => manager.connect({ single_proces: "c" } as never)).toThrow(expect.objectContaining({ code: "bad_field" }));
    expect(() => manager.connect({ single_process: "c", single_group: "g" } as never)).toThrow(
      expect.objectContaining({ code: "bad_field" }),
    );
  });

  it("passes frames both ways, and distinguishes events from answers", async () => {
    await using manager = await createManager({ processes: { a: lasting(uniqueSeconds()) } });
    const events: string[] = [];
    manager.events$.subscribe((frame) => events.push(frame.type));
    const started = manager.process("a").waitFor("started");
    expect(manager.send({ type: "start_process", name: "a" })).toBe(true);
    await started;
    expect(events).toContain("process_upsert");
    await expect.poll(() => events).toContain("log_batch");
    expect(events).not.toContain("snapshot");
    const answer = await manager.request({ type: "get_process_output", name: "a", lines: 1 });
    expect(answer.output).toBe("");
  });

  it("shows its actors", async () => {
    const seen = new Set<string>();
    await using manager = await createManager(
      { processes: { "g/a": lasting(uniqueSeconds()) } },
      { inspect: (event) => void seen.add(event.type) },
    );
    await manager.process("g/a").start();
    expect(manager.actor("process", "g/a").getSnapshot().matches("started")).toBe(true);
    expect(manager.actor("group", "g").getSnapshot().matches("idle")).toBe(true);
    expect(() => manager.actor("process", "x")).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(() => manager.actor("proces" as never, "x")).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(seen).toContain("@xstate.event");
  });

  it("applies another configuration while it runs; a bad one changes nothing", async () => {
    const config = { a: lasting(uniqueSeconds()), b: lasting(uniqueSeconds()) };
    await using manager = await createManager({ processes: config });
    const { pid } = await manager.process("a").start();
    const changes = await Promise.all([
      manager.reload({ processes: { ...config, c: lasting(uniqueSeconds()) } }),
      manager.reload({ processes: { a: config.a } }),
    ]);
    expect(changes).toMatchObject([{ added: ["c"] }, { removed: ["b", "c"] }]);
    await expect(manager.reload({ processes: { a: { command: [] } } })).rejects.toMatchObject({ code: "bad_field" });
    await expect(manager.reload()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("from a program") });
    expect((await manager.process("a").get()).pid).toBe(pid);
  });

  it("stops everything in reverse order on request", async () => {
    await using manager = await createManager({
      processes: { db: lasting(uniqueSeconds()), api: { ...lasting(uniqueSeconds()), depends_on: ["db"] } },
    });
    await manager.process("api").start();
    using recorder = new Recorder(manager.client);
    await manager.stopAll();
    await manager.snapshot();
    expect(recorder.lines.filter((line) => line.endsWith("stopped"))).toEqual(["api: stopping → stopped", "db: stopping → stopped"]);
  });
});

describe("connect", () => {
  it.each([[{ single_process: "g/a" } as const], [{ single_group: "g" } as const], [{ log_only: true } as const], [undefined]])(
    "%j gives the very frames of the WebSocket",
    async (view) => {
      const echo = { command: "echo ready; while read word; do echo got $word; done" };
      await using manager = await createManager({ processes: { "g/a": echo, "g/b": echo, c: echo } }, { listen: true });
      const { url = "", login } = manager.port ?? {};
      const own = manager.connect(view);
      await using remote = await connect(url, { ...login, ...(view ? { view } : {}) });
      // Several events may come in one frame here and in two there: what counts is every event, in order.
      const heard = [own, remote].map((client) => {
        const events: string[] = [];
        client.frames$.subscribe((frame) => {
          if (frame.type === "log_batch") for (const entry of frame.entries) events.push(JSON.stringify(entry));
          else if (frame.type === "process_output") events.push(`${frame.name} until ${frame.offset}`);
          else events.push(JSON.stringify(frame));
        });
        return events;
      });
      const outputs = [new Map<string, string>(), new Map<string, string>()];
      for (const [index, client] of [own, remote].entries()) {
        client.frames$.subscribe((frame) => {
          if (frame.type === "process_output") outputs[index]?.set(frame.name, (outputs[index]?.get(frame.name) ?? "") + frame.output);
        });
      }
      const focused = view !== undefined;
      for (const client of [own, remote]) {
        const { webui_asset_hash: _, web_x_display: __, ...snapshot } = await client.snapshot();
        expect(snapshot.processes.map(({ name }) => name)).toEqual(
          view === undefined ? ["g/a", "g/b", "c"] : "log_only" in view ? [] : "single_group" in view ? ["g/a", "g/b"] : ["g/a"],
        );
        if (focused) await expect(client.request({ type: "request_plan" })).rejects.toMatchObject({ code: "out_of_scope" });
      }
      for (const name of ["g/a", "g/b", "c"]) {
        await manager.process(name).start();
        await manager.process(name).write("word\n");
        await manager.process(name).waitForOutput(/got word/);
        await manager.process(name).stop();
      }
      // Answered after everything before it.
      const done = await Promise.all([own, remote].map((client) => client.snapshot()));
      expect(done[0]?.processes).toEqual(done[1]?.processes);
      const [first = [], second = []] = heard.map((events) => events.filter((event) => !/"type":"(snapshot|error)"| until /.test(event)));
      expect(first.length).toBeGreaterThan(0);
      expect(second.toSorted()).toEqual(first.toSorted());
      const text = (log: string[]) => log.filter((event) => event.includes("process_upsert"));
      expect(text(second)).toEqual(text(first));
      await expect.poll(() => outputs[1]).toEqual(outputs[0]);
      expect([...(outputs[0]?.keys() ?? [])]).toEqual(
        view === undefined || "log_only" in view ? [] : "single_group" in view ? ["g/a", "g/b"] : ["g/a"],
      );
    },
  );
});

describe("listen", () => {
  const config = { processes: { a: lasting(uniqueSeconds()) } };

  it("opens the one port with a login of its own, which is removed with it", async () => {
    const before = stateDirs();
    const manager = await createManager(config, { listen: true });
    const { url, login } = manager.port ?? {};
    if (!url || !login) throw new Error("no port");
    await expect(connect(url, { user: "embedded", password: "wrong" })).rejects.toMatchObject({ code: "forbidden" });
    const remote = await connect(url, { ...login, retry: false });
    expect((await remote.process("a").start()).pid).toBe((await manager.process("a").get()).pid);
    const [folder = ""] = stateDirs().filter((name) => !before.includes(name));
    expect(statSync(join(temporary, folder)).mode & 0o77).toBe(0);
    const waiting = expect(remote.process("a").waitFor("error")).rejects.toMatchObject({ code: "host_unavailable" });
    await manager.close();
    await waiting;
    expect(stateDirs()).toEqual(before);
    await expect(connect(url, login)).rejects.toMatchObject({ code: "host_unavailable" });
  });

  it("takes an address, and the auth file of the configuration", async () => {
    const authFile = join(temporary, "keys");
    writeFileSync(authFile, "ada secret\n", { mode: 0o600 });
    await using manager = await createManager({ instance: { webui_auth_file: authFile }, ...config }, { listen: "127.0.0.1:0" });
    expect(manager.port?.login).toBeNull();
    await using remote = await connect(manager.port?.url ?? "", { user: "ada", password: "secret" });
    expect((await remote.snapshot()).processes).toHaveLength(1);
    const { port } = new URL(manager.port?.url ?? "");
    await expect(createManager(config, { listen: `127.0.0.1:${port}` })).rejects.toMatchObject({ code: "conflict" });
    await expect(createManager(config, { listen: "nonsense" })).rejects.toMatchObject({ code: "bad_field" });
    rmSync(authFile);
  });

  it("a client elsewhere continues with the next manager at the address: waits, output, and removed processes", async () => {
    const authFile = join(temporary, "keys");
    writeFileSync(authFile, "ada secret\n", { mode: 0o600 });
    const echo = { command: "echo up; while read word; do echo got $word; done" };
    const settings = { instance: { webui_auth_file: authFile } };
    // Not a port that the kernel may give to another program between the two managers.
    const first = await createManager({ ...settings, processes: { a: echo, gone: echo } }, { listen: `127.0.0.1:${freePort()}` });
    const { url = "" } = first.port ?? {};
    await using client = await connect(url, { user: "ada", password: "secret", retry: { first: 20, max: 50 } });
    let output = "";
    client.process("a").output$.subscribe((text) => {
      output += text;
    });
    await client.process("gone").get();
    const started = client.process("a").waitFor("started");
    const printed = client.process("a").waitForOutput(/got something/);
    const gone = expect(client.process("gone").waitFor("started")).rejects.toMatchObject({ code: "not_found" });
    const states: string[] = [];
    client.link.state$.subscribe(({ kind }) => states.push(kind));
    await first.close();
    await vi.waitFor(() => expect(states).toContain("waiting"), 110_000);
    await expect(client.snapshot()).rejects.toMatchObject({ code: "host_unavailable" });

    await using second = await createManager({ ...settings, processes: { a: echo } }, { listen: new URL(url).host });
    await gone;
    await second.process("a").start();
    expect((await started).state).toBe("started");
    await second.process("a").write("something\n");
    await printed;
    await vi.waitFor(() => expect(output).toContain("got something"), 110_000);
    rmSync(authFile);
  });

  it("removes logins that killed programs left behind", async () => {
    const left = join(temporary, "mgr-embedded-1-999999999999-abcdef");
    mkdirSync(left);
    await using _ = await createManager(config, { listen: true });
    expect(existsSync(left)).toBe(false);
  });
});

describe("bus", () => {
  // This library wants the token beside the address.
  const dial = (url: string) => nats({ servers: new URL(url).host, token: new URL(url).username });

  it("is open for processes and for this program on request, without a file, and closes with the manager", async () => {
    const before = stateDirs();
    const manager = await createManager({ processes: { asks: { command: "echo bus=$MGR_BUS_URL; exec sleep 86400" } } }, { bus: true });
    await manager.process("asks").start();
    const [, url = ""] = await manager.process("asks").waitForOutput(/bus=(nats:\/\/\S+)\s/);
    const { busUrl } = manager;
    if (busUrl === null) throw new Error("no bus");
    expect(stateDirs()).toEqual(before);
    const [one, other] = await Promise.all([dial(url), dial(busUrl)]);
    const heard = new Promise<string>((resolve) => one.subscribe("greeting", { callback: (_, message) => resolve(message.string()) }));
    await one.flush();
    other.publish("greeting", "hello");
    expect(await heard).toBe("hello");
    const ends = Promise.all([one.closed(), other.closed()]);
    await manager.close();
    await Promise.all([one.close(), other.close(), ends]);
  });

  it("is closed by default", async () => {
    await using manager = await createManager({ processes: { asks: { command: "echo bus=$MGR_BUS_URL." } } });
    await manager.process("asks").start();
    await manager.process("asks").waitForOutput(/bus=\./);
    expect(manager.busUrl).toBeNull();
  });
});

describe("stateDir", () => {
  it("keeps requested states and the log over restarts, for one manager at a time", async () => {
    const stateDir = join(temporary, "kept/state");
    const config = { processes: { a: lasting(uniqueSeconds()), b: { ...lasting(uniqueSeconds()), autostart: true } } };
    const first = await createManager(config, { stateDir });
    await first.process("a").start();
    await first.process("b").stop();
    await expect(createManager(config, { stateDir })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(stateDir),
    });
    await first.close();
    const ids: number[] = [];
    await using second = await createManager(config, { stateDir, onLog: ({ id }) => ids.push(id) });
    expect((await second.process("a").waitFor("started")).requested_state).toBe("start");
    expect((await second.process("b").get()).state).toBe("stopped");
    await second.close();
    const logged = readFileSync(join(stateDir, "manager.log"), "utf8").trim().split("\n");
    const written = logged.map((line) => (JSON.parse(line) as { id: number }).id);
    expect(written.indexOf(ids[0] ?? 0)).toBeGreaterThan(0);
    rmSync(join(temporary, "kept"), { recursive: true });
  });
});

describe("Recorder", () => {
  it("records every change in order, until it is disposed of", async () => {
    await using manager = await createManager({
      processes: { db: lasting(uniqueSeconds()), api: { ...lasting(uniqueSeconds()), depends_on: ["db"] } },
    });
    {
      using recorder = new Recorder(manager.client);
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
