import type { InspectionEvent } from "xstate";
import type { DomainEvents } from "../actors/domain-events.ts";
import type { GroupEmitted } from "../actors/group-machine.ts";
import type { HostEmitted } from "../actors/host-machine.ts";
import type { ProcessEmitted } from "../actors/process-types.ts";
import { ActorSystem } from "../actors/system.ts";
import { type Clock, pause } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { Config } from "../config/definition.ts";
import type { HostLink } from "../contract/host-link.ts";
import type { LogBook } from "../log/log-book.ts";
import { OutputHub } from "../transport/output/output-hub.ts";
import { type LoadConfig, RunningConfiguration } from "./configuration/configuration.ts";
import { Reload } from "./configuration/reload.ts";
import { Hosts } from "./hosts/hosts.ts";
import { TerminalSizes } from "./output/terminal-sizes.ts";
import { ActorControl } from "./processes/control.ts";
import { ProcessActors } from "./processes/process-actors.ts";
import { type OnProcessAtRest, ProcessEventRouter } from "./processes/process-event-router.ts";
import { ProcessRegistry } from "./processes/process-registry.ts";
import { ProcessSettingsBook } from "./processes/process-settings.ts";
import { requestedAtBoot } from "./processes/requested-at-boot.ts";
import { ResourceEvents } from "./processes/resource-events.ts";
import { RunHistory } from "./processes/run-history.ts";
import { RunSpecBuilder } from "./processes/run-spec-builder.ts";
import type { IntentKeeper } from "./state/intent-keeper.ts";
import { RetryingIntentStore } from "./state/retrying-intent-store.ts";

export interface EngineOptions {
  config: Config;
  clock: Clock;
  log: LogBook;
  intents: IntentKeeper;
  /** The requested state was lost: running processes are taken as requested. Default false. */
  isIntentLost?: boolean;
  /** Epoch of this boot, higher than that of every earlier manager. */
  epoch: number;
  /** The manager's own host, by its canonical name. */
  link: HostLink;
  onProcessAtRest?: OnProcessAtRest | undefined;
  /** Creates the link to another host of the configuration; omitted if there is no bus. */
  connectHost?: ((host: string) => HostLink) | undefined;
  /** Reads the configuration again; omitted if there is no file. */
  loadConfig?: LoadConfig | undefined;
  inspect?: ((event: InspectionEvent) => void) | undefined;
  /** The bus URL for a process, with its own token; null: no bus. */
  busUrl?: ((process: string) => string | null) | undefined;
}

/** Actors, output hub and control of one manager, without a port, files or child processes. */
export class Engine {
  readonly control: ActorControl;
  readonly events: DomainEvents;
  readonly hub: OutputHub;
  readonly system: ActorSystem;
  readonly registry: ProcessRegistry;
  readonly #options: EngineOptions;
  readonly #hosts: Hosts;
  readonly #news: ProcessEventRouter;
  readonly #sizes: TerminalSizes;
  readonly #intents: RetryingIntentStore;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { config, clock, log, link, epoch } = options;
    const intents = new RetryingIntentStore(options.intents, { clock, log, onProblem: (problem) => this.#saveProblem(problem) });
    this.#intents = intents;
    const hostName = link.host;
    const history = new RunHistory();
    this.events = new ResourceEvents((error) =>
      log.append({ level: "error", source: "manager", msg: `a listener failed: ${messageOf(error)}` }),
    );
    const { events } = this;
    this.system = new ActorSystem({
      clock,
      log: (level, msg) => log.append({ level, source: "manager", msg }),
      onEmit: (kind, name, event) => {
        if (kind === "process") this.#news.take(name, event as ProcessEmitted);
        else if (kind === "group") this.#news.takeGroup(name, event as GroupEmitted);
        else if (kind === "host") this.#hosts.onEmit(name, event as HostEmitted);
      },
      onStep: (kind, name) => {
        if (kind === "process") this.#news.publish(name);
        else if (kind === "host") this.#hosts.publish(name);
      },
      onParked: (kind, name, error) => {
        if (kind === "process") this.#news.parked(name, error);
      },
      ...(options.inspect ? { inspect: options.inspect } : {}),
    });
    const { system } = this;
    this.registry = new ProcessRegistry({
      config,
      system,
      events,
      hostName,
      session: (host) => this.#hosts.session(host),
      hostEntries: () => this.#hosts.entries(),
      epoch,
      specHashOf: (name) => runSpecs.hash(name),
    });
    const { registry } = this;
    const runSpecs = new RunSpecBuilder({ registry, intents, history, busUrl: options.busUrl });
    this.#news = new ProcessEventRouter({
      registry,
      system,
      events,
      history,
      intents,
      log,
      clock,
      lastReport: (name) => this.#hosts.controller(registry.hostOf(name) ?? hostName)?.lastReport(name) ?? null,
      onProcessAtRest: options.onProcessAtRest,
    });
    this.#sizes = new TerminalSizes({ clock, intents });
    const actors = new ProcessActors({
      registry,
      system,
      events,
      clock,
      log,
      intents,
      isIntentLost: options.isIntentLost ?? false,
      runSpecs,
      epoch,
      wish: (name, wish) => this.#news.wish(name, wish),
      mayStart: () => !this.control.isShuttingDown,
      hosts: () => this.#hosts,
      hub: () => this.hub,
    });
    this.hub = new OutputHub({
      clock,
      source: {
        window: (host, windows) => this.#hosts.window(host, windows),
        hostOf: (name) => registry.outputHostOf(name),
      },
    });
    events.subscribe((event) => {
      if (event.type === "process_remove") history.forget(event.name);
    });
    const settings = new ProcessSettingsBook({
      config: () => registry.config,
      keeper: intents,
      log,
      apply: (name, chosen) => system.send("process", name, { type: "settings", settings: chosen }),
    });
    const reload = new Reload({
      registry,
      system,
      events,
      log,
      spawnProcess: (name) => {
        actors.spawn(name, "stop");
        actors.tellNew(name);
      },
      spawnGroup: (name) => actors.spawnGroup(name),
      moved: (name) => actors.moved(name),
      hosts: () => this.#hosts,
      wanted: (names) => requestedAtBoot(names, registry.config, intents),
      tell: (name, event) => actors.tell(name, event),
      forgetStart: (name) => {
        intents.forgetStart(name);
        void intents.flush();
      },
    });
    this.control = new ActorControl({
      configuration: new RunningConfiguration({
        current: () => registry.config,
        load: options.loadConfig ?? null,
        plan: (next) => reload.plan(next),
        take: (next) => {
          // The file may have been read before the shutdown began.
          this.control.requireOpen();
          return reload.apply(next);
        },
        log,
      }),
      manager: { name: config.instance.name, host: hostName, save_problem: null },
      events,
      log,
      system,
      registry,
      tell: (name, event) => actors.tell(name, event),
      saved: () => intents.flush(),
      resumes: {
        of: (name) => intents.get(name).resume_with ?? [],
        keep: (name, resumeWith) => this.#news.keepResume(name, resumeWith),
      },
      keepSize: (name, size) => this.#sizes.keep(name, size),
      settings,
      nextRun: (name) => runSpecs.of(name),
      processDetail: (name) => runSpecs.detail(name),
    });
    this.#hosts = new Hosts({
      local: link,
      connect: options.connectHost,
      registry,
      hub: this.hub,
      epoch,
      clock,
      system,
      log,
      onChanged: (host) => events.publish({ type: "host_upsert", host }),
      onRemoved: (name) => events.publish({ type: "host_remove", name }),
      respawn: (name) => actors.respawn(name),
    });
    this.#hosts.configure(config);
    // A process may have been removed from the file while no manager ran.
    for (const name of intents.names()) if (!config.processes.has(name)) intents.forgetStart(name);
    const wanted = requestedAtBoot(registry.names(), config, intents);
    for (const name of registry.names()) actors.spawn(name, wanted.has(name) ? "start" : "stop");
    for (const name of config.groups.keys()) actors.spawnGroup(name);
  }

  /** The exit of the host's daemon was seen. */
  daemonExited(): void {
    this.system.send("host", this.#options.link.host, { type: "daemon.exited" });
  }

  /** Resolves when the requested state is on disk, or could not be written; a failure is logged and the write is retried. */
  saveIntents(): Promise<void> {
    return this.#intents.flush();
  }

  /** From this turn on commands and reloads are refused, no run begins, and the requested state does not change. */
  beginShutdown(): void {
    this.#news.freezeIntent();
    this.control.beginShutdown();
  }

  /** Stops every process without changing the requested state; resolves when none is alive, or with the names of those that do not end. */
  async stopEverything(): Promise<string[]> {
    this.beginShutdown();
    return this.control.stopEverything("the end of the manager");
  }

  /** Kills everything on other hosts. Resolves when the hosts have been told, after `milliseconds` at the latest. */
  async killRemote(milliseconds: number): Promise<void> {
    const { registry } = this;
    const steps = [{ signal: "SIGKILL", timeout_ms: milliseconds }];
    const told = registry.names().flatMap((name) => {
      const runId = registry.livingRun(name);
      const session = registry.sessionOf(name);
      if (runId === null || session?.isOpen !== true || registry.hostOf(name) === registry.hostName) return [];
      return [session.command((id) => session.link.request("stop", { session: id, run_id: runId, steps }))];
    });
    const enough = new AbortController();
    await Promise.race([Promise.allSettled(told), pause(this.#options.clock, milliseconds, enough.signal).catch(() => undefined)]);
    enough.abort();
  }

  #saveProblem(problem: string | null): void {
    this.control.saveProblem(problem);
    this.events.publish({ type: "manager_upsert", manager: this.control.manager });
  }

  close(): void {
    this.#news.freezeIntent();
    this.control.close();
    this.#sizes.close();
    this.#intents.close();
    this.#hosts.close();
    this.system.stopAll();
    this.hub.close();
  }
}
