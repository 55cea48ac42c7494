import fc from "fast-check";
import { expect, test } from "vitest";
import { Engine } from "../../../src/app/engine.ts";
import { effectiveCommand } from "../../../src/config/effective-command.ts";
import { loadConfigObject } from "../../../src/config/load/load.ts";
import { NO_SETTINGS, type ProcessSettings, withOverride } from "../../../src/config/state/process-settings.ts";
import type { RunSpec } from "../../../src/contract/run.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import type { ProcessState } from "../../../src/protocol/resources/resources.ts";
import { testClock } from "../../actors/support/clock.ts";
import { BY, Intents } from "../support/engines.ts";
import { FakeHost } from "../support/fake-host.ts";
import { settled } from "../support/scripted-link.ts";

const RUNS = Number(process.env.MGR_MODEL_RUNS ?? 200);
const TOOL = { value: "t", label: "tool", command: "wrap {command}" };
const ALTERNATES = { alternate_commands: { debug: "run --debug" } };
const CONFIG = loadConfigObject(
  {
    instance: { name: "model", start_tools: [TOOL] },
    processes: {
      "g/job": { command: "run job", ...ALTERNATES },
      "g/server": { command: "run server", ready: { regex: "up" }, ...ALTERNATES },
      daemon: { command: "run daemon", restart: { policy: "always", delay: "1s", factor: 1, max_restarts: 1_000 }, ...ALTERNATES },
      careful: { command: "run careful", restart: { policy: "on-failure", delay: "1s", factor: 1, max_restarts: 1_000 }, ...ALTERNATES },
    },
  },
  { base_dir: "/", state_dir: "/nowhere" },
);
const NAMES = [...CONFIG.processes.keys()];
const GROUP = NAMES.filter((name) => name.startsWith("g/"));

/** One process, as docs/design/wire-rules.md, "States and transitions", has it, with a host that answers at once. */
class Model {
  state: ProcessState = "stopped";
  requested: "start" | "stop" = "stop";
  settings: ProcessSettings = NO_SETTINGS;
  #startAfterStop = false;
  readonly #policy: string;
  readonly #hasReady: boolean;

  constructor(name: string) {
    const definition = CONFIG.processes.get(name);
    this.#policy = definition?.restart.policy ?? "never";
    this.#hasReady = definition?.ready !== null;
  }

  get isAlive(): boolean {
    return this.state === "started" || this.state === "ready" || this.state === "stopping";
  }

  start(): void {
    this.requested = "start";
    if (this.state === "stopping") this.#startAfterStop = true;
    else if (!this.isAlive) this.state = "started";
  }
  restart(): void {
    if (this.state === "started" || this.state === "ready") this.state = "stopping";
    this.start();
  }
  stop(): void {
    this.requested = "stop";
    this.#startAfterStop = false;
    this.state = this.isAlive ? "stopping" : "stopped";
  }
  ready(): void {
    if (this.state === "started" && this.#hasReady) this.state = "ready";
  }
  end(code: number): void {
    if (this.state === "stopping") {
      this.state = this.#startAfterStop ? "started" : "stopped";
      this.#startAfterStop = false;
    } else if (this.isAlive) {
      const isRestarted = this.#policy === "always" || (this.#policy === "on-failure" && code !== 0);
      this.state = isRestarted ? "backoff" : code === 0 ? "stopped" : "error";
    }
  }
  delayOver(): void {
    if (this.state === "backoff") this.state = "started";
  }
}

class ModelProcesses {
  readonly clock = testClock();
  readonly host = new FakeHost(() => this.clock.now());
  readonly intents = new Intents();
  readonly log = new LogBook({ capacity: 10_000, now: () => this.clock.now() });
  readonly models = new Map(NAMES.map((name) => [name, new Model(name)]));
  readonly engine = new Engine({
    config: CONFIG,
    clock: this.clock,
    log: this.log,
    intents: this.intents,
    epoch: 1,
    link: this.host,
  });

  async begin(): Promise<void> {
    this.host.onSpawn = (spec) => this.checkSpawn(spec);
    this.host.beatNow();
    await this.settle();
    expect(this.engine.processTable.isHostReady()).toBe(true);
  }

  /** A run is started with what is set at that moment. */
  checkSpawn(spec: RunSpec): void {
    const { settings, requested } = this.model(spec.name);
    const definition = CONFIG.processes.get(spec.name);
    if (!definition) throw new Error(`no ${spec.name}`);
    const { text } = effectiveCommand(definition, settings, [TOOL]);
    if (spec.command !== text) this.host.violations.push(`${spec.name} is spawned as '${spec.command}', not '${text}'`);
    if ((spec.environment.MGR_DEBUG === "1") !== settings.svc_debug) this.host.violations.push(`${spec.name} has the wrong MGR_DEBUG`);
    if (requested === "stop") this.host.violations.push(`${spec.name} is spawned although a stop is requested`);
  }

  model(name: string): Model {
    const model = this.models.get(name);
    if (!model) throw new Error(`no ${name}`);
    return model;
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await settled();
  }

  check(): void {
    expect(this.host.violations).toEqual([]);
    for (const [name, { state, requested, settings, isAlive }] of this.models) {
      const shown = this.engine.control.state.process(name);
      expect({ name, state: shown?.state, requested: shown?.requested_state }).toEqual({ name, state, requested });
      expect(shown?.pid !== null).toBe(isAlive);
      expect(shown).toMatchObject({
        command_override: settings.overrides.find(([label]) => label === "default")?.[1] ?? null,
        current_alternate_command: settings.which,
        start_tool: settings.start_tool,
        svc_debug: settings.svc_debug,
      });
      // What is wanted outlives the manager.
      if (requested === "start" || this.intents.get(name).requested_state !== undefined)
        expect(this.intents.get(name).requested_state).toBe(requested);
      expect(this.intents.get(name).settings ?? NO_SETTINGS).toEqual(settings);
    }
  }

  close(): void {
    this.engine.close();
  }
}

type Step = { readonly label: string; readonly act: (modelProcesses: ModelProcesses) => unknown };

const VERBS = ["start", "stop", "restart"] as const;
const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom(...VERBS), name).map(([verb, name]) => ({
    label: `${verb} ${name}`,
    act: (modelProcesses: ModelProcesses) => {
      modelProcesses.model(name)[verb]();
      modelProcesses.engine.control.commands.process(verb, name, BY);
    },
  })),
  fc.constantFrom(...VERBS).map((verb) => ({
    label: `${verb} group`,
    act: (modelProcesses: ModelProcesses) => {
      for (const member of GROUP) modelProcesses.model(member)[verb]();
      modelProcesses.engine.control.commands.group(verb, "g", BY);
    },
  })),
  fc
    .tuple(name, fc.constantFrom("default", "debug"), fc.constantFrom(null, "", "other x", "other 'y z'"))
    .map(([name, which, override]) => ({
      label: `override ${name} ${which} ${override}`,
      act: (modelProcesses: ModelProcesses) => {
        const model = modelProcesses.model(name);
        model.settings = withOverride(model.settings, which, override || null);
        return modelProcesses.engine.control.settings.overrideCommand(name, which, override, BY);
      },
    })),
  fc.tuple(name, fc.constantFrom("default", "debug")).map(([name, which]) => ({
    label: `select ${name} ${which}`,
    act: (modelProcesses: ModelProcesses) => {
      const model = modelProcesses.model(name);
      model.settings = { ...model.settings, which };
      return modelProcesses.engine.control.settings.selectCommand(name, which, BY);
    },
  })),
  fc.tuple(name, fc.constantFrom("t", "none", null)).map(([name, start_tool]) => ({
    label: `tool ${name} ${start_tool}`,
    act: (modelProcesses: ModelProcesses) => {
      const model = modelProcesses.model(name);
      model.settings = { ...model.settings, start_tool };
      return modelProcesses.engine.control.settings.setAttribute(name, "start_tool", start_tool, BY);
    },
  })),
  fc.tuple(name, fc.boolean()).map(([name, svc_debug]) => ({
    label: `debug ${name} ${svc_debug}`,
    act: (modelProcesses: ModelProcesses) => {
      const model = modelProcesses.model(name);
      model.settings = { ...model.settings, svc_debug };
      return modelProcesses.engine.control.settings.setAttribute(name, "svc_debug", svc_debug, BY);
    },
  })),
  fc.tuple(name, fc.constantFrom("nothing", "'")).map(([name, wrong]) => ({
    label: `refused ${name}`,
    act: async (modelProcesses: ModelProcesses) => {
      const control = modelProcesses.engine.control;
      await expect(async () => control.settings.selectCommand(name, wrong, BY)).rejects.toThrow();
      await expect(async () => control.settings.setAttribute(name, "start_tool", wrong, BY)).rejects.toThrow();
      await expect(async () => control.settings.overrideCommand(name, "default", "'", BY)).rejects.toThrow();
    },
  })),
  fc.tuple(name, fc.constantFrom(0, 1)).map(([name, code]) => ({
    label: `${name} ends with ${code}`,
    act: (modelProcesses: ModelProcesses) => {
      modelProcesses.model(name).end(code);
      modelProcesses.host.end(name, { code, signal: null });
    },
  })),
  name.map((name) => ({
    label: `${name} is ready`,
    act: (modelProcesses: ModelProcesses) => {
      modelProcesses.model(name).ready();
      modelProcesses.host.becomeReady(name);
    },
  })),
  fc.constant({
    label: "delays are over",
    act: (modelProcesses: ModelProcesses) => {
      for (const model of modelProcesses.models.values()) model.delayOver();
      modelProcesses.host.beatNow();
      modelProcesses.clock.advance(1_000);
    },
  }),
);

test(`random commands and ends lead where the state table says (${RUNS} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const modelProcesses = new ModelProcesses();
      try {
        await modelProcesses.begin();
        for (const { act } of steps) {
          const asked = act(modelProcesses);
          await modelProcesses.settle();
          await asked;
          modelProcesses.check();
        }
        // Whatever came before: a stop by the user wins.
        for (const name of NAMES) {
          modelProcesses.model(name).stop();
          modelProcesses.engine.control.commands.process("stop", name, BY);
        }
        await modelProcesses.settle();
        for (const name of NAMES) {
          modelProcesses.model(name).end(0);
          modelProcesses.host.end(name, { code: null, signal: "SIGTERM" });
        }
        modelProcesses.clock.advance(2_000);
        await modelProcesses.settle();
        modelProcesses.check();
        expect(NAMES.map((name) => modelProcesses.engine.control.state.process(name)?.state)).toEqual(NAMES.map(() => "stopped"));
      } finally {
        modelProcesses.close();
      }
    }),
    { numRuns: RUNS },
  );
}, 3_600_000);
