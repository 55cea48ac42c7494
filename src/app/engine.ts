import type { InspectionEvent } from "xstate";
import type { ProcessDetail } from "../actors/control.ts";
import { DomainEvents } from "../actors/domain-events.ts";
import { groupMachine } from "../actors/group-machine.ts";
import type { HostEmitted } from "../actors/host-machine.ts";
import type { ProcessEmitted, SpawnInput } from "../actors/process-types.ts";
import { type ActorKind, type ActorScope, ActorSystem } from "../actors/system.ts";
import type { Clock } from "../base/clock.ts";
import { MgrError, messageOf } from "../base/errors.ts";
import { ancestorNames, isWithin } from "../base/names.ts";
import type { Config, ProcessDefinition } from "../config/definition.ts";
import { describeDefinition, withoutSecrets } from "../config/describe-definition.ts";
import { effectiveCommand } from "../config/effective-command.ts";
import type { ProcessIntent } from "../config/intent-file.ts";
import { buildRunSpec } from "../config/run-spec.ts";
import type { HostLink } from "../contract/host-link.ts";
import { type RunSpec, specHash } from "../contract/run.ts";
import type { LogBook } from "../log/log-book.ts";
import type { Process, ProcessState } from "../protocol/resources.ts";
import { formatTime } from "../protocol/time.ts";
import { OutputHub } from "../transport/output-hub.ts";
import { type LoadConfig, RunningConfiguration } from "./configuration.ts";
import { ActorControl, type Verb } from "./control.ts";
import { processWithEffects } from "./effects/providers.ts";
import { HostConductor } from "./host-conductor.ts";
import { inheritedVariables } from "./inherited.ts";
import { ProcessSettingsBook } from "./process-settings.ts";
import { BY_CONFIGURATION, Reload } from "./reload.ts";
import { RunHistory } from "./run-history.ts";
import { startupCommands } from "./startup-commands.ts";
import { World } from "./world.ts";

/** What users want, kept over restarts: the intent file, or memory in an embedding program. */
export interface IntentKeeper {
  get(name: string): Readonly<ProcessIntent>;
  set(name: string, patch: ProcessIntent): void;
  /** Resolves when everything set so far is durable. */
  flush(): Promise<void>;
}

/** Sizes of terminals are on disk this long after the first change, milliseconds. */
const SIZES_WRITTEN_AFTER_MS = 1_000;

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
  /** A process that is configured as essential has failed. */
  onEssentialFailed?: ((process: Process) => void) | undefined;
  /** Reads the configuration again; left out where there is no file. */
  loadConfig?: LoadConfig | undefined;
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
  readonly #settings: ProcessSettingsBook;
  readonly #history = new RunHistory();
  readonly #reload: Reload;
  /** True while everything is stopped for the end: what users want stays as it is. */
  #intentFrozen = false;
  #runs = 0;
  /** Timer of the next write of terminal sizes. */
  #sizesDue: unknown = null;

  constructor(options: EngineOptions) {
    this.#options = options;
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
    this.world = new World({
      config,
      system: this.system,
      events: this.events,
      hostName,
      session: () => this.#conductor.session,
      epoch: options.epoch,
      specHashOf: (name) => specHash(this.#nextRun(name).spec),
    });
    this.hub = new OutputHub({
      clock,
      source: {
        window: (_host, windows) => {
          if (this.#conductor.session.isOpen) link.window({ session: this.#conductor.session.session, windows });
        },
        hold: (_host, name, held) => this.#hold(name, held),
        hostOf: (name) => (this.world.config.processes.has(name) ? hostName : null),
      },
    });
    this.events.subscribe((event) => {
      if (event.type === "process_remove") this.#history.forget(event.name);
    });
    this.#settings = new ProcessSettingsBook({
      config: () => this.world.config,
      keeper: options.intents,
      log,
      apply: (name, settings) => this.system.send("process", name, { type: "settings", settings }),
    });
    const configuration = new RunningConfiguration({
      current: () => this.world.config,
      load: options.loadConfig ?? null,
      plan: (next) => this.#reload.plan(next),
      take: (next) => this.#reload.apply(next),
      log,
    });
    this.control = new ActorControl({
      configuration,
      manager: { name: config.instance.name, host: hostName },
      events: this.events,
      log,
      system: this.system,
      world: this.world,
      tell: (name, event) => this.#tell(name, event),
      keepSize: (name, size) => this.#keepSize(name, size),
      settings: this.#settings,
      startupCommands: (name) => startupCommands(this.#nextRun(name).spec),
      processDetail: (name) => this.#processDetail(name),
    });
    this.#reload = new Reload({
      world: this.world,
      system: this.system,
      events: this.events,
      log,
      spawnProcess: (name) => {
        this.#spawnProcess(name, "stop");
        this.#tellNew(name);
      },
      spawnGroup: (name) => this.#spawnGroup(name),
      wanted: (names) => this.#wanted(names),
      tell: (name, event) => this.#tell(name, event),
    });
    const wanted = this.#wanted(this.world.names());
    for (const name of this.world.names()) this.#spawnProcess(name, wanted.has(name) ? "start" : "stop");
    for (const name of config.groups.keys()) this.#spawnGroup(name);
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
    this.#options.clock.clearTimeout(this.#sizesDue);
    this.#conductor.close();
    this.system.stopAll();
    this.hub.close();
  }

  // ── Actors ──

  #spawnProcess(name: string, first: "start" | "stop"): void {
    this.system.spawn("process", name, (scope) => this.#processActor(name, first, scope));
    // From here on there is something to show, whatever becomes of the actor.
    this.world.process(name);
  }

  /** A process that appears begins anew: how a run ended that had its name is another's story, a living one is its own. */
  #tellNew(name: string): void {
    const run = this.#conductor.lastReport(name);
    if (run !== null && !run.extinct) this.#conductor.reportAgain(name);
    else if (this.world.isHostReady()) this.system.send("process", name, { type: "report", run: null });
  }

  /** Sends a command to a process's actor. One that was given up gets another chance when somebody asks for something. */
  #tell(name: string, event: { type: Verb; by: string }): void {
    if (this.world.isParked(name)) {
      const requested = requestedOf(this.world.process(name));
      this.system.spawn("process", name, (scope) => this.#processActor(name, requested, scope));
      if (this.system.get("process", name)) this.world.unpark(name);
    }
    this.system.send("process", name, event);
  }

  #processActor(name: string, first: "start" | "stop", scope: ActorScope) {
    const { clock, log, intents } = this.#options;
    const definition = this.world.config.processes.get(name);
    if (!definition) throw new Error(`process '${name}' is not configured`);
    const machine = processWithEffects(
      {
        world: this.world,
        events: this.events,
        log,
        session: () => this.#conductor.session,
        intentWritten: () => intents.flush(),
        runSpec: (choices) => this.#runSpec(choices),
      },
      scope,
    );
    const { rows, cols, settings } = intents.get(name);
    // Built anew: it goes on from what was shown, and is told what its host last reported once it listens.
    const before = this.world.process(name);
    if (before || scope.rebuild > 0) queueMicrotask(() => this.#conductor.reportAgain(name));
    return {
      machine,
      input: {
        definition,
        requested: before ? requestedOf(before) : first,
        clock,
        nextRunId: () => `${this.#options.epoch}-${++this.#runs}`,
        hostReady: this.world.isHostReady(),
        size: rows !== undefined && cols !== undefined ? { rows, cols } : null,
        ...(settings ? { settings } : {}),
        ...(before ? { shown: before.state } : {}),
      },
    };
  }

  /** Of `names`, what shall run from the beginning: what users wanted last, else autostart; and all that it depends on. */
  #wanted(names: readonly string[]): ReadonlySet<string> {
    const { intents } = this.#options;
    const { config } = this.world;
    const wanted = new Set<string>();
    for (const name of names) {
      const intent = intents.get(name).requested_state;
      if (intent === "start" || (intent === undefined && config.processes.get(name)?.autostart)) wanted.add(name);
    }
    // A set shows what is added while it is walked.
    for (const name of wanted) {
      // Somebody's stop outweighs a dependent's wish: that one then says what it lacks.
      for (const dependency of config.processes.get(name)?.depends_on ?? [])
        if (intents.get(dependency.name).requested_state !== "stop") wanted.add(dependency.name);
    }
    return wanted;
  }

  #runSpec({ definition, size, settings }: Pick<SpawnInput, "definition" | "size" | "settings">) {
    return buildRunSpec(definition, {
      command: effectiveCommand(definition, settings, this.world.config.instance.start_tools),
      debug: settings.svc_debug,
      inherited: inheritedVariables(process.env, definition.pass_environment),
      stop_rank: this.world.graph.stopRank(definition.name),
      size: size ?? undefined,
    });
  }

  /** Lost with the session, which ends every hold: the hub asks again after the next hello. */
  #hold(name: string, held: boolean): void {
    const { session } = this.#conductor;
    if (!session.isOpen) return;
    session
      .command((id) => session.link.request("hold", { session: id, name, held }))
      .catch((error: unknown) => {
        const what = held ? "held back for its readers" : "let go on";
        this.#options.log.append({
          level: "warning",
          source: "manager",
          msg: `process '${name}' could not be ${what}: ${messageOf(error)}`,
        });
      });
  }

  /** What the next start of `name` would be given. */
  #nextRun(name: string): { definition: ProcessDefinition; spec: RunSpec } {
    const definition = this.world.config.processes.get(name);
    if (!definition) throw new MgrError("not_found", `there is no process '${name}'`);
    const { rows, cols } = this.#options.intents.get(name);
    const size = rows !== undefined && cols !== undefined ? { rows, cols } : null;
    return { definition, spec: this.#runSpec({ definition, size, settings: this.#settings.of(name) }) };
  }

  #processDetail(name: string): ProcessDetail {
    const { definition, spec } = this.#nextRun(name);
    return {
      environment: withoutSecrets(spec.environment),
      history: [...this.#history.of(name)],
      definition: describeDefinition(definition),
    };
  }

  #spawnGroup(name: string): void {
    // In start order: a job that is to run again must have begun before those that wait for its end are asked.
    const members = () =>
      this.world.graph
        .inStartOrder(this.world.names().filter((member) => isWithin(member, name)))
        .map((member) => ({ name: member, state: this.world.stateOf(member) ?? ("stopped" as const) }));
    const tell = (member: string, event: { type: Verb; by: string }) => {
      // What was removed from the configuration can only be stopped.
      if (event.type === "stop" || !this.world.retiring.has(member)) this.#tell(member, event);
    };
    this.system.spawn("group", name, () => ({ machine: groupMachine, input: { name, members, tell } }));
  }

  // ── What actors say ──

  #onEmit(kind: ActorKind, name: string, event: { type: string }): void {
    if (kind === "process") this.#onProcess(name, event as ProcessEmitted);
    else if (kind === "host") this.#conductor.onEmit(event as HostEmitted);
  }

  #onProcess(name: string, event: ProcessEmitted): void {
    const { log, intents } = this.#options;
    switch (event.type) {
      case "changed":
        this.#announce(name, event);
        break;
      case "updated":
        this.#publish(name);
        break;
      case "intent":
        // What the configuration wants by itself is no user's wish.
        if (!this.#intentFrozen && event.by !== BY_CONFIGURATION) intents.set(name, { requested_state: event.requested_state });
        break;
      case "note":
        log.append({ level: event.level, source: "manager", msg: `process '${name}': ${event.msg}` });
        break;
    }
  }

  /** One log entry and one upsert for each change of state. */
  #announce(name: string, { from, to, reason }: { from: ProcessState; to: ProcessState; reason: string | null }): void {
    const { log } = this.#options;
    const source = "manager";
    if (reason !== null) log.append({ level: to === "error" ? "error" : "warning", source, msg: `process '${name}': ${reason}` });
    log.append({ level: to === "error" ? "error" : "info", source, msg: `process '${name}' changes state from '${from}' to '${to}'` });
    this.#publish(name);
    if (from === "stopped" && this.world.isAdopted(name) && this.world.needsRestart(name))
      log.append({ level: "warning", source, msg: `process '${name}' runs with what was configured before, until its restart` });
    for (const group of ancestorNames(name)) this.system.send("group", group, { type: "member", name, state: to });
    const process = this.world.process(name);
    if (to === "error" && process && this.world.config.processes.get(name)?.essential) this.#options.onEssentialFailed?.(process);
  }

  #publish(name: string): void {
    const context = this.system.get("process", name)?.getSnapshot().context;
    if (context) this.#history.note(name, context);
    const process = this.world.process(name);
    if (process) this.events.publish({ type: "process_upsert", process });
  }

  #onParked(kind: ActorKind, name: string, error: unknown): void {
    if (kind !== "process") return;
    const process = this.world.process(name);
    if (!process) return;
    const run = this.#conductor.lastReport(name);
    const reason = `its actor failed again and again: ${messageOf(error)}`;
    const pid = run !== null && run.exit === null && !run.extinct ? run.pid : null;
    this.world.park(name, { process, pid, reason, time: formatTime(this.#options.clock.now()) });
    if (process.state !== "error") this.#announce(name, { from: process.state, to: "error", reason });
    else this.#publish(name);
  }

  /** A window that is being dragged tells many sizes: one write for all of a second. */
  #keepSize(name: string, size: { rows: number; cols: number }): void {
    const { clock, intents, log } = this.#options;
    const known = intents.get(name);
    if (known.rows === size.rows && known.cols === size.cols) return;
    intents.set(name, size);
    this.#sizesDue ??= clock.setTimeout(() => {
      this.#sizesDue = null;
      intents.flush().catch((error: unknown) => log.append({ level: "error", source: "manager", msg: messageOf(error) }));
    }, SIZES_WRITTEN_AFTER_MS);
  }
}

function requestedOf(process: Process | undefined): "start" | "stop" {
  return process?.requested_state === "start" ? "start" : "stop";
}
