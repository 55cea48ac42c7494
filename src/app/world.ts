import type { DomainEvents } from "../actors/domain-events.ts";
import { runLives } from "../actors/process-context.ts";
import type { ProcessSnapshot } from "../actors/process-machine.ts";
import { toProcess, toTree } from "../actors/resources.ts";
import type { ActorSystem } from "../actors/system.ts";
import type { Config } from "../config/definition.ts";
import type { HostEntry, Process, ProcessState, ProcessTreeNode } from "../protocol/resources.ts";
import { type DependencyFacts, DependencyGraph, type Unmet, unmetDependencies } from "./dependencies.ts";
import { localHostEntry } from "./host-names.ts";
import type { HostSession } from "./host-session.ts";

/** States in which something of the process lives or is about to. */
const ALIVE: ReadonlySet<ProcessState> = new Set<ProcessState>(["waiting", "starting", "started", "ready", "stopping"]);

interface WorldOptions {
  config: Config;
  system: ActorSystem;
  events: DomainEvents;
  hostName: string;
  session: () => HostSession | null;
}

/** What the manager's actors say is so, projected to resources. Reads only; every answer is of this turn. */
export class World {
  readonly config: Config;
  readonly graph: DependencyGraph;
  readonly hostName: string;
  readonly #system: ActorSystem;
  readonly #events: DomainEvents;
  readonly #session: () => HostSession | null;
  /** Projections by the snapshot they were made from: 1,000 processes are not projected anew for each client. */
  readonly #projected = new Map<string, { of: ProcessSnapshot; process: Process }>();
  /** What is still shown of processes whose actor is parked. */
  readonly #parked = new Map<string, Process>();

  constructor({ config, system, events, hostName, session }: WorldOptions) {
    this.config = config;
    this.graph = new DependencyGraph(() => this.config);
    this.hostName = hostName;
    this.#system = system;
    this.#events = events;
    this.#session = session;
  }

  names(): string[] {
    return [...this.config.processes.keys()];
  }

  process(name: string): Process | undefined {
    const snapshot = this.#snapshot(name);
    if (!snapshot) return this.#parked.get(name);
    const known = this.#projected.get(name);
    if (known?.of === snapshot) return known.process;
    const process = toProcess(snapshot.context, { host: this.hostName });
    this.#projected.set(name, { of: snapshot, process });
    return process;
  }

  /** The actor of `name` is given up: shown as `error`, with pid and requested state kept (runtime.md, "Actors"). */
  park(name: string, reason: string, time: string): void {
    const last = this.#projected.get(name)?.process;
    if (!last) return;
    this.#parked.set(name, { ...last, state: "error", exit: { code: null, signal: null, reason, time } });
  }

  tree(scope?: string): ProcessTreeNode[] {
    return toTree({ config: this.config, stateOf: (name) => this.process(name)?.state ?? "stopped", scope });
  }

  hosts(): HostEntry[] {
    return [localHostEntry(this.hostName, this.isHostReady())];
  }

  isHostReady(): boolean {
    return this.#system.get("host", this.hostName)?.getSnapshot().matches("ready") ?? false;
  }

  /** The host's daemon speaks another contract: it will not become ready by waiting. */
  isIncompatible(): boolean {
    return this.#system.get("host", this.hostName)?.getSnapshot().matches("incompatible") ?? false;
  }

  sessionOf(name: string): HostSession | null {
    return this.config.processes.has(name) ? this.#session() : null;
  }

  /** The run of `name` whose leader lives, or null. */
  livingRun(name: string): string | null {
    const context = this.#snapshot(name)?.context;
    return context && runLives(context) ? context.runId : null;
  }

  stateOf(name: string): ProcessState | undefined {
    return this.process(name)?.state;
  }

  unmet(name: string): Unmet {
    const definition = this.config.processes.get(name);
    return definition ? unmetDependencies(definition, (each) => this.#facts(each)) : { missing: [], impossible: null };
  }

  /** Resolves when no process is alive any more; looks again at every change. */
  allAtRest(): Promise<void> {
    const atRest = () => this.names().every((name) => !ALIVE.has(this.stateOf(name) ?? "stopped"));
    return this.#until(atRest);
  }

  /** Resolves when none of `names` is being stopped any more. Aborting rejects. */
  noneStopping(names: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#until(() => names.every((name) => this.stateOf(name) !== "stopping"), signal);
  }

  #until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (condition()) return resolve();
      const leave = this.#events.subscribe(() => {
        if (!condition()) return;
        leave();
        signal?.removeEventListener("abort", aborted);
        resolve();
      });
      const aborted = () => {
        leave();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", aborted, { once: true });
    });
  }

  #facts(name: string): DependencyFacts | undefined {
    const snapshot = this.#snapshot(name);
    const process = this.process(name);
    if (!process) return undefined;
    return {
      state: process.state,
      unknown: snapshot?.matches("unknown") ?? false,
      requested: process.requested_state === "start" ? "start" : "stop",
      hasReadyState: process.has_ready_state,
      lastRunSucceeded: snapshot?.context.lastRunSucceeded ?? null,
    };
  }

  #snapshot(name: string): ProcessSnapshot | undefined {
    return this.#system.get("process", name)?.getSnapshot();
  }
}
