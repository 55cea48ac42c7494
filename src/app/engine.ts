import type { InspectionEvent } from "xstate";
import { DomainEvents } from "../actors/domain-events.ts";
import { groupMachine } from "../actors/group-machine.ts";
import type { ProcessEmitted } from "../actors/process-types.ts";
import { type ActorKind, type ActorScope, ActorSystem } from "../actors/system.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import { ancestorNames, isWithin } from "../base/names.ts";
import type { Config, ProcessDefinition } from "../config/definition.ts";
import { buildRunSpec, stopRanks } from "../config/run-spec.ts";
import type { HostLink } from "../contract/host-link.ts";
import type { LogBook } from "../log/log-book.ts";
import { formatTime } from "../protocol/time.ts";
import { OutputHub } from "../transport/output-hub.ts";
import { ActorControl } from "./control.ts";
import { processWithEffects } from "./effects/providers.ts";
import { HostConductor } from "./host-conductor.ts";
import { inheritedVariables } from "./inherited.ts";
import { World } from "./world.ts";

/** What users want, kept over restarts: the intent file, or memory in an embedding program. */
export interface IntentKeeper {
  get(name: string): { readonly requested_state?: "start" | "stop"; readonly rows?: number; readonly cols?: number };
  set(name: string, patch: { requested_state?: "start" | "stop"; rows?: number; cols?: number }): void;
  /** Resolves when everything set so far is durable. */
  flush(): Promise<void>;
}

export interface EngineOptions {
  config: Config;
  clock: Clock;
  log: LogBook;
  intents: IntentKeeper;
  /** Of this boot, higher than that of every manager before. */
  epoch: number;
  /** The one host, by its canonical name. */
  link: HostLink;
  onHostDied: () => void;
  inspect?: ((event: InspectionEvent) => void) | undefined;
}

/** Actors, output hub and control of one manager, without port, files or processes of its own. */
export class Engine {
  readonly control: ActorControl;
  readonly events: DomainEvents;
  readonly hub: OutputHub;
  readonly system: ActorSystem;
  readonly world: World;
  readonly #options: EngineOptions;
  readonly #conductor: HostConductor;
  readonly #ranks: ReadonlyMap<string, number>;
  /** True while everything is stopped for the end: what users want stays as it is. */
  #intentFrozen = false;
  #runs = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#ranks = stopRanks(options.config);
    const { config, clock, log, link } = options;
    const hostName = link.host;
    this.events = new DomainEvents((error) =>
      log.append({ level: "error", source: "manager", msg: `a listener failed: ${messageOf(error)}` }),
    );
    this.system = new ActorSystem({
      clock,
      log: (level, msg) => log.append({ level, source: "manager", msg }),
      onEmit: (kind, name, event) => this.#onEmit(kind, name, event),
      onParked: (kind, name, error) => this.#onParked(kind, name, error),
      ...(options.inspect ? { inspect: options.inspect } : {}),
    });
    this.world = new World({ config, system: this.system, events: this.events, hostName, session: () => this.#conductor.session });
    this.hub = new OutputHub({
      clock,
      source: {
        window: (_host, windows) => {
          if (this.#conductor.session.isOpen) link.window({ session: this.#conductor.session.session, windows });
        },
        hostOf: (name) => (config.processes.has(name) ? hostName : null),
      },
    });
    this.control = new ActorControl({
      manager: { name: config.instance.name, host: hostName },
      events: this.events,
      log,
      system: this.system,
      world: this.world,
    });
    this.#spawnProcesses();
    this.#spawnGroups();
    this.#conductor = new HostConductor({
      host: hostName,
      link,
      epoch: options.epoch,
      clock,
      system: this.system,
      hub: this.hub,
      log,
      processes: () => this.world.names(),
      onHostChanged: () => {
        for (const host of this.world.hosts()) this.events.publish({ type: "host_upsert", host });
      },
      onDied: options.onHostDied,
    });
  }

  /** The exit of the host's daemon was seen. */
  daemonExited(): void {
    this.system.send("host", this.#options.link.host, { type: "daemon.exited" });
  }

  /** Stops every process without changing what users want; resolves when none is alive. */
  async stopEverything(): Promise<void> {
    this.#intentFrozen = true;
    await this.control.stopEverything("the end of the manager");
  }

  close(): void {
    this.#intentFrozen = true;
    this.#conductor.close();
    this.system.stopAll();
    this.hub.close();
  }

  // ── Actors ──

  #spawnProcesses(): void {
    const wanted = this.#initiallyWanted();
    for (const name of this.world.names()) {
      this.system.spawn("process", name, (scope) => this.#processActor(name, wanted, scope));
    }
  }

  #processActor(name: string, wanted: ReadonlySet<string>, scope: ActorScope) {
    const { config, clock, intents } = this.#options;
    const definition = config.processes.get(name);
    if (!definition) throw new Error(`process '${name}' is not configured`);
    const machine = processWithEffects(
      {
        world: this.world,
        events: this.events,
        session: () => this.#conductor.session,
        intentWritten: () => intents.flush(),
        runSpec: (of, size) => this.#runSpec(of, size),
      },
      scope,
    );
    const intent = intents.get(name);
    const rebuilt = scope.rebuild > 0;
    const shown = rebuilt ? this.world.process(name)?.state : undefined;
    // A rebuilt actor knows nothing: it is told what its host last reported, once it listens.
    if (rebuilt) queueMicrotask(() => this.#conductor.reportAgain(name));
    return {
      machine,
      input: {
        definition,
        requested: (rebuilt ? intent.requested_state : undefined) ?? (wanted.has(name) ? ("start" as const) : ("stop" as const)),
        clock,
        nextRunId: () => `${this.#options.epoch}-${++this.#runs}`,
        hostReady: this.world.isHostReady(),
        size: intent.rows !== undefined && intent.cols !== undefined ? { rows: intent.rows, cols: intent.cols } : null,
        ...(shown ? { shown } : {}),
      },
    };
  }

  /** What shall run from the beginning: what users wanted last, else autostart, and what that depends on. */
  #initiallyWanted(): ReadonlySet<string> {
    const { config, intents } = this.#options;
    const wanted = new Set<string>();
    for (const { name, autostart } of config.processes.values()) {
      const intent = intents.get(name).requested_state;
      if (intent === "start" || (intent === undefined && autostart)) wanted.add(name);
    }
    for (const name of [...wanted]) {
      // Somebody's stop outweighs a dependent's wish: that one then says what it lacks.
      for (const dependency of this.world.graph.dependencies(name))
        if (intents.get(dependency).requested_state !== "stop") wanted.add(dependency);
    }
    return wanted;
  }

  #runSpec(definition: ProcessDefinition, size: { rows: number; cols: number } | null) {
    return buildRunSpec(definition, {
      command: definition.command,
      inherited: inheritedVariables(process.env, definition.pass_environment),
      stop_rank: this.#ranks.get(definition.name) ?? 0,
      size: size ?? undefined,
    });
  }

  #spawnGroups(): void {
    for (const name of this.#options.config.groups.keys()) {
      const members = () =>
        this.world
          .names()
          .filter((member) => isWithin(member, name))
          .map((member) => ({ name: member, state: this.world.stateOf(member) ?? ("stopped" as const) }));
      this.system.spawn("group", name, () => ({
        machine: groupMachine,
        input: { name, members, tell: (member, event) => void this.system.send("process", member, event) },
      }));
    }
  }

  // ── What actors say ──

  #onEmit(kind: ActorKind, name: string, event: { type: string }): void {
    if (kind === "process") this.#onProcess(name, event as ProcessEmitted);
    else if (kind === "host") this.#conductor.onEmit(event);
  }

  #onProcess(name: string, event: ProcessEmitted): void {
    const { log, intents } = this.#options;
    switch (event.type) {
      case "changed":
        if (event.reason !== null)
          log.append({ level: event.to === "error" ? "error" : "warning", source: "manager", msg: `process '${name}': ${event.reason}` });
        log.append({
          level: event.to === "error" ? "error" : "info",
          source: "manager",
          msg: `process '${name}' changes state from '${event.from}' to '${event.to}'`,
        });
        this.#publish(name);
        for (const group of ancestorNames(name)) this.system.send("group", group, { type: "member", name, state: event.to });
        break;
      case "updated":
        this.#publish(name);
        break;
      case "intent":
        if (!this.#intentFrozen) intents.set(name, { requested_state: event.requested_state });
        break;
      case "note":
        log.append({ level: event.level, source: "manager", msg: `process '${name}': ${event.msg}` });
        break;
    }
  }

  #publish(name: string): void {
    const process = this.world.process(name);
    if (process) this.events.publish({ type: "process_upsert", process });
  }

  #onParked(kind: ActorKind, name: string, error: unknown): void {
    if (kind !== "process") return;
    this.world.park(name, `its actor failed again and again: ${messageOf(error)}`, formatTime(this.#options.clock.now()));
    this.#publish(name);
  }
}
