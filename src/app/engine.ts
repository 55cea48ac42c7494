import type { Control } from "../actors/control.ts";
import type { DomainEvents } from "../actors/domain-events.ts";
import type { GroupEmitted } from "../actors/group-machine.ts";
import type { HostEmitted } from "../actors/host-machine.ts";
import type { ProcessEmitted } from "../actors/process/process-types.ts";
import { ActorSystem } from "../actors/system.ts";
import { messageOf } from "../base/errors.ts";
import { subjectOfTopic } from "../base/topic-subject.ts";
import { ClientIds } from "../features/data-plane/manager/client-ids.ts";
import { ManagerDataPlane } from "../features/data-plane/manager/manager-data-plane.ts";
import { ConfiguredSessions } from "../features/displays/manager/configured-sessions.ts";
import { ConnectedGuis } from "../features/displays/manager/connected-guis.ts";
import { ManagerDisplays } from "../features/displays/manager/manager-displays.ts";
import { PrivateDisplays } from "../features/displays/manager/private-displays.ts";
import { RunDisplays } from "../features/displays/manager/run-displays.ts";
import { WebStarters } from "../features/displays/manager/web-starters.ts";
import { X11Targets } from "../features/displays/manager/x11-targets.ts";
import { X11Tunnels } from "../features/displays/manager/x11-tunnels.ts";
import { noLoggerFile } from "../features/loggers/manager/logger-book.ts";
import { ManagerLoggers } from "../features/loggers/manager/manager-loggers.ts";
import { ManagerNetwork } from "../features/network-statistics/manager/manager-network.ts";
import { ManagerRecordings } from "../features/recordings/manager/manager-recordings.ts";
import { OutputHub } from "../transport/output/output-hub.ts";
import type { RefusedDaemon } from "./bus/bus-tokens.ts";
import { ConfigHistory } from "./configuration/config-history.ts";
import { RunningConfiguration } from "./configuration/configuration.ts";
import { CurrentConfig } from "./configuration/current-config.ts";
import { Reload } from "./configuration/reload.ts";
import type { EngineOptions } from "./engine-options.ts";
import { NamedHostRequests } from "./hosts/host-requests.ts";
import { HostTable } from "./hosts/host-table.ts";
import { Hosts } from "./hosts/hosts.ts";
import { managerState } from "./manager-state.ts";
import { ManagerStatus } from "./manager-status.ts";
import { TerminalSizes } from "./output/terminal-sizes.ts";
import { ProcessTerminals } from "./output/terminals.ts";
import { killRemote } from "./processes/kill-remote.ts";
import { ProcessActors } from "./processes/process-actors.ts";
import { ProcessCommands } from "./processes/process-commands.ts";
import { ProcessEventRouter } from "./processes/process-event-router.ts";
import { ProcessRegistry } from "./processes/process-registry.ts";
import { ProcessSessions } from "./processes/process-sessions.ts";
import { ProcessSettingsBook } from "./processes/process-settings.ts";
import { ProcessWaits } from "./processes/process-waits.ts";
import { ResourceEvents } from "./processes/resource-events.ts";
import { RunHistory } from "./processes/run-history.ts";
import { RunSpecBuilder } from "./processes/run-spec-builder.ts";
import { requestedAtBoot } from "./state/intent-keeper.ts";
import { RetryingIntentStore } from "./state/retrying-intent-store.ts";

/**
 * Actors, output hub and control of one manager, without a port, files or child processes. Each part is given those built before it. The
 * actors' events are the one way back: they are connected at the end, before the first actor starts.
 */
export class Engine {
  readonly control: Control;
  readonly commands: ProcessCommands;
  readonly events: DomainEvents;
  readonly hub: OutputHub;
  readonly system: ActorSystem;
  readonly registry: ProcessRegistry;
  readonly #options: EngineOptions;
  readonly #status: ManagerStatus;
  readonly #hosts: Hosts;
  readonly #dataPlane: ManagerDataPlane;
  readonly #recordings: ManagerRecordings;
  readonly #loggers: ManagerLoggers;
  readonly #network: ManagerNetwork;
  readonly #tunnels: X11Tunnels;
  readonly #configuration: RunningConfiguration;
  readonly #hostTable: HostTable;
  readonly #sizes: TerminalSizes;
  readonly #intents: RetryingIntentStore;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { config, clock, log, link, epoch } = options;
    const hostName = link.host;

    const events = new ResourceEvents((error) =>
      log.append({ level: "error", source: "manager", msg: `a listener failed: ${messageOf(error)}` }),
    );
    const status = new ManagerStatus(events, { name: config.instance.name, host: hostName });
    const intents = new RetryingIntentStore(options.intents, { clock, log, onProblem: (problem) => status.setSaveProblem(problem) });
    const { history = new RunHistory() } = options;
    const system = new ActorSystem({ clock, log: (level, msg) => log.append({ level, source: "manager", msg }), inspect: options.inspect });
    const hostTable = new HostTable();
    const current = new CurrentConfig(config);
    const runSpecs = new RunSpecBuilder({ current, hostName, intents, history, epoch });
    const guis = new ConnectedGuis({ clock, log });
    const registry = new ProcessRegistry({
      current,
      runSpecs,
      system,
      hostName,
      hosts: hostTable,
      desktopOf: (user) => guis.desktopOf(user),
    });
    const waits = new ProcessWaits({ registry, events, clock });
    const hub = new OutputHub({
      clock,
      source: { window: (host, windows) => hostTable.window(host, windows), hostOf: (name) => registry.outputHostOf(name) },
    });
    const router = new ProcessEventRouter({
      registry,
      system,
      events,
      history,
      intents,
      status,
      log,
      clock,
      lastReport: (name) => hostTable.controller(registry.hostOf(name))?.lastReport(name) ?? null,
      streamId: (name) => hostTable.controller(registry.hostOf(name))?.streamId ?? null,
      tasks: () => actors.tasks,
      onProcessAtRest: options.onProcessAtRest,
    });
    guis.onChange((user) => {
      for (const name of registry.guiChanged(user)) router.publish(name);
    });
    const starters = new WebStarters(intents, (name) => current.config.processes.get(name));
    const privateDisplays = new PrivateDisplays({
      records: options.displays ?? null,
      registry,
      events,
      clock,
    });
    const runDisplays = new RunDisplays({ registry, displays: privateDisplays, guis, starters, log, environment: process.env });
    const actors = new ProcessActors({
      registry,
      waits,
      system,
      events,
      clock,
      log,
      intents,
      isIntentLost: options.isIntentLost ?? false,
      runSpecs,
      epoch,
      router,
      status,
      hosts: hostTable,
      hub,
      prepare: (name) => privateDisplays.beforeRun(name),
      displays: runDisplays,
    });
    const hosts = new Hosts({
      table: hostTable,
      local: link,
      connect: options.connectHost,
      registry,
      hub,
      epoch,
      clock,
      system,
      log,
      onChanged: (host) => events.publish({ type: "host_upsert", host }),
      onRemoved: (name) => events.publish({ type: "host_remove", name }),
      respawn: (name) => actors.respawn(name),
    });
    const reload = new Reload({ registry, system, events, log, actors, intents, hosts, hostTable, tokens: options.tokens ?? null });
    const sizes = new TerminalSizes({ clock, intents });
    const sessions = new ProcessSessions(registry, hostTable);
    const settings = new ProcessSettingsBook({
      config: () => current.config,
      keeper: intents,
      log,
      check: (name) => sessions.lasting(name),
      apply: (name, chosen) => system.send("process", name, { type: "settings", settings: chosen }),
    });
    const commands = new ProcessCommands({ registry, sessions, system, actors, router, waits, intents, status, log, starters });
    privateDisplays.connect({
      add: (definition) => reload.addOwn(definition),
      start: (name, by) => commands.process("start", name, by),
    });
    const hostRequests = new NamedHostRequests({ hosts, table: hostTable, log, clock });
    this.#tunnels = new X11Tunnels({
      hosts: hostTable,
      events,
      log,
      targets: new X11Targets({ registry, displays: privateDisplays, guis, hostRequests, environment: process.env }),
    });
    const recordings = new ManagerRecordings({
      system,
      hosts: hostTable,
      localHost: hostName,
      events,
      clock,
      log,
      settings: () => current.config.record,
      baseDir: () => current.config.base_dir,
    });
    const dataPlane = new ManagerDataPlane({
      events,
      log,
      clock,
      ids: options.clientIds ?? ClientIds.inMemory(),
      hosts: hostTable,
      hostEntries: () => hosts.entries(),
      hostRequests,
      registry: options.clients ?? null,
      peers: options.peers ?? null,
      record: (kind, value) => recordings.note(kind, value),
      bus: options.bus ?? null,
      connectUser: options.connectUser ?? null,
      scopeProcess: () => current.config.instance.scope_process,
      startProcess: (name, by) => commands.process("start", name, by),
    });
    const loggers = new ManagerLoggers({
      system,
      hosts: hostTable,
      events,
      clock,
      log,
      settings: () => current.config.loggers,
      file: options.loggerFile ?? noLoggerFile,
      downloads: options.downloads ?? null,
      topic: (name) => dataPlane.tables.topic(subjectOfTopic(name)),
    });
    const network = new ManagerNetwork({
      host: hostName,
      clock,
      hosts: hostTable,
      tables: dataPlane.tables,
      hub: options.hub ?? null,
      peers: options.peers ?? null,
      networks: () => current.config.networks,
      hostEntries: () => hosts.entries(),
    });
    const configuration = new RunningConfiguration({
      current: () => current.config,
      load: options.loadConfig ?? null,
      plan: (next) => reload.plan(next),
      take: (next) => {
        // The file may have been read before the shutdown began.
        status.requireOpen();
        const change = reload.apply(next);
        loggers.reconfigure();
        return change;
      },
      history: options.configHistory ?? new ConfigHistory(),
      log,
    });
    this.control = {
      events,
      log,
      state: managerState({ status, registry, hosts, settings, runSpecs, sessions, log }),
      configuration,
      commands,
      terminals: new ProcessTerminals({ registry, sessions, system, sizes, log, clock }),
      settings,
      hostRequests,
      dataPlane,
      recordings,
      loggers,
      network,
      displays: new ManagerDisplays(privateDisplays, new ConfiguredSessions(registry, hostRequests)),
      guis,
    };
    this.#network = network;
    this.#dataPlane = dataPlane;
    this.#recordings = recordings;
    this.#loggers = loggers;
    this.commands = commands;
    this.#hostTable = hostTable;
    this.events = events;
    this.hub = hub;
    this.system = system;
    this.registry = registry;
    this.#status = status;
    this.#intents = intents;
    this.#sizes = sizes;
    this.#hosts = hosts;
    this.#configuration = configuration;

    system.listen({
      onEmit: (kind, name, event) => {
        if (kind === "process") router.take(name, event as ProcessEmitted);
        else if (kind === "group") router.takeGroup(name, event as GroupEmitted);
        else if (kind === "host") hosts.onEmit(name, event as HostEmitted);
      },
      onStep: (kind, name) => {
        if (kind === "process") router.publish(name);
        else if (kind === "host") hosts.publish(name);
        else if (kind === "recording") recordings.stepped(name);
        else if (kind === "logger") loggers.stepped(name);
      },
      onParked: (kind, name, error) => {
        if (kind === "process") router.parked(name, error);
      },
    });
    events.subscribe((event) => {
      if (event.type !== "process_remove") return;
      history.forget(event.name);
      starters.forget(event.name);
    });

    hosts.configure(config);
    reload.restore(privateDisplays.definitions());
    loggers.begin();
    // A process may have been removed from the file while no manager ran.
    for (const name of intents.names()) if (!registry.config.processes.has(name)) intents.forgetStart(name);
    const wanted = requestedAtBoot(registry.names(), registry.config, intents);
    for (const name of registry.names()) actors.spawn(name, wanted.has(name) ? "start" : "stop");
    for (const name of config.groups.keys()) actors.spawnGroup(name);
  }

  /** The exit of the host's daemon was seen. */
  daemonExited(): void {
    this.system.send("host", this.#options.link.host, { type: "daemon.exited" });
  }

  /** A daemon was refused, because its token belongs to another host. */
  daemonRefused(daemon: RefusedDaemon): void {
    this.#hosts.refused(daemon);
  }

  /** Resolves when the requested state is on disk, or could not be written; a failure is logged and the write is retried. */
  saveIntents(): Promise<void> {
    return this.#intents.flush();
  }

  /** From this turn on commands and reloads are refused, no run begins, and the requested state does not change. */
  beginShutdown(): void {
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
    return killRemote({ registry: this.registry, hosts: this.#hostTable, clock: this.#options.clock }, milliseconds);
  }

  /** Everything ends in this turn but a change of configuration files that is under way: the promise waits for that. */
  close(): Promise<void> {
    this.#status.beginShutdown();
    this.commands.close();
    this.#sizes.close();
    this.#intents.close();
    this.#dataPlane.close();
    this.#recordings.close();
    this.#loggers.close();
    this.#network.close();
    this.#tunnels.close();
    this.#hosts.close();
    this.system.stopAll();
    this.hub.close();
    return this.#configuration.settled();
  }
}
