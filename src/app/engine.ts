import type { Control } from "../actors/control.ts";
import type { DomainEvents } from "../actors/domain-events.ts";
import type { HostEmitted } from "../actors/host-machine.ts";
import { ActorSystem } from "../actors/system.ts";
import { ADMIN_GRANTS } from "../base/access/access.ts";
import type { Principal } from "../base/access/principal.ts";
import type { EndOfCommand } from "../base/command-observer.ts";
import { messageOf } from "../base/errors.ts";
import type { Config } from "../config/definition.ts";
import { MANAGER_FEATURES } from "../features/manager.ts";
import type { FeatureExtension } from "../http/extension.ts";
import { commandObserver } from "../transport/extension.ts";
import type { RefusedDaemon } from "./bus/bus-tokens.ts";
import { Conditions } from "./conditions.ts";
import { RunningConfiguration } from "./configuration/configuration.ts";
import { Reload } from "./configuration/reload.ts";
import type { EngineOptions } from "./engine-options.ts";
import { AttachedFeatures, type ManagerFeature, type OwnCommand } from "./feature.ts";
import { HostTable } from "./hosts/host-table.ts";
import { Hosts } from "./hosts/hosts.ts";
import { NamedHosts } from "./hosts/named-hosts.ts";
import { managerState } from "./manager-state.ts";
import { ManagerStatus } from "./manager-status.ts";
import { CurrentConfig } from "./processes/current-config.ts";
import { ResourceEvents } from "./processes/resource-events.ts";
import { RunExtensions } from "./processes/run-extension.ts";
import { RetryingIntentStore } from "./state/retrying-intent-store.ts";
import { RunHistory } from "./state/run-history.ts";
import { Supervision } from "./supervision.ts";

/**
 * Actors, output hub, control and features of one manager, without a port, files or child processes. Each part receives the parts built before it.
 * Only the actors' events go in the other direction: they are connected at the end, before the first actor starts.
 */
export class Engine {
  readonly control: Control;
  readonly events: DomainEvents;
  readonly system: ActorSystem;
  readonly #options: EngineOptions;
  readonly #status: ManagerStatus;
  readonly #supervision: Supervision;
  readonly #hosts: Hosts;
  readonly #features = new AttachedFeatures();
  readonly #onAccessChange: (() => void)[] = [];
  readonly #configuration: RunningConfiguration;
  readonly #intents: RetryingIntentStore;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { config, clock, log, link, epoch } = options;
    const hostName = link.host;

    const events = new ResourceEvents((error) => log.error(`a listener failed: ${messageOf(error)}`));
    const status = new ManagerStatus(events, { name: config.instance.name, host: hostName });
    const intents = new RetryingIntentStore(options.intents, { clock, log, onProblem: (problem) => status.setSaveProblem(problem) });
    const { history = new RunHistory() } = options;
    const system = new ActorSystem({ clock, log: (level, msg) => log.append({ level, source: "manager", msg }), inspect: options.inspect });
    const hostTable = new HostTable();
    const current = new CurrentConfig(config);
    const runs = new RunExtensions();
    const supervision = new Supervision({
      ...options,
      hostName,
      events,
      status,
      intents,
      system,
      hosts: hostTable,
      current,
      history,
      runs,
      onHostInformed: () => hosts.release(),
      onProcessAtRest: (process, { essential }) =>
        options.onProcessAtRest?.(process, {
          essential: essential && !this.#features.all().some(({ handlesFailure }) => handlesFailure?.(process.name)),
        }),
    });
    const { processTable, actors, commands, hub } = supervision;
    const hosts = new Hosts({
      table: hostTable,
      local: link,
      connect: options.connectHost,
      processTable,
      hub,
      epoch,
      clock,
      system,
      log,
      onChanged: (host) => events.publish({ type: "host_upsert", host }),
      onRemoved: (name) => {
        supervision.hostChanged(name, false);
        events.publish({ type: "host_remove", name });
      },
      onPastRuns: (runs, streamId) => {
        for (const run of runs) history.add(run, streamId);
      },
      onChecks: (name) => events.publish({ type: "process_step", name }),
      respawn: (name) => actors.respawn(name),
      isInformed: (host) => supervision.isInformed(host),
    });
    const named = new NamedHosts({ hosts, table: hostTable, clock });
    const reload = new Reload({ processTable, system, events, log, actors, intents, hosts, hostTable, tokens: options.tokens ?? null });
    const { loadConfig } = options;
    const configuration = new RunningConfiguration({
      current: () => current.config,
      load: loadConfig === undefined ? null : async (instead) => this.#adjusted(await loadConfig(instead)),
      plan: (next) => reload.plan(next),
      apply: (next) => {
        // The file may have been read before the shutdown began.
        status.requireOpen();
        const change = reload.apply(next);
        supervision.reloaded();
        for (const { reconfigured } of this.#features.all()) reconfigured?.();
        for (const notify of this.#onAccessChange) notify();
        return change;
      },
      history: options.configHistory,
      log,
    });
    const { settings, sessions, runSpecs, terminals } = supervision;
    this.control = {
      events,
      log,
      state: managerState({ status, processTable, hosts, settings, runSpecs, sessions, log }),
      configuration,
      commands,
      terminals,
      settings,
      hostRequests: named,
    };
    this.events = events;
    this.system = system;
    this.#status = status;
    this.#supervision = supervision;
    this.#hosts = hosts;
    this.#intents = intents;
    this.#configuration = configuration;

    this.#features.attach(options.features ?? MANAGER_FEATURES.map((feature) => ({ feature, attach: feature.attach })), {
      clock,
      log,
      system,
      events,
      conditions: new Conditions((error) => log.error(`a reader of conditions failed: ${messageOf(error)}`)),
      config: () => current.config,
      hostName,
      hosts: hostTable,
      hostEntries: () => hosts.entries(),
      named,
      processes: processTable,
      isShuttingDown: () => status.isShuttingDown,
      processChanged: (name) => supervision.changed(name),
      nextRun: (name) => runSpecs.of(name),
      startProcess: (name, by) => commands.process("start", name, by),
      stopProcess: (name, by) => commands.process("stop", name, by),
      restartProcess: (name, by) => commands.process("restart", name, by),
      observe: (command) => this.observe(command),
      reconfigure: (make) => configuration.change(make),
      addProcess: (definition) => reload.addOwn(definition),
      intents,
      bus: { shared: null, connectUser: null, declareOwners: null, registry: null, hub: null, peers: null, ...options.bus },
      launch: options.launch ?? null,
    });
    const features = this.#features.all();
    for (const feature of features) if (feature.runs) runs.add(feature.runs);
    const stepped = features.flatMap((feature) => feature.stepped ?? []);

    system.listen({
      onEmit: (kind, name, event) => {
        if (kind === "host") {
          hosts.onEmit(name, event as HostEmitted);
          if (event.type !== "note") supervision.hostChanged(name, event.type === "ready");
        } else supervision.receive(kind, name, event);
      },
      onStep: (kind, name) => {
        if (kind === "host") hosts.publish(name);
        else supervision.stepped(kind, name);
        for (const notify of stepped) notify(kind, name);
      },
      onParked: (kind, name, error) => supervision.parked(kind, name, error),
    });
    events.subscribe((event) => {
      if (event.type === "process_remove") history.forget(event.name);
    });

    const adjusted = this.#adjusted(config);
    hosts.configure(adjusted);
    reload.restore(
      adjusted,
      features.flatMap(({ processes }) => processes?.() ?? []),
    );
    for (const { begin } of features) begin?.();
    supervision.begin(adjusted.groups.keys());
  }

  #adjusted(read: Config): Config {
    return this.#features.all().reduce((config, { adjustConfig }) => adjustConfig?.(config) ?? config, read);
  }

  /** Calls `listener` when a reload may have changed what users may do. */
  onAccessChange(listener: () => void): void {
    this.#onAccessChange.push(listener);
  }

  get commands(): Supervision["commands"] {
    return this.#supervision.commands;
  }

  get hub(): Supervision["hub"] {
    return this.#supervision.hub;
  }

  get processTable(): Supervision["processTable"] {
    return this.#supervision.processTable;
  }

  /** The additions of the features to connections and to the port. */
  get extensions(): readonly FeatureExtension[] {
    return this.#features.all();
  }

  /** The service of a feature. */
  feature<Service>(feature: ManagerFeature<Service>): Service {
    return this.#features.service(feature);
  }

  /** See `ManagerCore.observe`: a start of the manager, a signal, a command of a feature. */
  async observe({ name, by, sender = ownPrincipal(by), target, args = {} }: OwnCommand): Promise<EndOfCommand> {
    const observed = commandObserver(this.extensions)?.before({
      name,
      sender,
      client: null,
      requestId: null,
      target: target ?? null,
      args,
      secrets: [],
    });
    return (await observed) ?? (() => {});
  }

  /** Notifies the features that the manager serves its clients. */
  async started(): Promise<void> {
    await Promise.all(this.#features.all().map(({ started }) => started?.()));
  }

  /** Notifies the host's actor that the daemon has exited. */
  daemonExited(): void {
    this.system.send("host", this.#options.link.host, { type: "daemon.exited" });
  }

  /** Records a daemon that was refused because its token belongs to another host. */
  daemonRefused(daemon: RefusedDaemon): void {
    this.#hosts.refused(daemon);
  }

  /** Resolves when the requested state is on disk, or could not be written; a failure is logged and the write is retried. */
  saveIntents(): Promise<void> {
    return this.#intents.flush();
  }

  /** From this turn on commands and reloads are refused, no run begins, and the requested state does not change. */
  beginShutdown(): void {
    if (!this.#status.isShuttingDown) for (const { ending } of this.#features.all()) ending?.();
    this.#status.beginShutdown();
    this.commands.refuseWaiting();
  }

  /** Stops every process without changing the requested state; resolves when none is alive, or with the names of those that do not end. */
  async stopEverything(): Promise<string[]> {
    this.beginShutdown();
    return this.commands.stopEverything("the end of the manager");
  }

  /** Kills everything on other hosts. Resolves when the hosts have accepted, after `milliseconds` at most. */
  killRemote(milliseconds: number): Promise<void> {
    return this.#supervision.killRemote(milliseconds);
  }

  /** Ends everything in this turn, except a change of configuration files in progress: the promise waits for it. */
  close(): Promise<void> {
    this.#status.beginShutdown();
    this.#supervision.close();
    this.#intents.close();
    const features = this.#features.close();
    this.#hosts.close();
    this.system.stopAll();
    this.hub.close();
    return Promise.all([features, this.#configuration.settled()]).then(() => undefined);
  }
}

/** The manager itself as the sender of a command. */
function ownPrincipal(user: string): Principal {
  return { user, via: "in-process", address: "", grants: ADMIN_GRANTS };
}
