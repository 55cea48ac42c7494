import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { soak } from "../../support/soak.ts";
import type { Client, Frame, ProcessView } from "../support/client.ts";
import { Fleet } from "../support/fleet.ts";
import { eventually } from "../support/wait.ts";

/** How long a link is bad, milliseconds: longer than the silence after which a host counts as lost. The whole minute: MGR_SOAK=1. */
const BAD_MS = soak(9_000, 60_000);
/** Healing ends; how fast says nothing on a busy machine. Milliseconds. */
const HEALED_MS = 60_000;

/** Programs that nobody else on this machine runs. */
let programs = 0;
const lasting = () => ["sleep", `${100_000 + ++programs}.${process.pid}`];
const [one, two, here, again, churn] = [lasting(), lasting(), lasting(), lasting(), lasting()];
/** Ends when it is told to. */
const JOB = "until rm end-of-job 2>/dev/null; do sleep 0.1; done; exit 42";

const PROCESSES = {
  here: { command: here, autostart: true },
  "far/one": { command: one, node: "r1", autostart: true, depends_on: ["here"] },
  "far/two": { command: two, node: "r2", autostart: true, depends_on: ["far/one"] },
  "far/again": { command: again, node: "r1", autostart: true, restart: { policy: "always", delay: "100ms" } },
  "far/churn": { command: churn, node: "r1" },
  "far/job": { command: ["sh", "-c", JOB], node: "r1" },
};

describe.each([
  { bus: "the manager's own broker", nats: false },
  { bus: "nats-server", nats: true },
])("three hosts over $bus", ({ nats }) => {
  let fleet: Fleet;
  let client: Client;
  const pids = new Map<string, number | null>();

  beforeAll(async () => {
    // The manager of r1 is always there when r1 boots.
    fleet = await Fleet.up({ hosts: ["r1", "r2"], resuming: ["r2"], processes: PROCESSES, nats });
    fleet.watch([one, two, here, again, churn]);
    client = await fleet.connect();
    await isReady("r1", 0, true);
    await isReady("r2", 0, true);
    for (const name of ["here", "far/one", "far/two", "far/again"]) await reaches(name, "started");
    await keepPids();
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
  });

  /** Of what the daemon of a host says about itself; waits for it. */
  const isReady = async (host: string, from: number, ready: boolean) => {
    const isSo = (entry: unknown) => {
      const { name, daemon_ready } = entry as { name: string; daemon_ready: boolean };
      return name === host && daemon_ready === ready;
    };
    const snapshot = from === 0 ? await client.snapshot() : null;
    if ((snapshot?.host_list as object[] | undefined)?.some(isSo)) return;
    await client.until(`${host} is ${ready ? "" : "not "}ready`, (frame) => frame.type === "host_upsert" && isSo(frame.host), from);
  };
  /** Now, or within the time that healing may take. */
  const reaches = async (name: string, state: string): Promise<ProcessView> => {
    const deadline = performance.now() + HEALED_MS;
    for (;;) {
      const process = await client.process(name);
      if (process.state === state && process.host_ready) return process;
      if (performance.now() > deadline) throw new Error(`'${name}' is not ${state} within ${HEALED_MS} ms but ${JSON.stringify(process)}`);
      await pause(50);
    }
  };
  const keepPids = async () => {
    for (const name of Object.keys(PROCESSES)) pids.set(name, (await client.process(name)).pid);
  };
  const samePids = async (...names: string[]) => {
    for (const name of names) expect([name, (await reaches(name, "started")).pid]).toEqual([name, pids.get(name)]);
  };
  /** A process that has just been started may not execute its command yet. */
  const pidOfJob = () => eventually("the job runs", () => fleet.pidHere(`sh -c ${JOB}`));
  const endJob = () => writeFileSync(join(fleet.homeOf("r1"), "end-of-job"), "");
  const refusal = async (frame: object): Promise<Frame["code"]> => (await client.ask(frame)).code;

  test("the process list of a host is made there, and names the processes that its tasks belong to", async () => {
    const ask = (host: string) => client.ask({ type: "request_process_list", host, filter: "process:!=:" });
    const list = await ask("r1");
    expect(list).toMatchObject({ ok: true, host: "r1" });
    const found = (list.rows as { key: string; process: string }[]).filter(({ process }) => process === "far/one");
    const pid = pids.get("far/one");
    expect(found.map(({ key }) => key)).toEqual([`${pid}:${pid}`]);
    const task = { type: "set_process_list_task", host: "r1", pid, tid: pid, prio: 0, affinity: "0" };
    expect(await client.ask({ ...task, policy: 3 })).toMatchObject({ ok: true, host: "r1", policy: 3, prio: 0, affinity: "0" });
    expect(((await ask("r2")).rows as { process: string }[]).some(({ process }) => process === "far/one")).toBe(false);
  });

  test("the commands that start a process by hand are created on its host, with its folder and its home", async () => {
    const commands = async (name: string) => (await client.ask({ type: "dump_startup_commands", name })).commands;
    expect(await commands("far/one")).toEqual(expect.arrayContaining([`cd ${fleet.homeOf("r1")}`, `export HOME=${fleet.homeOf("r1")}`]));
    expect(await commands("here")).toEqual(expect.arrayContaining([`cd ${fleet.dir}`, `export HOME=${fleet.dir}`]));
  });

  test("while a link is cut, processes continue and keep their state, commands are refused, and exits are reported later with code and time", async () => {
    const from = client.here;
    await client.command({ type: "start_process", name: "far/job" });
    const job = await client.untilState("far/job", "started", from);
    const jobPid = await pidOfJob();
    const cut = Date.now();
    fleet.link("r1", "cut");
    await isReady("r1", from, false);
    expect(await client.process("far/one")).toMatchObject({ state: "started", host_ready: false, pid: pids.get("far/one"), host: "r1" });
    expect(await refusal({ type: "stop_process", name: "far/one" })).toBe("host_unavailable");
    expect(await refusal({ type: "start_process", name: "far/churn" })).toBe("host_unavailable");
    // Others are not concerned.
    await client.command({ type: "restart_process", name: "far/two" });
    pids.set("far/two", (await reaches("far/two", "started")).pid);
    endJob();
    await eventually("the job has ended", () => !existsSync(`/proc/${jobPid}`));
    await pause(Math.max(1_000, BAD_MS - (Date.now() - cut)));
    const healed = client.here;
    fleet.link("r1", "good");
    const healedAt = Date.now();
    await isReady("r1", healed, true);
    const ended = await reaches("far/job", "error");
    expect(ended.exit).toMatchObject({ code: 42, signal: null });
    expect(ended.start_time).toBe(job.start_time);
    // The time of its end, not the time at which the manager heard of it.
    expect(Date.parse(`${ended.stop_time}Z`)).toBeLessThan(healedAt);
    await samePids("far/one", "far/again", "here", "far/two");
  });

  test("with half of the packets lost, each request is carried out once", async () => {
    fleet.link("r1", "half");
    const end = performance.now() + BAD_MS;
    while (performance.now() < end) {
      // Whether it is accepted or refused (the host may be away for a moment): nothing may happen twice.
      await client.ask({ type: "start_process", name: "far/churn" });
      await pause(300);
      await client.ask({ type: "restart_process", name: "far/churn" });
      await pause(300);
      await client.ask({ type: "stop_process", name: "far/churn" });
      await pause(300);
    }
    fleet.link("r1", "good");
    await reaches("far/one", "started");
    // The host may be lost once more: what TCP has not delivered yet is sent again after seconds.
    await eventually(
      "the host accepts a start",
      async () => (await client.ask({ type: "start_process", name: "far/churn" })).type === "ack",
    );
    await reaches("far/churn", "started");
    await fleet.untilSeen(churn);
    await client.command({ type: "stop_process", name: "far/churn" });
    await reaches("far/churn", "stopped");
    await samePids("far/one", "far/again");
  });

  test("when the manager is killed, all processes continue, and the next manager adopts them with their state", async () => {
    await client.command({ type: "start_process", name: "far/job" });
    await reaches("far/job", "started");
    const jobPid = await pidOfJob();
    await fleet.killManager();
    endJob();
    await eventually("the job has ended", () => !existsSync(`/proc/${jobPid}`));
    await fleet.startManager();
    client = await fleet.connect();
    await samePids("far/one", "far/two", "far/again", "here");
    expect((await reaches("far/job", "error")).exit).toMatchObject({ code: 42 });
  });

  test("when a daemon is killed, its processes end, and are started by their policy under the next one", async () => {
    const from = client.here;
    await fleet.killDaemon("r1");
    fleet.startDaemon("r1");
    await client.untilState("far/one", "error", from);
    expect((await reaches("far/one", "error")).exit?.reason).toBe("host daemon died");
    const back = await reaches("far/again", "started");
    expect(back.pid).not.toBe(pids.get("far/again"));
    await samePids("far/two", "here");
    await client.command({ type: "start_process", name: "far/one" });
    await reaches("far/one", "started");
    await keepPids();
  });

  test("when a host reboots, none of its processes counts as alive, and each is started by its restart policy", async () => {
    const from = client.here;
    await fleet.reboot("r1");
    await client.untilState("far/one", "error", from);
    await reaches("far/again", "started");
    await samePids("far/two", "here");
    await client.command({ type: "start_process", name: "far/one" });
    await reaches("far/one", "started");
    await keepPids();
  });

  if (nats)
    test("when nats-server is killed, only the log reports it, and all reconnect", async () => {
      const from = client.here;
      await fleet.killNats();
      await isReady("r1", from, false);
      // The manager's own host does not come over it, and nobody waits for those that cannot be asked.
      await client.command({ type: "restart_process", name: "here" });
      pids.set("here", (await reaches("here", "started")).pid);
      const healed = client.here;
      await fleet.startNats();
      await isReady("r1", healed, true);
      await isReady("r2", healed, true);
      await samePids("far/again", "here");
      // What needs it is restarted after it, once that can be done.
      for (const name of ["far/one", "far/two"]) expect((await reaches(name, "started")).pid).not.toBe(pids.get(name));
    });

  if (!nats)
    test("a process that moves is stopped on its old host before it is started on the new one", async () => {
      fleet.write({ ...PROCESSES, "far/one": { ...PROCESSES["far/one"], node: "r2" } });
      expect(await client.ask({ type: "reload_config" })).toMatchObject({ ok: true, changed: ["far/one"], restart_needed: ["far/one"] });
      expect(await client.process("far/one")).toMatchObject({ host: "r1", node: "r2", state: "started" });
      await client.command({ type: "restart_process", name: "far/one" });
      await client.until("it runs on r2", ({ process }) => isOn(process, "far/one", "r2", "started"));
      await reaches("far/two", "started");
      await keepPids();
    });

  if (!nats)
    test("a host that is no longer configured is released: processes configured elsewhere move", async () => {
      const { "far/churn": _churn, "far/job": _job, "far/again": moved, ...rest } = PROCESSES;
      const from = client.here;
      fleet.write({ ...rest, "far/again": { ...moved, node: "r2" }, "far/one": { ...PROCESSES["far/one"], node: "r2" } }, ["r2"]);
      expect(await client.ask({ type: "reload_config" })).toMatchObject({ ok: true });
      await client.until("it runs on r2", ({ process }) => isOn(process, "far/again", "r2", "started"), from);
      await client.until("r1 is gone", ({ type, name }) => type === "host_remove" && name === "r1", from);
      await samePids("far/one", "far/two", "here");
    });

  if (!nats)
    test("a host that loses power and boots without a manager starts what was requested, and the next manager adopts it", async () => {
      const kept = join(fleet.dir, "state-r2", "requested.json");
      const isKept = (name: string) => existsSync(kept) && readFileSync(kept, "utf8").includes(`"name":"${name}"`);
      await eventually("it is on the disk of its host", () => ["far/again", "far/one", "far/two"].every(isKept));
      await fleet.killManager();
      await fleet.reboot("r2");
      await eventually("it is started", () => fleet.logOf("r2").includes("started 'far/again' without a manager"));
      expect(fleet.logOf("r2")).toContain(
        "'far/one' (it depends on 'here' of another host), 'far/two' (it depends on 'far/one', which is not started)",
      );
      const running = await eventually("it runs", () => fleet.pidHere(again.join(" ")));
      await fleet.startManager();
      client = await fleet.connect();
      expect(await reaches("far/again", "started")).toMatchObject({ restarts: 0 });
      await reaches("far/two", "started");
      expect(fleet.pidHere(again.join(" "))).toBe(running);
      const { host_list } = await client.snapshot();
      expect(host_list).toContainEqual(expect.objectContaining({ name: "r2", alone: expect.objectContaining({ restarts: 0 }) }));
      expect(await fleet.mgr("hosts")).toMatch(/r2: 1 process resumed after a boot at /);
      expect(client.seen).toContain("resumed processes");
    });

  test("two instances of one process were never alive at the same moment", async () => {
    const { twins, looks, seen } = await fleet.watched();
    expect(twins).toEqual([]);
    // How often it is looked depends on the machine.
    expect(looks).toBeGreaterThan(10);
    expect(seen).toBe(5);
  });
});

function isOn(process: unknown, name: string, host: string, state: string): boolean {
  const view = process as ProcessView | undefined;
  return view?.name === name && view.host === host && view.state === state;
}
