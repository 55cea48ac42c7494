import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLOSE_CODES } from "../../contract/closed-values.ts";
import { processesWith } from "../../support/processes.ts";
import type { Client } from "../support/client.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO, IGNORES_TERM, READY_WHEN_TYPED, sh, WITH_STRAYS } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const NAMES = ["shell", "ready", "ticker", "failed", "idle"];

/** Something in every state that lasts, and something that talks while nobody listens. */
const lasting: Configuration = {
  processes: {
    shell: { command: ECHO, autostart: true },
    ready: { command: READY_WHEN_TYPED, ready: { regex: "listening" }, autostart: true },
    ticker: { command: sh("i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.02; done"), autostart: true },
    failed: { command: sh("echo last words; exit 9"), autostart: true },
    idle: { command: ECHO },
  },
};

async function settled(instance: Instance): Promise<Client> {
  const client = await instance.connect();
  await eventually("everything is started", async () => (await client.process("shell")).state === "started");
  await eventually("ready can be typed to", async () => (await client.process("ready")).state !== "starting");
  if ((await client.process("ready")).state !== "ready") {
    await client.command({ type: "send_stdin", name: "ready", text: "go\n" });
    await eventually("ready is ready", async () => (await client.process("ready")).state === "ready");
  }
  await eventually("failed has failed", async () => (await client.process("failed")).state === "error");
  return client;
}

const processesOf = async (client: Client) =>
  Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await client.process(name)] as const)));
const backlog = async (client: Client, name: string) => String((await client.ask({ type: "get_process_output", name })).output);

function expectNoGap(ticks: string): void {
  const numbers = [...ticks.matchAll(/tick (\d+)\r\n/g)].map(([, number]) => Number(number));
  expect(numbers.length).toBeGreaterThan(3);
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
}

describe("kill -9 of the manager", () => {
  test("leaves every process running; the next mgr up shows the same pids, states and backlog", async () => {
    await using instance = new Instance(lasting);
    await instance.mgr("up", "--detach");
    const first = await settled(instance);
    await first.command({ type: "send_stdin", name: "shell", text: "before\n" });
    await eventually("the shell answers", async () => (await backlog(first, "shell")).includes("you typed before\r\n"));
    await eventually("it has ended its line", async () => (await backlog(first, "ready")).endsWith("listening\r\n"));
    const before = await processesOf(first);
    const texts = { shell: await backlog(first, "shell"), ready: await backlog(first, "ready"), failed: await backlog(first, "failed") };
    const earlier = await logEntries(first);
    const lastId = Math.max(...earlier.map(({ id }) => id));
    // What is not on the disk yet dies with the manager.
    await eventually("the log is written", () => instance.read("state/manager.log").includes(`"id":${lastId},`));
    const daemon = instance.pidOf("daemon");

    const manager = instance.kill("manager");
    await eventually("the manager is dead", () => !isAlive(manager));
    for (const name of ["shell", "ready", "ticker"]) expect(isAlive(before[name]?.pid ?? 0), `${name} lives on`).toBe(true);
    expect(isAlive(daemon ?? 0)).toBe(true);

    await instance.mgr("up", "--detach");
    expect(instance.pidOf("daemon")).toBe(daemon);
    expect(instance.pidOf("manager")).not.toBe(manager);
    const second = await instance.connect();
    await eventually("everything is adopted", async () => (await second.process("ready")).state === "ready");
    expect(await processesOf(second)).toEqual(before);
    expect(await backlog(second, "shell")).toBe(texts.shell);
    expect(await backlog(second, "ready")).toBe(texts.ready);
    expect(await backlog(second, "failed")).toBe(texts.failed);
    expectNoGap(await backlog(second, "ticker"));
    // The log goes on. They did not change: each has an entry that says what was found.
    const entries = await logEntries(second);
    expect(entries.filter(({ id }) => id <= lastId).map(({ msg }) => msg)).toEqual(earlier.map(({ msg }) => msg));
    const said = entries.flatMap(({ id, msg }) => (id > lastId ? [msg] : [])).join("\n");
    expect(said).not.toContain("changes state");
    expect(said).toContain(`process 'ready' adopted: pid ${before.ready?.pid}, state 'ready'`);
    expect(said).toContain("process 'failed' adopted: not running, state 'error'");

    // They are supervised as before: typing, live output, exits, stops.
    await second.command({ type: "subscribe_process_output", patterns: ["shell"] });
    await second.command({ type: "send_stdin", name: "shell", text: "after\n" });
    await second.untilOutput("shell", "you typed after");
    process.kill(before.ready?.pid ?? 0, "SIGKILL");
    expect((await second.untilState("ready", "error")).exit).toMatchObject({ signal: "SIGKILL" });

    await instance.mgr("down");
    expect(instance.living()).toEqual([]);
  });

  test("does not lose the ends of processes: the next manager reports them", async () => {
    await using instance = new Instance({
      processes: {
        ends: { command: ECHO, autostart: true },
        "comes back": { command: ECHO, restart: { policy: "on-failure", delay: "20ms" }, autostart: true },
      },
    });
    await instance.mgr("up", "--detach");
    const first = await instance.connect();
    await eventually(
      "both run",
      async () => (await first.process("ends")).pid !== null && (await first.process("comes back")).pid !== null,
    );
    const pids = { ends: (await first.process("ends")).pid ?? 0, back: (await first.process("comes back")).pid ?? 0 };
    const manager = instance.kill("manager");
    await eventually("the manager is dead", () => !isAlive(manager));
    process.kill(pids.ends, "SIGKILL");
    process.kill(pids.back, "SIGKILL");
    await eventually("both are dead", () => !isAlive(pids.ends) && !isAlive(pids.back));

    await instance.mgr("up", "--detach");
    const second = await instance.connect();
    await eventually("one is in error", async () => (await second.process("ends")).state === "error");
    expect((await second.process("ends")).exit).toMatchObject({ code: null, signal: "SIGKILL" });
    await eventually("the other is back", async () => (await second.process("comes back")).state === "started");
    expect((await second.process("comes back")).pid).not.toBe(pids.back);
  });
});

describe("kill -9 of the daemon", () => {
  const withStrays: Configuration = {
    defaults: { stop: { timeout: "100ms" } },
    processes: {
      strays: { command: WITH_STRAYS, autostart: true },
      stubborn: { command: IGNORES_TERM, autostart: true },
      plain: { command: ECHO, autostart: true },
      "comes back": { command: ECHO, restart: { policy: "always", delay: "20ms" }, autostart: true },
    },
  };
  const running = async (instance: Instance): Promise<Client> => {
    const client = await instance.connect();
    await eventually("the strays have strayed", async () => (await backlog(client, "strays")).includes("strayed"));
    await eventually("the strays run", () => instance.living().filter(({ command }) => /sleep 100[1-4]$/.test(command)).length >= 4);
    await eventually("the rest runs", async () => (await client.process("comes back")).state === "started");
    return client;
  };

  test("leaves none of its processes alive after 5 s; the manager detects it, and starts processes by their policy under a new one", async () => {
    await using instance = new Instance(withStrays);
    await instance.mgr("up", "--detach");
    const client = await running(instance);
    const manager = instance.pidOf("manager");
    const before = instance.living().filter(({ pid }) => pid !== manager);
    const { pid } = await client.process("comes back");
    const start = client.here;
    const daemon = instance.kill("daemon");
    const left = () => {
      const now = new Set(instance.living().map(({ pid }) => pid));
      return before.filter(({ pid }) => now.has(pid));
    };
    await eventually("nothing of it is alive", () => left().length === 0).catch((error: Error) => {
      throw new Error(`${error.message}; alive: ${JSON.stringify(left())}`);
    });

    for (const name of ["strays", "stubborn", "plain"]) {
      const failed = await client.untilState(name, "error", start);
      expect(failed).toMatchObject({ pid: null, requested_state: "start" });
      expect(failed.exit?.reason).toContain("daemon died");
    }
    const isReady = (ready: boolean) => (frame: { type: string; [field: string]: unknown }) =>
      frame.type === "host_upsert" && (frame.host as { daemon_ready: boolean }).daemon_ready === ready;
    await client.until("the host is lost", isReady(false), start);
    await client.until("the host is back", isReady(true), start);
    const back = await eventually("it came back", async () => {
      const process = await client.process("comes back");
      return process.state === "started" && process.pid !== pid ? process : null;
    });
    expect(isAlive(back.pid ?? 0)).toBe(true);
    expect(instance.pidOf("daemon")).not.toBe(daemon);
    await instance.mgr("down");
    expect(instance.living()).toEqual([]);
  });

  test("and of the manager with it leaves nothing alive after 5 s", async () => {
    await using instance = new Instance(withStrays);
    await instance.mgr("up", "--detach");
    await running(instance);
    instance.kill("manager");
    instance.kill("daemon");
    await instance.untilExtinct();
    // And what comes next starts afresh.
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    await eventually("it runs again", async () => (await client.process("plain")).state === "started");
    await instance.mgr("down");
    expect(instance.living()).toEqual([]);
  });

  test("and of its guard and the manager: 'mgr down' kills what they left, and names it", async () => {
    const command = sh("trap '' HUP TERM; while :; do sleep 1; done");
    await using instance = new Instance({ processes: { plain: { command, autostart: true } } });
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    const { pid } = await eventually("it runs", async () => {
      const plain = await client.process("plain");
      return plain.state === "started" ? plain : null;
    });
    const { stream_id: marker } = JSON.parse(readFileSync(join(instance.stateDir, "daemon.json"), "utf8")) as { stream_id: string };
    instance.kill("manager");
    // It must not see its guard's death.
    const daemon = instance.kill("daemon", "SIGSTOP");
    for (const guard of processesWith(marker)) process.kill(guard, "SIGKILL");
    process.kill(daemon, "SIGKILL");
    await eventually("they are gone", () => instance.pidOf("daemon") === null);
    const { stdout, stderr } = await instance.mgr("down");
    expect(stderr).toContain(`(pid ${pid})`);
    expect(stdout).toContain("e2e is not running");
    expect(instance.living()).toEqual([]);
  });

  test("a daemon that hangs loses no process: the manager reports that the host is lost, and then that it is back", async () => {
    await using instance = await Instance.up({ processes: { plain: { command: ECHO, autostart: true } } });
    const client = await instance.connect();
    await eventually("it runs", async () => (await client.process("plain")).state === "started");
    const before = await client.process("plain");
    const daemon = instance.kill("daemon", "SIGSTOP");
    const start = client.here;
    const away = await client.until(
      "host_ready is false",
      ({ type, process }) => type === "process_upsert" && !(process as { host_ready: boolean }).host_ready,
      start,
    );
    expect(away.process).toMatchObject({ name: "plain", state: "started", pid: before.pid });
    expect(await client.ask({ type: "start_process", name: "plain" })).toMatchObject({ type: "error", code: "host_unavailable" });
    process.kill(daemon, "SIGCONT");
    await client.until(
      "host_ready is true again",
      ({ type, process }) => type === "process_upsert" && (process as { host_ready: boolean }).host_ready,
      client.frames.indexOf(away),
    );
    await eventually("it is as before", async () => JSON.stringify(await client.process("plain")) === JSON.stringify(before));
    expect(isAlive(before.pid ?? 0)).toBe(true);
  });
});

describe("mgr up", () => {
  test("twice at once: one wins, the other names it and ends with exit code 1", async () => {
    await using instance = new Instance({ processes: { plain: { command: ECHO, autostart: true } } });
    const both = [instance.start("up", "-c", instance.config), instance.start("up", "-c", instance.config)];
    const loser = await Promise.race(both.map(async (one) => ({ one, outcome: await one.ended })));
    const winner = both.find((one) => one !== loser.one);
    await winner?.up();
    expect(loser.outcome.code).toBe(1);
    expect(loser.outcome.stderr).toContain(`pid ${winner?.child.pid}`);
    expect(loser.outcome.stderr).not.toContain("    at ");
    expect(instance.pidOf("manager")).toBe(winner?.child.pid);

    // Where one runs already, with the same file, there is nothing left to do.
    const late = await instance.run("up", "--detach", "-c", instance.config);
    expect(late).toMatchObject({ code: 0 });
    expect(late.stdout).toBe("e2e is already running\n");
    expect(instance.pidOf("manager")).toBe(winner?.child.pid);
    const client = await instance.connect();
    await eventually("it runs", async () => (await client.process("plain")).state === "started");
  });

  test("in the foreground stops everything in reverse order on SIGINT, and leaves nothing", async () => {
    await using instance = await Instance.up({
      processes: {
        db: { command: READY_WHEN_TYPED, autostart: true },
        api: { command: ECHO, depends_on: ["db"], autostart: true },
        web: { command: ECHO, depends_on: ["api"], autostart: true },
        strays: { command: WITH_STRAYS, stop: { timeout: "100ms" }, autostart: true },
      },
    });
    const client = await instance.connect();
    await eventually("web runs", async () => (await client.process("web")).state === "started");
    await eventually("the strays run", () => instance.living().some(({ command }) => command.endsWith("sleep 1003")));
    const start = client.here;
    instance.foreground.child.kill("SIGINT");
    const { code, stdout } = await instance.foreground.ended;
    expect(code).toBe(0);
    expect(await client.closed).toMatchObject({ code: CLOSE_CODES["manager shutting down"] });
    const stopped = [
      ...new Set(
        client.frames.slice(start).flatMap(({ type, process }) => {
          const view = process as { name: string; state: string } | undefined;
          return type === "process_upsert" && view?.state === "stopped" ? [view.name] : [];
        }),
      ),
    ];
    expect(stopped.filter((name) => name !== "strays")).toEqual(["web", "api", "db"]);
    expect(stdout).toContain("process 'db' changes state from 'stopping' to 'stopped'");
    expect(instance.living()).toEqual([]);
  });

  test("in the foreground ends at once on a second signal", async () => {
    await using instance = await Instance.up({
      processes: { stubborn: { command: IGNORES_TERM, stop: { timeout: "10m" }, autostart: true } },
    });
    const client = await instance.connect();
    await eventually("it ignores SIGTERM", async () => (await backlog(client, "stubborn")).includes("trapped"));
    const start = client.here;
    instance.foreground.child.kill("SIGINT");
    await client.untilState("stubborn", "stopping", start);
    instance.foreground.child.kill("SIGINT");
    await instance.foreground.ended;
    await instance.untilExtinct();
  });

  test("--keep leaves everything running on SIGINT; the next one adopts it, and Ctrl-C keeps the requested states", async () => {
    await using instance = await Instance.up(
      {
        processes: {
          kept: { command: ECHO, autostart: true },
          "stopped by a user": { command: ECHO, autostart: true },
          "started by a user": { command: ECHO },
        },
      },
      "--keep",
    );
    const client = await instance.connect();
    await eventually("it runs", async () => (await client.process("kept")).state === "started");
    await client.command({ type: "stop_process", name: "stopped by a user" });
    await client.command({ type: "start_process", name: "started by a user" });
    await eventually("the other runs", async () => (await client.process("started by a user")).state === "started");
    await eventually("the third is stopped", async () => (await client.process("stopped by a user")).state === "stopped");
    const { pid } = await client.process("kept");
    instance.foreground.child.kill("SIGINT");
    expect((await instance.foreground.ended).code).toBe(0);
    expect(isAlive(pid ?? 0)).toBe(true);

    const second = instance.start("up", "-c", instance.config);
    await second.up();
    const again = await instance.connect();
    await eventually("it is adopted", async () => (await again.process("kept")).pid === pid);
    second.child.kill("SIGINT");
    expect((await second.ended).code).toBe(0);
    expect(instance.living()).toEqual([]);

    // Ctrl-C is no wish to have them stopped: they come back, and what a user stopped does not.
    await instance.mgr("up", "--detach");
    const third = await instance.connect();
    await eventually("what ran runs", async () => (await third.process("kept")).state === "started");
    await eventually("what a user started runs", async () => (await third.process("started by a user")).state === "started");
    expect(await third.process("stopped by a user")).toMatchObject({ state: "stopped", requested_state: "stop" });
    await instance.mgr("down");
  });

  test("NAME… and --all start more than the processes with autostart", async () => {
    const processes = { "a/one": { command: ECHO }, "a/two": { command: ECHO }, b: { command: ECHO } };
    await using instance = await Instance.up({ processes }, "a");
    const client = await instance.connect();
    await eventually(
      "the group runs",
      async () => (await client.process("a/one")).state === "started" && (await client.process("a/two")).state === "started",
    );
    expect((await client.process("b")).state).toBe("stopped");
    const unknown = new Instance({ processes });
    try {
      const outcome = await unknown.run("up", "-c", unknown.config, "no such");
      expect(outcome).toMatchObject({ code: 3 });
      expect(outcome.stderr).toContain("no such");
    } finally {
      await unknown[Symbol.asyncDispose]();
    }
  });
});

describe("mgr down", () => {
  test("where nothing runs is success", async () => {
    await using instance = new Instance(lasting);
    expect(await instance.run("down", "-c", instance.config)).toMatchObject({ code: 0, stderr: "" });
  });

  test("without a manager ends the daemon, which stops everything in reverse order", async () => {
    const note = (name: string) => sh(`trap 'echo ${name} >> order; exit 0' TERM; echo trapped; while :; do sleep 0.02; done`);
    await using instance = new Instance({
      processes: {
        db: { command: note("db"), autostart: true },
        api: { command: note("api"), depends_on: ["db"], autostart: true },
        web: { command: note("web"), depends_on: ["api"], autostart: true },
      },
    });
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    for (const name of ["db", "api", "web"])
      await eventually(`${name} has its trap`, async () => (await backlog(client, name)).includes("trapped"));
    const manager = instance.kill("manager");
    await eventually("the manager is dead", () => !isAlive(manager));
    await instance.mgr("down");
    expect(instance.living()).toEqual([]);
    expect(instance.read("order")).toBe("web\napi\ndb\n");
  });
});

async function logEntries(client: Client): Promise<{ id: number; msg: string }[]> {
  const { entries } = await client.ask({ type: "request_logs" });
  return entries as { id: number; msg: string }[];
}
