import { createActor, fromCallback } from "xstate";
import type { ProcessActor } from "../../../src/actors/process/process-machine.ts";
import { processMachine } from "../../../src/actors/process/process-machine.ts";
import type {
  EffectRequest,
  ProcessContext,
  ProcessEmitted,
  ProcessEvent,
  ProcessInput,
  SpawnInput,
  StopInput,
  WatchInput,
} from "../../../src/actors/process/process-types.ts";
import type { ProcessDefinition, RestartPolicy } from "../../../src/config/definition.ts";
import { resolveProcessParts } from "../../../src/config/features.ts";
import { PROCESS_DEFAULTS } from "../../../src/config/schema/schema-process.ts";
import { PLAIN_RUN, type RunReport } from "../../../src/contract/run.ts";
import type { ProcessState } from "../../../src/protocol/resources/resources.ts";
import { ended, report } from "../../support/fakes/run-reports.ts";
import type { TestClock } from "./clock.ts";
import { testClock, WALL } from "./clock.ts";

const NEVER: RestartPolicy = {
  policy: "never",
  delay: 1_000,
  factor: 2,
  max_delay: 60_000,
  max_restarts: 10,
  window: 300_000,
  reset_after: 60_000,
  stable_after: 10_000,
};

export function definition(
  overrides: Partial<Omit<ProcessDefinition, "restart">> & { restart?: Partial<RestartPolicy> } = {},
): ProcessDefinition {
  return {
    name: "sim/world",
    host: null,
    node: "localhost",
    command: { text: "./world", program: { kind: "exec", argv: ["./world"] } },
    alternate_commands: new Map(),
    cwd: "/",
    base_dir: "/",
    environment: {},
    pass_environment: [],
    terminal: { rows: 24, cols: 80, backlog: 4_194_304 },
    ready: null,
    ready_timeout: null,
    depends_on: [],
    stop: [{ signal: "SIGTERM", timeout_ms: 10_000 }],
    success_exit_codes: [0],
    autostart: false,
    ...PLAIN_RUN,
    essential: false,
    output_on_disk: false,
    confirm: false,
    ...resolveProcessParts((key) => PROCESS_DEFAULTS[key]),
    start_tool: null,
    ...overrides,
    restart: { ...NEVER, ...overrides.restart },
  };
}

/** An effect that is under way. What it ends with counts only while the process has not abandoned it. */
interface Pending<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A process actor with scripted effects. */
export class ProcessRig {
  readonly clock: TestClock;
  readonly actor: ProcessActor;
  readonly emitted: ProcessEmitted[] = [];
  readonly spawns: SpawnInput[] = [];
  readonly stops: StopInput[] = [];
  /** Effects that are running now. */
  spawning: Pending<RunReport> | null = null;
  stopping: Pending<"accepted" | "gone"> | null = null;
  watching: ((event: ProcessEvent) => void) | null = null;
  dependenciesHold = true;
  error: unknown = null;
  /** Order of intents and effects. */
  readonly order: string[] = [];

  constructor(input: Partial<ProcessInput> = {}, clock = testClock()) {
    this.clock = clock;
    let count = 0;
    const machine = processMachine.provide({
      guards: { dependenciesHold: () => this.dependenciesHold },
      actors: {
        watchDependencies: fromCallback<ProcessEvent, WatchInput>(({ sendBack }) => {
          this.watching = sendBack;
          return () => {
            this.watching = null;
          };
        }),
      },
    });
    const all: ProcessInput = {
      definition: definition(),
      requested: "stop",
      clock,
      nextRunId: () => `1-${++count}`,
      lastRunId: () => `1-${count}`,
      ...input,
    };
    this.actor = createActor(machine, { input: all, clock });
    this.actor.on("*", (event) => {
      if (event.type === "spawn" || event.type === "stop_run" || event.type === "abandon") return this.#take(event);
      this.emitted.push(event);
      if (event.type === "intent") this.order.push(`intent ${event.requested_state}`);
    });
    this.actor.subscribe({
      error: (error) => {
        this.error = error;
      },
    });
    this.actor.start();
  }

  #take(request: EffectRequest): void {
    if (request.type === "abandon") {
      this.spawning = null;
      this.stopping = null;
    } else if (request.type === "spawn") {
      this.spawns.push(request.run);
      this.order.push("spawn");
      const mine: Pending<RunReport> = {
        resolve: (run) => this.spawning === mine && this.send({ type: "run.spawned", run }),
        reject: (error) => this.spawning === mine && this.send({ type: "spawn.failed", error }),
      };
      this.spawning = mine;
    } else if (this.stopping === null) {
      this.stops.push(request.run);
      this.order.push("stop");
      const end = (event: ProcessEvent | null) => {
        if (this.stopping !== mine) return;
        this.stopping = null;
        if (event !== null) this.send(event);
      };
      const mine: Pending<"accepted" | "gone"> = {
        resolve: (outcome) => end(outcome === "gone" ? { type: "stop.gone" } : null),
        reject: (error) => end({ type: "effect.failed", error }),
      };
      this.stopping = mine;
    }
  }

  get context(): ProcessContext {
    return this.actor.getSnapshot().context;
  }
  get state(): ProcessState {
    return this.context.shown;
  }
  /** The visible states since the beginning. */
  get path(): ProcessState[] {
    return this.emitted.flatMap((event) => (event.type === "changed" ? [event.to] : event.type === "adopted" ? [event.state] : []));
  }
  get notes(): string[] {
    return this.emitted.flatMap((event) => (event.type === "note" ? [event.msg] : []));
  }
  get reason(): string | null {
    return this.emitted.reduce<string | null>(
      (last, event) => (event.type === "changed" || event.type === "adopted" ? event.reason : last),
      null,
    );
  }
  get runId(): string {
    return this.context.runId ?? "";
  }

  send(...events: ProcessEvent[]): this {
    for (const event of events) this.actor.send(event);
    return this;
  }
  start = () => this.send({ type: "start", by: "ann" });
  stop = () => this.send({ type: "stop", by: "ann" });
  restart = () => this.send({ type: "restart", by: "ann" });
  /** The current run, as the host would report it. */
  run = (overrides: Partial<RunReport> = {}) =>
    report(this.runId, { age_ms: this.clock.monotonic() - this.context.runBegan, ...overrides });
  spawned = (overrides: Partial<RunReport> = {}) => this.send({ type: "run.spawned", run: report(this.runId, overrides) });
  exited = (code: number | null, signal: string | null = null, overrides: Partial<RunReport> = {}) =>
    this.send({ type: "run.exited", run: this.run({ ...ended(code, signal), stop_time: WALL + this.clock.monotonic(), ...overrides }) });
  extinct = (code: number | null = 0, signal: string | null = null) =>
    this.send({ type: "run.extinct", run: this.run({ ...ended(code, signal), extinct: true, stop_time: WALL + this.clock.monotonic() }) });
  /** Ends and leaves nothing behind. */
  died = (code: number | null, signal: string | null = null) => this.exited(code, signal).extinct(code, signal);
}

/** A rig whose host has answered that it never ran the process. */
export function stoppedProcess(input: Partial<ProcessInput> = {}): ProcessRig {
  return new ProcessRig({ ...input, requested: "stop" }).send({ type: "report", run: null });
}

export function startedProcess(input: Partial<ProcessInput> = {}): ProcessRig {
  return stoppedProcess(input).start().spawned();
}

/** Lets promises of effects reach their actor. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}
