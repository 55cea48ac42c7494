import fc from "fast-check";
import { expect, test } from "vitest";
import type { ProcessDefinition } from "../../../src/config/definition.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import type { RunReport } from "../../../src/contract/run.ts";
import { compareRunIds, isStartedByHost } from "../../../src/contract/run-ids.ts";
import { UP_STATES } from "../../../src/protocol/process/process-state.ts";
import { NO_INTERRUPT_MS } from "../../support/timed-runs.ts";
import { BY } from "../support/engines.ts";
import { type Begun, LossyWorld } from "../support/lossy-world.ts";

/** Number of histories; by default, as many of 1,000 as 15 s allow. Search others with MGR_SEED=random. */
const { MGR_MODEL_RUNS } = process.env;
const LIMITS =
  MGR_MODEL_RUNS === undefined
    ? { numRuns: 1_000, interruptAfterTimeLimit: 15_000 }
    : { numRuns: Number(MGR_MODEL_RUNS), interruptAfterTimeLimit: NO_INTERRUPT_MS };

/** Rounding of times in a memo, milliseconds. */
const TOLERANCE_MS = 5;
const MAX_DELAY_MS = 8_000;
const HOST = "robot";
const restart = { delay: "1s", factor: 2, max_delay: "8s", max_restarts: 4, window: "60s", reset_after: "20s" };
const CONFIG = loadConfigObject(
  {
    hosts: { [HOST]: { on_boot: "resume" } },
    processes: {
      base: { command: "base", ready: { regex: "up" }, restart: { ...restart, policy: "on-failure" } },
      driver: { command: "driver", depends_on: ["base"], restart: { ...restart, policy: "always" } },
      careful: { command: "careful", restart: { ...restart, policy: "on-failure" } },
      job: { command: "job" },
    },
  },
  { base_dir: "/", state_dir: "/nowhere" },
);
const NAMES = [...CONFIG.processes.keys()];
type Verb = "start" | "stop" | "restart";

/** What users requested of a process, and what its runs may do because of it. */
class Oracle {
  readonly definition: ProcessDefinition;
  requested: "start" | "stop" = "stop";
  /** Time of the last request that was accepted. */
  requestedAt = 0;
  /** Whether the last request was accepted over a link that worked, so that the host knows it. */
  isCertain = true;
  /** Whether the last request has to lead to a run that begins after it. */
  needsRun = false;
  /** Lower limit of failures in a row, for the shortest delay. */
  attempt = 0;
  /** Whether a request allows the next run at any time. */
  isFree = true;
  /** Whether the manager may carry out a restart that the host has carried out already: it could not hear of that. */
  isRepeatable = false;
  /** Policy restarts since the last request. */
  restarts: number[] = [];
  /** Whether no run began since the host booted. */
  isAfterBoot = false;
  last: { began: number; ended: number | null; exit: RunReport["exit"]; stopping: boolean } | null = null;

  constructor(definition: ProcessDefinition) {
    this.definition = definition;
  }

  request(
    verb: Verb,
    { time, isCertain, isUp, isRestart = verb === "restart" }: { time: number; isCertain: boolean; isUp: boolean; isRestart?: boolean },
  ): void {
    this.requested = verb === "stop" ? "stop" : "start";
    this.requestedAt = time;
    this.isCertain = isCertain;
    this.needsRun = verb === "restart" || (verb === "start" && !isUp);
    this.isFree ||= verb !== "stop";
    this.isRepeatable = isRestart && !isCertain;
  }

  begins(time: number, isByHost: boolean): string | null {
    const { policy, window, max_restarts } = this.definition.restart;
    const { last } = this;
    const isFree = this.isFree || last === null || last.stopping || (this.isRepeatable && !isByHost);
    if (!isByHost) this.isRepeatable = false;
    this.last = { began: time, ended: null, exit: null, stopping: false };
    if (isFree) {
      this.isFree = false;
      this.needsRun = false;
      this.attempt = 0;
      this.restarts = [];
      return null;
    }
    if (last.ended === null) return "it is started while it runs";
    const hasFailed = last.exit?.code !== 0;
    if (policy === "never" || (policy === "on-failure" && !hasFailed)) return `it is restarted although its policy is ${policy}`;
    if (last.ended - last.began >= this.definition.restart.reset_after) this.attempt = 0;
    const delay = Math.min(MAX_DELAY_MS, 1_000 * 2 ** this.attempt);
    this.attempt++;
    if (time - last.ended < delay - TOLERANCE_MS) return `it is restarted after ${time - last.ended} ms instead of ${delay} ms`;
    this.restarts.push(time);
    if (this.restarts.filter((each) => each > time - window + MAX_DELAY_MS).length > max_restarts) return "it is restarted too often";
    return null;
  }
}

class World extends LossyWorld {
  readonly oracles = new Map(NAMES.map((name) => [name, new Oracle(definitionOf(name))]));
  readonly violations: string[] = [];
  restartsAlone = 0;
  resumed = 0;
  /** Times of the boots after power cuts. */
  readonly #boots: number[] = [];

  constructor() {
    super(CONFIG, HOST);
    this.host.listen({
      onEvent: ({ kind, run }) => {
        const oracle = this.oracle(run.name);
        if (kind === "spawned") this.#begun(oracle, run);
        else if (oracle.last !== null && kind === "stopping") oracle.last.stopping = true;
        else if (oracle.last !== null && kind === "exited") Object.assign(oracle.last, { ended: this.clock.monotonic(), exit: run.exit });
      },
    });
  }

  #begun(oracle: Oracle, { name, run_id }: RunReport): void {
    const time = this.clock.monotonic();
    if (isStartedByHost(run_id)) this.restartsAlone++;
    if (isStartedByHost(run_id) && oracle.isAfterBoot) this.resumed++;
    oracle.isAfterBoot = false;
    const problem = oracle.begins(time, isStartedByHost(run_id));
    if (problem !== null) this.violations.push(`${name} (run ${run_id}): ${problem}`);
    if (oracle.requested === "stop" && oracle.isCertain && time > oracle.requestedAt)
      this.violations.push(`${name} (run ${run_id}) begins after an accepted stop`);
  }

  oracle(name: string): Oracle {
    const oracle = this.oracles.get(name);
    if (!oracle) throw new Error(`no ${name}`);
    return oracle;
  }

  command(verb: Verb, name: string): void {
    if (this.engine === null || this.managerProgram?.isSuspended) return;
    // To start a process that the manager sees running changes nothing.
    const before = this.engine.control.state.process(name);
    const isUp = before !== undefined && UP_STATES.has(before.state);
    try {
      this.engine.control.commands.process(verb, name, BY);
    } catch {
      // The host is known to be away: the command is refused.
      return;
    }
    const isCertain = this.wire.toHost && this.wire.toManager && !this.hostProgram.isSuspended;
    const time = this.clock.monotonic();
    // A start also starts missing dependencies.
    if (verb !== "stop" && name === "driver" && !this.#lives("base")) this.oracle("base").isFree = true;
    // A stop also stops what depends on it, a start also starts what it depends on: the state requested by the manager is what users get.
    for (const each of NAMES) {
      const process = this.engine.control.state.process(each);
      const oracle = this.oracle(each);
      const requested = process?.requested_state === "start" ? "start" : "stop";
      if (each === name) oracle.request(verb, { time, isCertain, isUp });
      else if (requested !== oracle.requested || (verb === "restart" && requested === "start")) {
        // What depends on a process is restarted with it.
        oracle.request(requested, { time, isCertain, isUp: true, isRestart: verb === "restart" });
      }
    }
  }

  end(name: string, code: number): void {
    this.hostProgram.receive(() => {
      if (this.#lives(name)) this.host.process(name).exit(code);
    });
  }

  /** The power fails. What the host decided in the last moment is not on its disk. */
  async reboot(offMs: number): Promise<void> {
    this.hostProgram.resume();
    await this.clock.advance(500);
    this.host.die();
    for (const oracle of this.oracles.values()) {
      const ended = this.clock.monotonic();
      if (oracle.last?.ended === null) oracle.last = { ...oracle.last, ended, exit: null };
      // Under every policy, what is requested is started again after a boot.
      oracle.isFree = true;
      oracle.isAfterBoot = true;
    }
    await this.clock.advance(offMs);
    this.#boots.push(this.clock.monotonic());
    this.host.restore();
  }

  check(): void {
    expect(this.violations).toEqual([]);
  }

  /** Everything is well again: nothing that was accepted is lost, and manager and host have the same view. */
  async checkEnd(): Promise<void> {
    await this.repair();
    await this.clock.advance(40_000);
    this.check();
    for (const name of NAMES) {
      const oracle = this.oracle(name);
      const process = this.engine?.control.state.process(name);
      const run = this.#run(name);
      const view = `${name}: ${JSON.stringify({ state: process?.state, requested: oracle.requested, run })}`;
      expect(process?.requested_state, view).toBe(oracle.requested);
      expect(process?.pid ?? null, view).toBe(this.#lives(name) ? (run?.pid ?? null) : null);
      if (oracle.requested === "stop") expect(this.#lives(name), view).toBe(false);
      if (process?.state !== "error" && process?.state !== "waiting")
        expect(oracle.needsRun && oracle.requested === "start", view).toBe(false);
      expect(["started", "ready", "backoff", "error", "stopped", "waiting"], view).toContain(process?.state);
      // A run that could not begin has no start.
      const known = this.history?.of(name).flatMap(({ run_id, start_time }) => (start_time === null ? [] : run_id)) ?? [];
      const all = this.begun.filter((each) => each.name === name);
      // What no manager had heard of when the power failed is not known any more: it requests the same run of the next daemon.
      const isLost = ({ runId, time }: Begun) =>
        this.#boots.some(
          (boot) => time < boot && (!known.includes(runId) || all.some((each) => each.runId === runId && each.time >= boot)),
        );
      const begun = all.filter((each) => !isLost(each)).map(({ runId }) => runId);
      expect(known.slice().reverse(), view).toEqual(begun.sort(compareRunIds).slice(-known.length));
      expect(known.length, view).toBeGreaterThan(Math.min(begun.length, 20) - 3);
    }
  }

  #run(name: string): RunReport | null {
    try {
      return (this.host.process(name) as unknown as { report: RunReport }).report;
    } catch {
      return null;
    }
  }

  #lives(name: string): boolean {
    return this.#run(name)?.exit === null;
  }
}

function definitionOf(name: string): ProcessDefinition {
  const definition = CONFIG.processes.get(name);
  if (!definition) throw new Error(`no ${name}`);
  return definition;
}

type Step = readonly [label: string, act: (world: World) => unknown];

function crashAlone(crashed: string, isKilled: boolean, ms: number): Step {
  return [
    `${isKilled ? "manager killed" : "link cut"}, ${crashed} crashes when the host is alone, ${ms} ms`,
    async (w) => {
      if (isKilled) await w.killManager();
      else Object.assign(w.wire, { toHost: false, toManager: false });
      await w.clock.advance(14_000);
      w.end(crashed, 1);
      await w.clock.advance(ms);
    },
  ];
}

function reboot(isKilled: boolean, ms: number): Step {
  return [
    `${isKilled ? "manager killed, " : ""}host reboots, ${ms} ms`,
    async (w) => {
      if (isKilled) await w.killManager();
      await w.reboot(1_000);
      await w.clock.advance(ms);
    },
  ];
}

function end(ended: string, code: number): Step {
  return [`${ended} ends with ${code}`, (w) => w.end(ended, code)];
}

function command(verb: Verb, of: string): Step {
  return [`${verb} ${of}`, (w) => w.command(verb, of)];
}

function cut(direction: Partial<World["wire"]>): Step {
  return [`cut ${Object.keys(direction).join(" and ")}`, (w) => Object.assign(w.wire, direction)];
}

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(name, fc.constantFrom(0, 1, 1, 1)).map(([n, code]) => end(n, code)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom<Verb[]>("start", "start", "stop", "restart"), name).map(([verb, n]) => command(verb, n)),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(100, 1_000, 3_000, 7_000, 14_000, 20_000).map((ms): Step => [`${ms} ms`, (w) => w.clock.advance(ms)]),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom({ toHost: false }, { toManager: false }, { toHost: false, toManager: false }).map(cut),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(name, fc.boolean(), fc.constantFrom(100, 3_000)).map(([n, isKilled, ms]) => crashAlone(n, isKilled, ms)),
  },
  { weight: 3, arbitrary: fc.constant<Step>(["link repaired", (w) => Object.assign(w.wire, { toHost: true, toManager: true })]) },
  { weight: 1, arbitrary: fc.constant<Step>(["manager killed", (w) => w.killManager()]) },
  { weight: 3, arbitrary: fc.constant<Step>(["manager started", (w) => w.startManager()]) },
  { weight: 1, arbitrary: fc.constant<Step>(["manager suspended", (w) => w.managerProgram?.suspend()]) },
  { weight: 1, arbitrary: fc.constant<Step>(["manager resumed", (w) => w.managerProgram?.resume()]) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.boolean(), fc.constantFrom(100, 5_000, 10_000)).map(([isKilled, ms]) => reboot(isKilled, ms)),
  },
  { weight: 1, arbitrary: fc.constant<Step>(["host suspended", (w) => w.hostProgram.suspend()]) },
  { weight: 1, arbitrary: fc.constant<Step>(["host resumed", (w) => w.hostProgram.resume()]) },
);

/** A history begins with everything running, so that there is something to lose. */
async function play(steps: readonly Step[]): Promise<Pick<World, "restartsAlone" | "resumed">> {
  const world = new World();
  try {
    world.startManager();
    await world.clock.advance(3_000);
    for (const each of NAMES) world.command("start", each);
    await world.clock.advance(100);
    for (const [, act] of steps) {
      await act(world);
      await world.clock.settle();
      world.check();
    }
    await world.checkEnd();
    return world;
  } finally {
    await world.close();
  }
}

test("a run that the host started after a boot is in the list of past runs although a start that failed with the power has a later number", async () => {
  await play([end("driver", 0), reboot(false, 100), crashAlone("driver", false, 100)]);
});

test("a start that no manager knows to be carried out is repeated, as the same run, after a power cut", async () => {
  await play([end("careful", 0), cut({ toManager: false }), command("start", "careful"), reboot(false, 5_000)]);
});

test("a restart that the host did not receive is carried out by the next manager, with what depends on the process", async () => {
  await play([cut({ toHost: false }), command("restart", "base"), reboot(false, 100), crashAlone("driver", true, 100)]);
});

test("whatever happens to manager, host and link: no run is doubled, no accepted command is lost, no restart exceeds its policy", async () => {
  let histories = 0;
  // Independent of the speed of the machine, there are restarts without a manager.
  let { restartsAlone } = await play([crashAlone("careful", true, 3_000)]);
  expect(restartsAlone).toBe(1);
  let { resumed } = await play([reboot(true, 10_000)]);
  expect(resumed).toBe(NAMES.length);
  const began = performance.now();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = await play(steps);
      restartsAlone += world.restartsAlone;
      resumed += world.resumed;
      histories++;
    }),
    LIMITS,
  );
  console.info(
    `${histories} histories in ${Math.round(performance.now() - began)} ms, ${restartsAlone} restarts and ${resumed} starts after a boot without a manager`,
  );
}, 3_600_000);
