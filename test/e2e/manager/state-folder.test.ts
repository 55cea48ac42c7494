import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONTROL_SOCKET } from "../../../src/app/local-daemon/running-instance.ts";
import type { Client } from "../support/client.ts";
import { type Configuration, Instance } from "../support/instance.ts";
import { ECHO } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const PROCESSES: Configuration = {
  processes: {
    automatic: { command: ECHO, autostart: true },
    manual: { command: ECHO },
    halted: { command: ECHO, autostart: true },
  },
};

type Pids = Record<string, number | null>;

/** An instance with a process that runs by itself, one that a user has started, and one that a user has stopped. */
async function begun(): Promise<{ instance: Instance; pids: Pids; daemon: number | null }> {
  const instance = new Instance(PROCESSES);
  try {
    await instance.mgr("up", "--detach");
    await instance.mgr("start", "manual");
    await instance.mgr("stop", "halted");
    const pids = await pidsOf(await instance.connect());
    expect(pids).toEqual({ automatic: expect.any(Number), manual: expect.any(Number), halted: null });
    return { instance, pids, daemon: instance.pidOf("daemon") };
  } catch (error) {
    await instance[Symbol.asyncDispose]();
    throw error;
  }
}

async function pidsOf(client: Client): Promise<Pids> {
  await eventually("automatic is started", async () => (await client.process("automatic")).state === "started");
  const names = Object.keys(PROCESSES.processes);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await client.process(name)).pid ?? null] as const)));
}

/** The daemon's lock may have to come back first. */
const daemonOf = (instance: Instance) => eventually("the daemon is in its lock file", () => instance.pidOf("daemon"));

const remade = (instance: Instance, who: "manager" | "daemon") =>
  eventually(`the ${who} has made the state folder again`, () => {
    const log = join(instance.stateDir, `${who}.log`);
    return instance.pidOf(who) !== null && existsSync(log) && /has been made again/.test(readFileSync(log, "utf8"));
  });

const runtimeOf = (instance: Instance) => join(instance.dir, "run");

/** In one step: what is written meanwhile goes to a new folder. */
function vanish(folder: string): void {
  renameSync(folder, `${folder}.gone`);
  rmSync(`${folder}.gone`, { recursive: true });
}

const removals: Record<string, (instance: Instance) => void> = {
  "the state folder is removed": ({ stateDir }) => vanish(stateDir),
  "the state folder is renamed and the runtime folder emptied": (instance) => {
    renameSync(instance.stateDir, `${instance.stateDir}.old`);
    vanish(join(runtimeOf(instance), "mgr"));
  },
};

describe("a state folder that vanishes while everything runs", () => {
  test.each(Object.entries(removals))("%s, and the manager killed at the same moment: the next one adopts all", async (_, remove) => {
    const { instance, pids, daemon } = await begun();
    await using _end = instance;
    const manager = instance.kill("manager", "SIGSTOP");
    remove(instance);
    process.kill(manager, "SIGKILL");
    await instance.mgr("up", "--detach");
    expect(await pidsOf(await instance.connect())).toEqual(pids);
    expect(await daemonOf(instance)).toBe(daemon);
    await instance.mgr("down");
    await instance.untilExtinct();
  });

  test("is detected by manager and daemon, which create it again with the requested states; the runtime folder too", async () => {
    const { instance, pids, daemon } = await begun();
    await using _end = instance;
    const { instance_uuid: uuid, socket } = instance.lockOf("manager");
    const secret = instance.read("state/bus.json");
    vanish(instance.stateDir);
    vanish(join(runtimeOf(instance), "mgr"));
    await remade(instance, "manager");
    await remade(instance, "daemon");
    expect(instance.lockOf("manager")).toMatchObject({ instance_uuid: uuid, socket });
    expect(JSON.parse(instance.read("state/instance.json"))).toEqual({ uuid });
    expect(instance.read("state/bus.json")).toBe(secret);
    expect(existsSync(join(instance.stateDir, "daemon.json"))).toBe(true);
    for (const each of [socket, join(dirname(socket), CONTROL_SOCKET)])
      await eventually(`${each} is there again`, () => existsSync(each) && statSync(each).isSocket());
    const again = await instance.run("up", "--detach", "-c", instance.config);
    expect(again, again.stderr).toMatchObject({ code: 0, stdout: "e2e is already running\n" });

    instance.kill("manager");
    await eventually("the manager is dead", () => instance.pidOf("manager") === null);
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    expect(await pidsOf(client)).toEqual(pids);
    expect((await client.process("halted")).requested_state).toBe("stop");
    expect(await daemonOf(instance)).toBe(daemon);
    await instance.mgr("down");
    await instance.untilExtinct();
  });

  test("with manager and daemon killed: the next manager starts everything once, when no process of before is left", async () => {
    const { instance } = await begun();
    await using _end = instance;
    const [manager, daemon] = [instance.kill("manager", "SIGSTOP"), instance.kill("daemon", "SIGSTOP")];
    vanish(instance.stateDir);
    process.kill(daemon, "SIGKILL");
    process.kill(manager, "SIGKILL");
    await instance.mgr("up", "--detach");
    const client = await instance.connect();
    await eventually("halted is started, as its stop is forgotten", async () => (await client.process("halted")).state === "started");
    const pids = await pidsOf(client);
    const echoes = instance.living().filter(({ command }) => command.includes("you typed"));
    expect(new Set(echoes.map(({ pid }) => pid))).toEqual(new Set([pids.automatic, pids.halted]));
    await instance.mgr("down");
    await instance.untilExtinct();
  });

  test("does not prevent 'mgr down' from ending the manager, its daemon, or a daemon without a manager", async () => {
    const { instance } = await begun();
    await using _end = instance;
    vanish(instance.stateDir);
    expect((await instance.mgr("down")).stdout).toBe("e2e is down\n");
    await instance.untilExtinct();
    await instance.mgr("up", "--detach");
    const socket = dirname(instance.lockOf("manager").socket);
    const manager = instance.kill("manager", "SIGSTOP");
    vanish(instance.stateDir);
    vanish(socket);
    process.kill(manager, "SIGKILL");
    expect((await instance.mgr("down")).stdout).toBe("e2e is down\n");
    await instance.untilExtinct();
  });
});
