import { expect, test } from "vitest";
import { ManagerKeeper, type ProgramEnd } from "../../../../src/features/manager-restart/host/manager-keeper.ts";
import { delayOf, isStable, STABLE_MS } from "../../../../src/features/manager-restart/host/restart-delays.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const LAUNCH = { executable: "/usr/bin/node", args: ["mgr.js", "up"], cwd: "/srv", environment: { SECRET: "1" } };
const CRASH = { code: null, signal: "SIGKILL" };

/** A machine whose managers end and start as the test says. */
class Machine {
  readonly clock = new SimulatedClock();
  readonly alive = new Set<number>();
  readonly started: { pid: number; at: number; end: (how: ProgramEnd) => void; isStopped: boolean }[] = [];
  readonly logged: string[] = [];
  status: { next_at: number | null; problem: string | null } | null = null;
  output = "";
  isLocked = false;
  #pids = 100;
  readonly keeper = new ManagerKeeper({
    clock: this.clock,
    watch: (pid) => () => this.alive.has(pid),
    isLocked: async () => this.isLocked,
    start: () => {
      const pid = ++this.#pids;
      this.alive.add(pid);
      let end: (how: ProgramEnd) => void = () => {};
      const ended = new Promise<ProgramEnd>((resolve) => {
        end = (how) => {
          this.alive.delete(pid);
          resolve(how);
        };
      });
      const started = { pid, at: this.clock.monotonic(), end, isStopped: false };
      this.started.push(started);
      const stop = () => {
        started.isStopped = true;
      };
      return { pid, ended, stop };
    },
    lastOutput: () => this.output,
    publish: (status) => {
      this.status = status;
    },
    log: (_level, msg) => this.logged.push(msg),
  });

  /** A manager that a user started, and that is to be kept. */
  kept(pid = 7): this {
    this.alive.add(pid);
    this.keeper.greeted(pid);
    this.keeper.keep(pid, LAUNCH);
    return this;
  }

  /** The manager is killed, and its connection ends. */
  kill(pid = 7): void {
    this.alive.delete(pid);
    this.keeper.linkLost();
  }

  get last() {
    return this.started.at(-1) ?? expect.fail("no manager was started");
  }

  /** The newest manager comes up. */
  up() {
    this.keeper.greeted(this.last.pid);
    return this.keeper.keep(this.last.pid, LAUNCH);
  }

  async end(how: ProgramEnd): Promise<void> {
    this.last.end(how);
    await this.clock.settle();
  }
}

test("a manager that was killed is started again after 0.2 s, and the next one is told how it ended", async () => {
  const machine = new Machine().kept();
  machine.output = "FATAL ERROR: out of memory";
  machine.kill();
  expect(machine.status).toMatchObject({ next_at: machine.clock.now() + 200, problem: null });
  await machine.clock.advance(199);
  expect(machine.started).toEqual([]);
  await machine.clock.advance(1);
  expect(machine.started).toHaveLength(1);
  expect(machine.status).toMatchObject({ next_at: null, problem: null });
  expect(machine.up()).toMatchObject({ pid: 7, how: null, last_output: "FATAL ERROR: out of memory", starts: 1 });
  expect(machine.status).toBeNull();
  // It is told once.
  expect(machine.keeper.keep(machine.last.pid, LAUNCH)).toBeNull();
});

test("a connection that was lost from a manager that lives on starts nothing", async () => {
  const machine = new Machine().kept();
  machine.keeper.linkLost();
  await machine.clock.advance(10_000);
  machine.keeper.greeted(7);
  expect(machine.clock.pending).toBe(0);
  machine.keeper.linkLost();
  await machine.clock.advance(1_000);
  machine.alive.delete(7);
  await machine.clock.advance(250);
  expect(machine.started).toHaveLength(1);
});

test("the next program of the daemon keeps the manager, also one that ends while the program is replaced", async () => {
  const before = new Machine().kept();
  const lives = new Machine();
  lives.alive.add(7);
  lives.keeper.take(before.keeper.handOver());
  await lives.clock.advance(10_000);
  expect(lives.started).toEqual([]);
  lives.keeper.greeted(7);
  expect(lives.clock.pending).toBe(0);
  lives.kill();
  await lives.clock.advance(200);
  expect(lives.started).toHaveLength(1);

  const died = new Machine();
  died.keeper.take(before.keeper.handOver());
  await died.clock.advance(200);
  expect(died.started).toHaveLength(1);

  // The manager was to be started in a moment, after several failures.
  const waiting = new Machine().kept();
  waiting.kill();
  const late = new Machine();
  late.keeper.take(waiting.keeper.handOver());
  await late.clock.advance(30_000);
  expect(late.started).toHaveLength(1);

  before.keeper.release();
  const none = new Machine();
  none.keeper.take(before.keeper.handOver());
  await none.clock.advance(60_000);
  expect(none.started).toEqual([]);
});

test("the end of a manager that was started again is known by its signal", async () => {
  const machine = new Machine().kept();
  machine.kill();
  await machine.clock.advance(200);
  machine.up();
  machine.keeper.linkLost();
  await machine.end(CRASH);
  expect(machine.status).toMatchObject({ how: "SIGKILL" });
  await machine.clock.advance(1_000);
  expect(machine.up()).toMatchObject({ pid: 101, how: "SIGKILL" });
});

test("a manager that ends again and again is started after longer and longer delays, up to 30 s", async () => {
  const machine = new Machine().kept();
  machine.kill();
  const delays: number[] = [];
  for (let last = machine.clock.monotonic(), tries = 0; tries < 8; tries++) {
    await machine.clock.advance(30_000);
    delays.push(machine.last.at - last);
    last = machine.clock.monotonic();
    await machine.end({ code: 1, signal: null });
  }
  expect(delays).toEqual([200, 1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000]);
  await machine.clock.advance(30_000);
  expect(machine.up()).toMatchObject({ pid: 7, starts: 9 });
});

test("after a long life the delays begin from the shortest", async () => {
  const machine = new Machine().kept();
  for (const _ of [1, 2]) {
    machine.kill();
    await machine.clock.advance(30_000);
    machine.up();
    await machine.clock.advance(STABLE_MS);
    await machine.end(CRASH);
    expect(machine.status?.next_at).toBe(machine.clock.now() + 200);
    await machine.clock.advance(200);
    machine.up();
  }
});

test("the delays are bounded", () => {
  expect([0, 5, 6, 1_000].map(delayOf)).toEqual([200, 30_000, 30_000, 30_000]);
  expect([STABLE_MS - 1, STABLE_MS].map(isStable)).toEqual([false, true]);
});

test.each([2, 3])("after exit code %i, an error of configuration, no further start is tried, and the reason is published", async (code) => {
  const machine = new Machine().kept();
  machine.kill();
  await machine.clock.advance(200);
  machine.output = "mgr: mgr.yaml:3:1: unknown key 'proceses'\n";
  await machine.end({ code, signal: null });
  expect(machine.status).toMatchObject({ next_at: null, problem: "mgr.yaml:3:1: unknown key 'proceses'" });
  await machine.clock.advance(600_000);
  expect(machine.started).toHaveLength(1);
  // A manager of a user ends this.
  machine.kept(8);
  expect(machine.status).toBeNull();
});

test("a manager that ends as a user wants is not started again", async () => {
  const machine = new Machine().kept();
  machine.keeper.release();
  machine.kill();
  await machine.clock.advance(600_000);
  expect(machine.started).toEqual([]);
});

test("a child that ends without an error is not started again, also if it could not say that it ends", async () => {
  const machine = new Machine().kept();
  machine.kill();
  await machine.clock.advance(200);
  machine.up();
  await machine.end({ code: 0, signal: null });
  await machine.clock.advance(600_000);
  expect(machine.started).toHaveLength(1);
});

test("while another manager has the lock none is started, and one that a user started in the foreground is left alone", async () => {
  const machine = new Machine().kept();
  machine.isLocked = true;
  machine.kill();
  await machine.clock.advance(10_000);
  expect(machine.started).toEqual([]);
  machine.alive.add(8);
  machine.keeper.greeted(8);
  machine.isLocked = false;
  machine.kill(8);
  await machine.clock.advance(600_000);
  expect(machine.started).toEqual([]);
  expect(machine.clock.pending).toBe(0);
});

test("if another manager wins while one is started here, that one is kept only if it asks for it", async () => {
  const machine = new Machine().kept();
  machine.kill();
  await machine.clock.advance(200);
  machine.keeper.greeted(8);
  await machine.end({ code: 1, signal: null });
  await machine.clock.advance(600_000);
  expect(machine.started).toHaveLength(1);
  machine.kept(8).kill(8);
  await machine.clock.advance(200);
  expect(machine.started).toHaveLength(2);
});

test("the end of the daemon cancels the next start, and ends a manager that is just starting", async () => {
  const waiting = new Machine().kept();
  waiting.kill();
  waiting.keeper.close();
  await waiting.clock.advance(600_000);
  expect(waiting.started).toEqual([]);
  expect(waiting.status).toBeNull();
  const starting = new Machine().kept();
  starting.kill();
  await starting.clock.advance(200);
  starting.keeper.close();
  expect(starting.last.isStopped).toBe(true);
  await starting.end({ code: 1, signal: null });
  starting.keeper.keep(starting.last.pid, LAUNCH);
  starting.kill(starting.last.pid);
  await starting.clock.advance(600_000);
  expect(starting.started).toHaveLength(1);
});

test("the environment of the manager is neither logged nor published", async () => {
  const machine = new Machine().kept();
  machine.kill();
  await machine.clock.advance(200);
  await machine.end({ code: null, signal: null, problem: "spawn ENOENT" });
  expect(machine.logged.join("\n")).toContain("spawn ENOENT");
  expect(JSON.stringify([machine.logged, machine.status])).not.toContain("SECRET");
});
