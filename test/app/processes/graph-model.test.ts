import fc from "fast-check";
import { expect, test } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import type { Config, Dependency } from "../../../src/config/definition.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { testClock } from "../../actors/support/clock.ts";
import { BY, Intents } from "../support/engines.ts";
import { FakeHost } from "../support/fake-host.ts";
import { settled } from "../support/scripted-link.ts";

const RUNS = Number(process.env.MGR_MODEL_RUNS ?? 75);
const VERBS = ["start", "stop", "restart"] as const;
const WAIT_MS = 1_000;

interface Shape {
  ready: boolean;
  policy: "never" | "on-failure" | "always";
  autostart: boolean;
  needs: { of: number; condition: "started" | "ready" | "completed"; on_stop: "stop" | "restart" | "keep" }[];
}

/** Whatever a process needs stands before it: no cycles. Every second one is in the group. */
function configOf(shapes: readonly Shape[]): Config {
  const name = (index: number) => `${index % 2 === 0 ? "g/" : ""}p${index}`;
  const processes = shapes.map(({ ready, policy, autostart, needs }, index) => {
    const depends_on = Object.fromEntries(
      needs.flatMap(({ of, condition, on_stop }) => (index === 0 ? [] : [[name(of % index), { condition, on_stop }] as const])),
    );
    const restart = { policy, delay: `${WAIT_MS}ms`, factor: 1, max_restarts: 3, window: "1h", reset_after: "1h" };
    return [
      name(index),
      { command: "run", autostart, restart, stop: { timeout: "1h" }, ...(ready ? { ready: { regex: "up" } } : {}), depends_on },
    ];
  });
  return loadConfigObject(
    { instance: { name: "model" }, processes: Object.fromEntries(processes) },
    { base_dir: "/", state_dir: "/nowhere" },
  );
}

/** A manager over a host that runs nothing, and what has to hold of both: docs/architecture.md, "What always holds". */
class ModelProcesses {
  readonly config: Config;
  readonly names: string[];
  readonly clock = testClock();
  readonly host = new FakeHost(() => this.clock.now());
  readonly intents = new Intents();
  readonly #log = new LogBook({ capacity: 1_000, now: () => this.clock.now() });
  /** Accepted restarts by name, with the run that each has to replace. */
  readonly #restarts = new Map<string, string | null>();
  #epoch = 0;
  engine: Engine;

  constructor(config: Config) {
    this.config = config;
    this.names = [...config.processes.keys()];
    this.host.onSpawn = ({ name }) => this.#checkSpawn(name);
    this.host.onStop = (name) => this.#checkStop(name);
    this.engine = this.#open();
  }

  #open(): Engine {
    const { config, clock, intents, host } = this;
    return new Engine({ config, clock, log: this.#log, intents, epoch: ++this.#epoch, link: host });
  }

  async begin(): Promise<void> {
    this.host.beatNow();
    await this.settle();
  }

  /** The manager is killed, and another one begins with what is on the disk. `meanwhile` happens without any. */
  async replaceManager(meanwhile = () => {}): Promise<void> {
    this.engine.close();
    this.host.listeners.clear();
    meanwhile();
    await this.settle();
    this.engine = this.#open();
    await this.begin();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await settled();
  }

  endStopping(): void {
    for (const [name, { report }] of this.host.runs) if (report.stopping) this.host.end(name, { code: null, signal: "SIGTERM" });
  }

  shown(name: string): Process {
    const process = this.engine.control.state.process(name);
    if (!process) throw new Error(`no ${name}`);
    return process;
  }

  lives(name: string): boolean {
    const run = this.host.runs.get(name)?.report;
    return run !== undefined && run.exit === null;
  }

  #needs(name: string): readonly Dependency[] {
    return this.config.processes.get(name)?.depends_on ?? [];
  }

  /** By what the host knows, not by what the manager thinks. */
  #holds({ name, condition }: Dependency): boolean {
    const run = this.host.runs.get(name)?.report;
    if (run === undefined) return false;
    if (condition === "completed") return run.exit?.code === 0;
    if (run.exit !== null) return false;
    return condition === "started" || run.ready || this.config.processes.get(name)?.ready === null;
  }

  #checkSpawn(name: string): void {
    if (this.shown(name).requested_state !== "start") this.host.violations.push(`${name} is spawned although a stop is requested`);
    for (const need of this.#needs(name))
      if (!this.#holds(need)) this.host.violations.push(`${name} is spawned without ${need.condition} of ${need.name}`);
  }

  #checkStop(name: string): void {
    for (const dependent of this.names) {
      if (!this.#needs(dependent).some((need) => need.name === name && need.on_stop !== "keep")) continue;
      if (this.shown(dependent).state === "stopping" && this.host.runs.get(dependent)?.report.extinct === false)
        this.host.violations.push(`${name} is stopped before ${dependent}, which needs it, is gone`);
    }
  }

  check(): void {
    expect(this.host.violations).toEqual([]);
    for (const name of this.names) {
      const { state, requested_state, pid, waiting_for } = this.shown(name);
      const run = this.host.runs.get(name)?.report;
      const about = { name, state, requested_state, run: run && { ready: run.ready, exit: run.exit, extinct: run.extinct } };
      if (requested_state === "stop") expect(["stopped", "stopping", "error"], JSON.stringify(about)).toContain(state);
      if (state === "started" || state === "ready") expect(this.lives(name), JSON.stringify(about)).toBe(true);
      if (state === "ready") expect(run?.ready, JSON.stringify(about)).toBe(true);
      if (this.lives(name)) expect(["started", "ready", "stopping"], JSON.stringify(about)).toContain(state);
      expect(pid, JSON.stringify(about)).toBe(this.lives(name) ? run?.pid : null);
      expect(waiting_for.length > 0, JSON.stringify(about)).toBe(state === "waiting");
      const unmet = this.#needs(name).filter((need) => waiting_for.includes(need.name));
      expect(unmet).toHaveLength(waiting_for.length);
      for (const need of unmet) this.#checkHope(name, need);
      const intent = this.intents.get(name).requested_state;
      if (intent !== undefined) expect(intent, name).toBe(requested_state);
      // The restart has come to its end; a later manager judges the process by the last run that began.
      if (this.#restarts.has(name) && this.#failedToStart(name)) this.#restarts.delete(name);
    }
  }

  /** What is waited for can still come: else it would be an error that names it. */
  #checkHope(name: string, { name: needed }: Dependency): void {
    const { state, requested_state } = this.shown(needed);
    const isHopeless = state === "error" || (state === "stopped" && requested_state === "stop");
    expect(isHopeless, `${name} waits for ${needed}, which is ${state}`).toBe(false);
  }

  groupCommand(verb: (typeof VERBS)[number]): void {
    const members = this.names.filter((name) => name.startsWith("g/"));
    this.engine.control.commands.group(verb, "g", BY);
    this.#noteRestarts(verb, members);
  }

  /** What users want now of the restarts that were accepted before. */
  #noteRestarts(verb: (typeof VERBS)[number], names: readonly string[]): void {
    if (verb === "restart") for (const name of names) this.#restarts.set(name, this.host.runs.get(name)?.report.run_id ?? null);
    for (const name of this.names) if (this.shown(name).requested_state === "stop") this.#restarts.delete(name);
  }

  /** What was accepted has come to a new run, or to an error that is not the end of the old one. */
  #checkRestarts(): void {
    for (const [name, before] of this.#restarts) {
      if (this.host.runs.get(name)?.report.run_id !== before) continue;
      expect(this.#failedToStart(name), `${name} is ${this.shown(name).state}, and no run has begun after ${before}`).toBe(true);
    }
  }

  /** It is in error, and not by the end of its last run. */
  #failedToStart(name: string): boolean {
    const { state, exit } = this.shown(name);
    return state === "error" && exit?.reason != null;
  }

  command(verb: (typeof VERBS)[number], name: string): void {
    const { graph } = this.engine.processTable;
    const before = new Map(this.names.map((each) => [each, this.shown(each).requested_state]));
    this.engine.control.commands.process(verb, name, BY);
    this.#noteRestarts(verb, [name]);
    const expected = verb === "stop" ? "stop" : "start";
    // Accepted means: in this very turn.
    expect(this.shown(name).requested_state).toBe(expected);
    if (verb === "stop") for (const each of graph.dependents([name])) expect(this.shown(each).requested_state, each).toBe("stop");
    else {
      for (const each of this.engine.processTable.unmet(name).missing) expect(this.shown(each).requested_state, each).toBe("start");
      for (const each of this.names) if (before.get(each) === "start") expect(this.shown(each).requested_state, each).toBe("start");
    }
  }

  /** Nobody commands any more, jobs end well, what can become ready does: nothing waits for ever. */
  async comeToRest(): Promise<void> {
    for (let round = 0; round < 3 * this.names.length + 3; round++) {
      for (const name of this.names) {
        const run = this.host.runs.get(name)?.report;
        // One after the other: the manager cannot know what it has not been told yet.
        if (run && (run.stopping || (run.exit !== null && !run.extinct))) this.host.end(name, { code: null, signal: "SIGTERM" });
        await this.settle();
        const isJob = this.names.some((each) => this.#needs(each).some((need) => need.name === name && need.condition === "completed"));
        if (isJob) this.host.end(name, { code: 0, signal: null });
        else if (this.config.processes.get(name)?.ready) this.host.becomeReady(name);
        await this.settle();
      }
      this.host.beatNow();
      this.clock.advance(WAIT_MS);
      await this.settle();
      this.check();
    }
    for (const name of this.names) {
      const { state } = this.shown(name);
      // A job under `restart: always` goes on for ever.
      if (state !== "backoff") expect(["stopped", "error", "started", "ready"], `${name} is ${state}`).toContain(state);
    }
    this.#checkRestarts();
  }

  close(): void {
    this.engine.close();
  }
}

class Step {
  readonly label: string;
  readonly act: (modelProcesses: ModelProcesses) => unknown;

  constructor(label: string, act: (modelProcesses: ModelProcesses) => unknown) {
    this.label = label;
    this.act = act;
  }

  /** What a counterexample shows of it. */
  [fc.toStringMethod](): string {
    return this.label;
  }
}

const index = fc.nat({ max: 1_000 });
const nameOf = (modelProcesses: ModelProcesses, at: number) => modelProcesses.names[at % modelProcesses.names.length] ?? "";
const on = (label: string, act: (modelProcesses: ModelProcesses, name: string) => unknown): fc.Arbitrary<Step> =>
  index.map((at) => new Step(`${label} ${at}`, (modelProcesses) => act(modelProcesses, nameOf(modelProcesses, at))));

const step: fc.Arbitrary<Step> = fc.oneof(
  ...VERBS.map((verb) => ({ weight: 3, arbitrary: on(verb, (modelProcesses, name) => modelProcesses.command(verb, name)) })),
  ...VERBS.map((verb) => fc.constant(new Step(`${verb} group`, (modelProcesses) => modelProcesses.groupCommand(verb)))),
  { weight: 3, arbitrary: on("is ready", (modelProcesses, name) => modelProcesses.host.becomeReady(name)) },
  { weight: 2, arbitrary: on("ends well", (modelProcesses, name) => modelProcesses.host.end(name, { code: 0, signal: null })) },
  { weight: 2, arbitrary: on("fails", (modelProcesses, name) => modelProcesses.host.end(name, { code: 1, signal: null })) },
  on("its leader ends, its tree lives", (modelProcesses, name) => modelProcesses.host.endLeader(name, { code: 0, signal: null })),
  on("cannot be started", (modelProcesses) => {
    modelProcesses.host.failNextSpawn = "no such program";
  }),
  {
    weight: 2,
    arbitrary: fc.constant(
      new Step("time passes", (modelProcesses) => {
        modelProcesses.host.beatNow();
        modelProcesses.clock.advance(WAIT_MS);
      }),
    ),
  },
  fc.constant(
    new Step("the host is silent, and back", async (modelProcesses) => {
      modelProcesses.clock.advance(7_000);
      await modelProcesses.settle();
      modelProcesses.host.beatNow();
      await modelProcesses.settle();
    }),
  ),
  fc.constant(new Step("the manager is replaced", (modelProcesses) => modelProcesses.replaceManager())),
  fc.constant(
    new Step("the manager is replaced, and what was being stopped has ended", (modelProcesses) =>
      modelProcesses.replaceManager(() => modelProcesses.endStopping()),
    ),
  ),
);

const shape: fc.Arbitrary<Shape> = fc.record({
  ready: fc.boolean(),
  policy: fc.constantFrom("never", "never", "on-failure", "always"),
  autostart: fc.boolean(),
  needs: fc.array(
    fc.record({
      of: fc.nat({ max: 7 }),
      condition: fc.constantFrom("started", "ready", "completed"),
      on_stop: fc.constantFrom("stop", "restart", "keep"),
    }),
    { maxLength: 3 },
  ),
});

test(`random configurations and commands break no invariant (${RUNS} runs)`, { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 6 }), fc.array(step, { maxLength: 40 }), async (shapes, steps) => {
      const modelProcesses = new ModelProcesses(configOf(shapes));
      try {
        await modelProcesses.begin();
        for (const { act } of steps) {
          // A command while the host is away is refused: that is not what is tried here.
          if (modelProcesses.engine.processTable.isHostReady()) await act(modelProcesses);
          await modelProcesses.settle();
          modelProcesses.check();
        }
        modelProcesses.host.failNextSpawn = null;
        await modelProcesses.comeToRest();
      } finally {
        modelProcesses.close();
      }
    }),
    { numRuns: RUNS },
  );
});

test("a restart outlives the manager although the dependent of the process is stopped", async () => {
  const needs: Shape["needs"] = [{ of: 0, condition: "started", on_stop: "stop" }];
  const usual = { ready: false, policy: "never" } as const;
  const modelProcesses = new ModelProcesses(
    configOf([
      { ...usual, autostart: false, needs: [] },
      { ...usual, autostart: true, needs },
    ]),
  );
  try {
    await modelProcesses.begin();
    expect(modelProcesses.shown("g/p0").state).toBe("started");
    modelProcesses.command("stop", "p1");
    modelProcesses.command("restart", "g/p0");
    await modelProcesses.settle();
    await modelProcesses.replaceManager();
    await modelProcesses.comeToRest();
    expect(modelProcesses.shown("g/p0")).toMatchObject({ state: "started", requested_state: "start" });
    expect(modelProcesses.host.runs.get("g/p0")?.report.run_id).not.toBe("1-1");
  } finally {
    modelProcesses.close();
  }
});
