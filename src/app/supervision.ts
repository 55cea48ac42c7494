import type { DomainEvents } from "../actors/domain-events.ts";
import type { GroupEmitted } from "../actors/group-machine.ts";
import type { ProcessEmitted } from "../actors/process/process-types.ts";
import type { ActorKind, ActorSystem } from "../actors/system.ts";
import { OutputHub } from "../transport/output/output-hub.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { HostTable } from "./hosts/host-table.ts";
import type { ManagerStatus } from "./manager-status.ts";
import { TerminalSizes } from "./output/terminal-sizes.ts";
import { ProcessTerminals } from "./output/terminals.ts";
import type { CurrentConfig } from "./processes/current-config.ts";
import { killRemote } from "./processes/kill-remote.ts";
import { ProcessActors } from "./processes/process-actors.ts";
import { ProcessCommands } from "./processes/process-commands.ts";
import { ProcessEffects } from "./processes/process-effects.ts";
import { ProcessEventRouter } from "./processes/process-event-router.ts";
import { ProcessSessions } from "./processes/process-sessions.ts";
import { ProcessSettingsBook } from "./processes/process-settings.ts";
import { ProcessTable } from "./processes/process-table.ts";
import { ProcessWaits } from "./processes/process-waits.ts";
import type { RunExtensions } from "./processes/run-extension.ts";
import { RunSpecBuilder } from "./processes/run-spec-builder.ts";
import { SupervisedProcesses } from "./processes/supervised-processes.ts";
import { requestedAtBoot } from "./state/intent-keeper.ts";
import type { RetryingIntentStore } from "./state/retrying-intent-store.ts";
import type { RunHistory } from "./state/run-history.ts";

interface SupervisionOptions extends Pick<EngineOptions, "clock" | "log" | "epoch" | "isIntentLost" | "onProcessAtRest"> {
  readonly hostName: string;
  readonly events: DomainEvents;
  readonly status: ManagerStatus;
  readonly intents: RetryingIntentStore;
  readonly system: ActorSystem;
  readonly hosts: HostTable;
  readonly current: CurrentConfig;
  readonly history: RunHistory;
  readonly runs: RunExtensions;
  /** Called when `isInformed` may have become true for a host. */
  readonly onHostInformed: () => void;
}

/** The processes of a manager: their actors, the actors' requests to hosts, and the commands of clients. */
export class Supervision {
  readonly actors: ProcessActors;
  readonly commands: ProcessCommands;
  readonly hub: OutputHub;
  readonly processTable: ProcessTable;
  readonly runSpecs: RunSpecBuilder;
  readonly sessions: ProcessSessions;
  readonly settings: ProcessSettingsBook;
  readonly terminals: ProcessTerminals;
  readonly #options: SupervisionOptions;
  readonly #router: ProcessEventRouter;
  readonly #sizes: TerminalSizes;
  readonly #supervised: SupervisedProcesses;

  constructor(options: SupervisionOptions) {
    this.#options = options;
    const { clock, log, epoch, hostName, events, status, intents, system, hosts, current, history, runs } = options;
    const { isIntentLost = false, onProcessAtRest, onHostInformed } = options;
    const runSpecs = new RunSpecBuilder({ current, hostName, intents, history, epoch });
    const processTable = new ProcessTable({
      current,
      runSpecs,
      system,
      hostName,
      hosts,
      featureFields: (memo) => runs.processFields(memo),
    });
    const waits = new ProcessWaits({ processTable, events, clock });
    const hub = new OutputHub({
      clock,
      source: { window: (host, windows) => hosts.window(host, windows), hostOf: (name) => processTable.outputHostOf(name) },
    });
    const mayStart = (name: string) => !status.isShuttingDown && processTable.unmet(name).missing.length === 0;
    const effects = new ProcessEffects({
      waits,
      clock,
      log,
      processTable,
      hosts,
      hub,
      intents,
      mayStart,
      runs,
      runSpec: (choices) => runSpecs.spec(choices),
      send: (name, event) => system.send("process", name, event),
    });
    const router = new ProcessEventRouter({
      processTable,
      system,
      events,
      history,
      intents,
      status,
      log,
      clock,
      lastReport: (name) => hosts.controller(processTable.hostOf(name))?.lastReport(name) ?? null,
      streamId: (name) => hosts.controller(processTable.hostOf(name))?.streamId ?? null,
      effects,
      onProcessAtRest,
    });
    const actors = new ProcessActors({
      processTable,
      effects,
      mayStart,
      system,
      events,
      clock,
      log,
      intents,
      isIntentLost,
      epoch,
      router,
      status,
      hosts,
    });
    const sessions = new ProcessSessions(processTable, hosts);
    const sizes = new TerminalSizes({ clock, intents });
    this.actors = actors;
    this.commands = new ProcessCommands({ processTable, sessions, system, actors, router, waits, intents, status, log, runs });
    this.hub = hub;
    this.processTable = processTable;
    this.runSpecs = runSpecs;
    this.sessions = sessions;
    this.settings = new ProcessSettingsBook({
      config: () => current.config,
      keeper: intents,
      log,
      check: (name) => sessions.lasting(name),
      apply: (name, chosen) => system.send("process", name, { type: "settings", settings: chosen }),
    });
    this.terminals = new ProcessTerminals({ processTable, sessions, system, sizes, log, clock });
    this.#router = router;
    this.#sizes = sizes;
    this.#supervised = new SupervisedProcesses({
      snapshot: (name) => system.get("process", name)?.getSnapshot(),
      processTable,
      hosts,
      current,
      clock,
      onInformed: onHostInformed,
    });
  }

  /** Creates the actors of all processes and of `groups`, and starts what is requested. */
  begin(groups: Iterable<string>): void {
    const { intents } = this.#options;
    const { processTable, actors } = this;
    // A process may have been removed from the file while no manager ran.
    for (const name of intents.names()) if (!processTable.config.processes.has(name)) intents.forgetStart(name);
    const requested = requestedAtBoot(processTable.names(), processTable.config, intents);
    for (const name of processTable.names()) actors.spawn(name, requested.has(name) ? "start" : "stop");
    for (const name of groups) actors.spawnGroup(name);
  }

  /** Handles an event of an actor. */
  receive(kind: ActorKind, name: string, event: { type: string }): void {
    if (kind === "process") {
      this.processTable.acted(name);
      this.#router.handle(name, event as ProcessEmitted);
    }
    if (kind === "group") this.#router.handleGroup(name, event as GroupEmitted);
  }

  stepped(kind: ActorKind, name: string): void {
    if (kind !== "process") return;
    this.#router.publish(name);
    this.#supervised.stepped(name);
  }

  /** Called when a host has become ready, or no longer is. */
  hostChanged(host: string, isReady: boolean): void {
    if (!isReady) {
      this.#supervised.hostLost(host);
      return;
    }
    this.#supervised.hostReady(host);
    const names = this.processTable.namesAt(host);
    for (const name of names) this.processTable.forgetProjection(name);
    // The step of a process that takes the host's report publishes it as well: what is left are processes without a report.
    queueMicrotask(() => {
      for (const name of names) this.#router.publish(name);
    });
  }

  /** Whether the host knows which of its processes it has to restart without a manager. */
  isInformed(host: string): boolean {
    return this.#supervised.isInformed(host);
  }

  /** Called after a reload. */
  reloaded(): void {
    this.#supervised.reloaded();
  }

  parked(kind: ActorKind, name: string, error: unknown): void {
    if (kind === "process") this.#router.parked(name, error);
  }

  /** Publishes a process again: the fields of a feature in it have changed. */
  changed(name: string): void {
    this.processTable.forgetProjection(name);
    this.#router.publish(name);
  }

  /** Kills everything on other hosts. Resolves when the hosts have accepted, after `milliseconds` at most. */
  killRemote(milliseconds: number): Promise<void> {
    const { hosts, clock } = this.#options;
    return killRemote({ processTable: this.processTable, hosts, clock }, milliseconds);
  }

  close(): void {
    this.commands.close();
    this.#sizes.close();
    this.#supervised.close();
  }
}
