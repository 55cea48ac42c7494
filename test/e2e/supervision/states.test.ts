import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { stateWord } from "../../../src/protocol/process/process-state.ts";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { isAlive } from "../support/marked.ts";
import { ECHO, EXIT_AS_TYPED, IGNORES_TERM, READY_WHEN_TYPED, STOPS_WHEN_TYPED, sh, WITH_STRAYS } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

// The visible rows of both state tables, on real processes (docs/design/wire-rules.md, "States and transitions").

const listening = { regex: "listening" };
const quick = { delay: "20ms", factor: 1 };
/** Long enough to be looked at. */
const slow = { delay: "60s" };

let instance: Instance;
let client: Client;
let start: number;

beforeAll(async () => {
  instance = await Instance.up({
    processes: {
      plain: { command: ECHO },
      hasty: { command: ECHO },
      readies: { command: READY_WHEN_TYPED, ready: listening },
      "readies after a time": { command: ECHO, ready: { time: "50ms" } },
      "never ready": { command: ECHO, ready: listening, ready_timeout: "150ms" },
      "never ready, retried": { command: ECHO, ready: listening, ready_timeout: "150ms", restart: { policy: "on-failure", ...slow } },
      exits: { command: EXIT_AS_TYPED, success_exit_codes: [0, 7] },
      "exits, always restarted": { command: EXIT_AS_TYPED, restart: { policy: "always", ...quick } },
      "exits, restarted on failure": { command: EXIT_AS_TYPED, restart: { policy: "on-failure", ...slow } },
      loops: { command: "false", restart: { policy: "on-failure", ...quick, max_restarts: 3 } },
      "no such program": { command: "./no-such-program --at-all" },
      "no such folder": { command: "true", cwd: "./no-such-folder" },
      "not executable": { command: "./mgr.yaml" },
      "slow to stop": { command: STOPS_WHEN_TYPED, stop: { timeout: "60s" } },
      stubborn: { command: IGNORES_TERM, stop: { timeout: "150ms" } },
      strays: { command: WITH_STRAYS, stop: { timeout: "150ms" } },
      interrupted: { command: sh('trap "exit 5" INT; echo trapped; while :; do sleep 0.02; done'), stop: { signal: "SIGINT" } },

      "chain/db": { command: READY_WHEN_TYPED, ready: listening },
      "chain/api": { command: ECHO, depends_on: ["chain/db"] },
      "chain/web": { command: ECHO, depends_on: { "chain/api": { condition: "started" } } },
      "failing/db": { command: EXIT_AS_TYPED, ready: listening },
      "failing/api": { command: ECHO, depends_on: ["failing/db"] },
      "halted/db": { command: READY_WHEN_TYPED, ready: listening },
      "halted/api": { command: ECHO, depends_on: ["halted/db"] },
      "halted/kept": { command: ECHO, depends_on: { "halted/db": { on_stop: "keep" } } },
      "job/fill": { command: EXIT_AS_TYPED },
      "job/worker": { command: ECHO, depends_on: { "job/fill": { condition: "completed" } } },
      "group/one": { command: ECHO },
      "group/inner/two": { command: ECHO },
    },
  });
  client = await instance.connect();
  await client.command({ type: "subscribe_process_output", patterns: ["*"] });
});
afterAll(() => instance?.[Symbol.asyncDispose]());
beforeEach(() => {
  start = client.here;
});

const command = (type: string, name: string) => client.command({ type, name });
const type = (name: string, text: string) => client.command({ type: "send_stdin", name, text: `${text}\n` });

/** Waits until `name` has gone through `states`, from `first` on: one upsert and one log entry a change, and nothing else. */
async function journey(name: string, first: string, states: string[]): Promise<void> {
  await eventually(
    `'${name}' goes ${states.join(", ")}`,
    () => JSON.stringify(client.states(name, start).filter((state, i) => i > 0 || state !== first)) === JSON.stringify(states),
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it went ${client.states(name, start).join(", ")}`);
  });
  const words = [first, ...states].map(stateWord);
  const said = words.slice(1).map((word, i) => `process '${name}' changes state from '${words[i]}' to '${word}'`);
  await client.untilLogged(said.at(-1) ?? "", start);
  expect(client.logged(start).filter((msg) => msg.startsWith(`process '${name}' changes state`))).toEqual(said);
}

describe("a requested start", () => {
  test("changes from stopped over starting to started, with pid and start time", async () => {
    await command("start_process", "plain");
    await journey("plain", "stopped", ["starting", "started"]);
    const process = await client.process("plain");
    expect(process).toMatchObject({
      state: "started",
      requested_state: "start",
      exit: null,
      stop_time: null,
      restarts: 0,
      host_ready: true,
    });
    expect(isAlive(process.pid ?? 0)).toBe(true);
    expect(process.start_time).not.toBeNull();
  });

  test("of a running process is accepted and changes nothing", async () => {
    const before = await client.process("plain");
    await command("start_process", "plain");
    // Only the time of the last request is a new one.
    expect(await client.process("plain")).toEqual({ ...before, requested_time: expect.any(String) });
  });

  test("of a program that cannot be started ends in error, with the reason", async () => {
    for (const [name, reason] of [
      ["no such program", /no-such-program/],
      ["no such folder", /no-such-folder/],
      ["not executable", /mgr\.yaml/],
    ] as const) {
      await command("start_process", name);
      await journey(name, "stopped", ["starting", "error"]);
      const process = await client.process(name);
      expect(process).toMatchObject({ pid: null, requested_state: "start", exit: { code: null, signal: null } });
      expect(process.exit?.reason).toMatch(reason);
      await client.untilLogged(reason, start);
    }
  });

  test("that is cancelled at once ends in stopped, also if a process was spawned meanwhile", async () => {
    client.send({ type: "start_process", name: "hasty" });
    await command("stop_process", "hasty");
    await client.untilState("hasty", "stopped", start);
    expect(client.states("hasty", start).filter((state) => state !== "started")).toEqual(["starting", "stopping", "stopped"]);
    expect(await client.process("hasty")).toMatchObject({ pid: null, requested_state: "stop" });
  });
});

describe("readiness", () => {
  test("is reached when the output matches", async () => {
    await command("start_process", "readies");
    await journey("readies", "stopped", ["starting", "started"]);
    await type("readies", "go");
    await journey("readies", "stopped", ["starting", "started", "ready"]);
    await command("stop_process", "readies");
    await journey("readies", "stopped", ["starting", "started", "ready", "stopping", "stopped"]);
  });

  test("is reached after a time", async () => {
    await command("start_process", "readies after a time");
    await journey("readies after a time", "stopped", ["starting", "started", "ready"]);
  });

  test("that is not reached in time stops the process, which is then in error", async () => {
    await command("start_process", "never ready");
    await journey("never ready", "stopped", ["starting", "started", "stopping", "error"]);
    const process = await client.process("never ready");
    expect(process).toMatchObject({ pid: null, requested_state: "start" });
    expect(process.exit?.reason).toMatch(/ready/);
  });

  test("that is not reached in time is retried if the restart policy allows it", async () => {
    await command("start_process", "never ready, retried");
    await journey("never ready, retried", "stopped", ["starting", "started", "stopping", "backoff"]);
    expect((await client.process("never ready, retried")).next_start_time).not.toBeNull();
    await command("stop_process", "never ready, retried");
    await journey("never ready, retried", "stopped", ["starting", "started", "stopping", "backoff", "stopped"]);
  });
});

describe("the end of a process by itself", () => {
  test.each([
    ["0", "stopped"],
    ["7", "stopped"],
    ["3", "error"],
  ])("with exit code %s is %s", async (code, state) => {
    const before = (await client.process("exits")).state;
    await command("start_process", "exits");
    await client.untilState("exits", "started", start);
    await type("exits", code);
    await journey("exits", before, ["starting", "started", state]);
    const process = await client.process("exits");
    expect(process).toMatchObject({ pid: null, requested_state: "start", exit: { code: Number(code), signal: null } });
    expect(process.stop_time).not.toBeNull();
  });

  test("by a signal is error, and names the signal", async () => {
    await command("start_process", "exits");
    const { pid } = await client.untilState("exits", "started", start);
    process.kill(pid ?? 0, "SIGKILL");
    await journey("exits", "error", ["starting", "started", "error"]);
    expect((await client.process("exits")).exit).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test("is restarted under policy always, even with exit code 0", async () => {
    const name = "exits, always restarted";
    await command("start_process", name);
    const { pid } = await client.untilState(name, "started", start);
    await type(name, "0");
    await journey(name, "stopped", ["starting", "started", "backoff", "starting", "started"]);
    const again = await client.process(name);
    expect(again).toMatchObject({ restarts: 1, next_start_time: null });
    expect(again.pid).not.toBe(pid);
    await command("stop_process", name);
    await journey(name, "stopped", ["starting", "started", "backoff", "starting", "started", "stopping", "stopped"]);
  });

  test("with success is stopped under policy on-failure, with failure backoff; a stop then acts at once", async () => {
    const name = "exits, restarted on failure";
    await command("start_process", name);
    await client.untilState(name, "started", start);
    await type(name, "0");
    await journey(name, "stopped", ["starting", "started", "stopped"]);

    start = client.here;
    await command("start_process", name);
    await client.untilState(name, "started", start);
    await type(name, "1");
    await journey(name, "stopped", ["starting", "started", "backoff"]);
    const { next_start_time, stop_time, pid } = await client.process(name);
    expect(pid).toBeNull();
    expect(Date.parse(`${next_start_time}Z`)).toBeGreaterThan(Date.parse(`${stop_time}Z`) + 59_000);
    await command("stop_process", name);
    await journey(name, "stopped", ["starting", "started", "backoff", "stopped"]);
    expect(await client.process(name)).toMatchObject({ requested_state: "stop", next_start_time: null });
  });

  test("in backoff, a start acts at once and resets the counter", async () => {
    const name = "exits, restarted on failure";
    await command("start_process", name);
    await client.untilState(name, "started", start);
    await type(name, "1");
    await client.untilState(name, "backoff", start);
    await command("start_process", name);
    await journey(name, "stopped", ["starting", "started", "backoff", "starting", "started"]);
    expect((await client.process(name)).restarts).toBe(0);
    await command("stop_process", name);
    await client.untilState(name, "stopped", start);
  });

  test("again and again is a crash loop: error", async () => {
    await command("start_process", "loops");
    const round = ["starting", "started", "backoff"];
    await journey("loops", "stopped", [...round, ...round, ...round, "starting", "started", "error"]);
    const process = await client.process("loops");
    expect(process).toMatchObject({ restarts: 3, exit: { code: 1 } });
    await command("stop_process", "loops");
    await client.untilState("loops", "stopped", start);
  });
});

describe("a requested stop", () => {
  test("changes over stopping to stopped", async () => {
    const { pid } = await client.process("plain");
    await command("stop_process", "plain");
    await journey("plain", "started", ["stopping", "stopped"]);
    expect(await client.process("plain")).toMatchObject({ pid: null, requested_state: "stop" });
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  test("of a stopped process is accepted; of a failed one it is stopped", async () => {
    const before = await client.process("plain");
    await command("stop_process", "plain");
    expect(await client.process("plain")).toEqual(before);
    await command("stop_process", "no such program");
    await journey("no such program", "error", ["stopped"]);
  });

  test("uses the configured signal, whatever the process answers", async () => {
    await command("start_process", "interrupted");
    await client.untilOutput("interrupted", "trapped", start);
    await command("stop_process", "interrupted");
    await journey("interrupted", "stopped", ["starting", "started", "stopping", "stopped"]);
    expect((await client.process("interrupted")).exit).toMatchObject({ code: 5 });
  });

  test("kills what ignores SIGTERM after the time-out", async () => {
    await command("start_process", "stubborn");
    await client.untilOutput("stubborn", "trapped", start);
    await command("stop_process", "stubborn");
    await journey("stubborn", "stopped", ["starting", "started", "stopping", "stopped"]);
    expect((await client.process("stubborn")).exit).toMatchObject({ signal: "SIGKILL" });
  });

  test("leaves nothing of a tree alive, not even children in sessions of their own that ignore SIGTERM", async () => {
    const before = new Set(instance.living().map(({ pid }) => pid));
    await command("start_process", "strays");
    await client.untilOutput("strays", "strayed", start);
    const sleeping = () => instance.living().filter(({ pid, command }) => !before.has(pid) && command.includes("sleep 100"));
    await eventually("all four run", () => sleeping().some(({ command }) => command.endsWith("1003")) && sleeping().length >= 4);
    await command("stop_process", "strays");
    await journey("strays", "stopped", ["starting", "started", "stopping", "stopped"]);
    // `stopped` means extinct: at this moment, not soon.
    expect(sleeping()).toEqual([]);
  });

  test("while it is in progress, a start waits for the end, and a later stop cancels the start", async () => {
    const name = "slow to stop";
    await command("start_process", name);
    await client.untilOutput(name, "trapped", start);
    await command("stop_process", name);
    await client.untilState(name, "stopping", start);
    await command("start_process", name);
    expect(await client.process(name)).toMatchObject({ state: "stopping", requested_state: "start" });
    await type(name, "");
    await journey(name, "stopped", ["starting", "started", "stopping", "starting", "started"]);

    await client.untilOutput(name, /trapped[\s\S]*trapped/, start);
    start = client.here;
    await command("restart_process", name);
    await client.untilState(name, "stopping", start);
    await command("stop_process", name);
    expect(await client.process(name)).toMatchObject({ state: "stopping", requested_state: "stop" });
    await type(name, "");
    await journey(name, "started", ["stopping", "stopped"]);
  });
});

describe("a requested restart", () => {
  test("of a stopped process starts it; of a running one stops it first: another pid", async () => {
    await command("restart_process", "plain");
    await journey("plain", "stopped", ["starting", "started"]);
    const { pid } = await client.process("plain");
    start = client.here;
    await command("restart_process", "plain");
    await journey("plain", "started", ["stopping", "starting", "started"]);
    const again = await client.process("plain");
    expect(again.pid).not.toBe(pid);
    expect(again).toMatchObject({ requested_state: "start", restarts: 0 });
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  test("while it stops: stop, then start", async () => {
    const name = "slow to stop";
    await command("start_process", name);
    await client.untilOutput(name, "trapped", start);
    await command("stop_process", name);
    await client.untilState(name, "stopping", start);
    await command("restart_process", name);
    await type(name, "");
    await journey(name, "stopped", ["starting", "started", "stopping", "starting", "started"]);
    await client.untilOutput(name, /trapped[\s\S]*trapped/, start);
    await command("stop_process", name);
    await type(name, "");
    await client.untilState(name, "stopped", start);
  });
});

describe("dependencies", () => {
  test("are started, too, and waited for in order", async () => {
    await command("start_process", "chain/web");
    await client.untilState("chain/db", "started", start);
    expect(await client.process("chain/web")).toMatchObject({ state: "waiting", waiting_for: ["chain/api"], requested_state: "start" });
    expect(await client.process("chain/api")).toMatchObject({ state: "waiting", waiting_for: ["chain/db"] });
    await type("chain/db", "go");
    await journey("chain/db", "stopped", ["starting", "started", "ready"]);
    await journey("chain/api", "stopped", ["waiting", "starting", "started"]);
    await journey("chain/web", "stopped", ["waiting", "starting", "started"]);
    expect(await client.process("chain/web")).toMatchObject({ waiting_for: [] });
  });

  test("that stop take their dependents along, which stop first", async () => {
    await command("stop_process", "chain/db");
    await journey("chain/db", "ready", ["stopping", "stopped"]);
    await journey("chain/api", "started", ["stopping", "stopped"]);
    await journey("chain/web", "started", ["stopping", "stopped"]);
    const stopped = client.frames.slice(start).flatMap(({ type, process }) => {
      const { name, state } = (process ?? {}) as { name: string; state: string };
      return type === "process_upsert" && state === "stopped" ? [name] : [];
    });
    expect(stopped).toEqual(["chain/web", "chain/api", "chain/db"]);
    expect(await client.process("chain/web")).toMatchObject({ requested_state: "stop" });
  });

  test("that restart take their running dependents along", async () => {
    await command("start_group", "chain");
    await client.untilState("chain/db", "started", start);
    await type("chain/db", "go");
    await client.untilState("chain/web", "started", start);
    const { pid } = await client.process("chain/web");
    start = client.here;
    await command("restart_process", "chain/db");
    await eventually("the database starts again", () => client.states("chain/db", start).at(-1) === "started");
    await type("chain/db", "go");
    await journey("chain/db", "ready", ["stopping", "starting", "started", "ready"]);
    await journey("chain/web", "started", ["stopping", "waiting", "starting", "started"]);
    expect((await client.process("chain/web")).pid).not.toBe(pid);
    await command("stop_group", "chain");
    await client.untilState("chain/db", "stopped", start);
  });

  test("that fail are an error of the processes that wait for them, which names the failed one", async () => {
    await command("start_process", "failing/api");
    await client.untilState("failing/db", "started", start);
    await type("failing/db", "1");
    await journey("failing/db", "stopped", ["starting", "started", "error"]);
    await journey("failing/api", "stopped", ["waiting", "error"]);
    expect((await client.process("failing/api")).exit?.reason).toContain("failing/db");
  });

  test("that are stopped by request also stop the processes that wait for them; with 'keep' these are in error", async () => {
    await command("start_process", "halted/api");
    await command("start_process", "halted/kept");
    await client.untilState("halted/db", "started", start);
    await command("stop_process", "halted/db");
    await journey("halted/db", "stopped", ["starting", "started", "stopping", "stopped"]);
    await journey("halted/api", "stopped", ["waiting", "stopped"]);
    expect(await client.process("halted/api")).toMatchObject({ requested_state: "stop" });
    await journey("halted/kept", "stopped", ["waiting", "error"]);
    expect((await client.process("halted/kept")).exit?.reason).toContain("halted/db");
  });

  test("that are waited for do not delay a stop", async () => {
    await command("start_process", "halted/api");
    await client.untilState("halted/api", "waiting", start);
    await command("stop_process", "halted/api");
    await client.untilState("halted/api", "stopped", start);
    expect(await client.process("halted/api")).toMatchObject({ requested_state: "stop", waiting_for: [] });
    await command("stop_process", "halted/db");
    await client.untilState("halted/db", "stopped", start);
  });

  test("on completion wait for an end in success", async () => {
    await command("start_process", "job/worker");
    await client.untilState("job/fill", "started", start);
    expect(await client.process("job/worker")).toMatchObject({ state: "waiting", waiting_for: ["job/fill"] });
    await type("job/fill", "0");
    await journey("job/fill", "stopped", ["starting", "started", "stopped"]);
    await journey("job/worker", "stopped", ["waiting", "starting", "started"]);
  });
});

describe("a group", () => {
  interface Node {
    name: string;
    state?: string;
    children?: Node[];
  }
  const stateOf = async (name: string) => {
    const find = (nodes: Node[]): Node | undefined => {
      for (const node of nodes) {
        const found = node.name === name ? node : find(node.children ?? []);
        if (found) return found;
      }
      return undefined;
    };
    return find((await client.snapshot()).process_tree as Node[])?.state;
  };

  test("starts, restarts and stops its members of all levels; its state is the worst of theirs", async () => {
    expect(await stateOf("group")).toBe("stopped");
    await command("start_group", "group");
    await journey("group/one", "stopped", ["starting", "started"]);
    await journey("group/inner/two", "stopped", ["starting", "started"]);
    expect(await stateOf("group")).toBe("started");

    start = client.here;
    await command("restart_group", "group");
    await journey("group/one", "started", ["stopping", "starting", "started"]);
    await journey("group/inner/two", "started", ["stopping", "starting", "started"]);

    start = client.here;
    const { pid } = await client.process("group/inner/two");
    process.kill(pid ?? 0, "SIGKILL");
    await client.untilState("group/inner/two", "error", start);
    expect(await stateOf("group/inner")).toBe("error");
    expect(await stateOf("group")).toBe("error");
    await command("stop_group", "group");
    await client.untilState("group/one", "stopped", start);
    await client.untilState("group/inner/two", "stopped", start);
    expect(await stateOf("group")).toBe("stopped");
  });
});

describe("a signal", () => {
  test("reaches the running process, and is refused for one that does not run", async () => {
    await command("start_process", "exits");
    await client.untilState("exits", "started", start);
    await client.command({ type: "send_signal", name: "exits", signal: "SIGKILL" });
    const failed = await client.untilState("exits", "error", start);
    expect(failed.exit).toMatchObject({ signal: "SIGKILL" });
    const again = client.here;
    await command("start_process", "exits");
    await client.untilState("exits", "started", again);
    await client.command({ type: "send_signal", name: "exits", signal: "SIGRTMAX-2" });
    expect((await client.untilState("exits", "error", again)).exit).toMatchObject({ signal: "SIGRTMAX-2" });
    expect(await client.ask({ type: "send_signal", name: "exits", signal: "SIGRTMIN+31" })).toMatchObject({ code: "bad_field" });
    expect(await client.ask({ type: "send_signal", name: "exits", signal: "SIGHUP" })).toMatchObject({
      type: "error",
      code: "not_running",
    });
  });
});
