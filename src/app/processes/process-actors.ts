import type { DomainEvents } from "../../actors/domain-events.ts";
import { groupMachine } from "../../actors/group-machine.ts";
import { BY_CONFIGURATION, type ProcessCommand } from "../../actors/process/process-types.ts";
import type { ActorScope, ActorSystem } from "../../actors/system.ts";
import type { Cancellation } from "../../base/timing/cancellation.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { Process } from "../../protocol/resources/resources.ts";
import type { HostController } from "../hosts/host-controller.ts";
import type { HostTable } from "../hosts/host-table.ts";
import type { ManagerStatus } from "../manager-status.ts";
import { choicesOf, type IntentKeeper } from "../state/intent-keeper.ts";
import { processAmongOthers } from "./process-among-others.ts";
import type { ProcessEffects } from "./process-effects.ts";
import type { ProcessEventRouter } from "./process-event-router.ts";
import type { ProcessTable } from "./process-table.ts";

interface ProcessActorsOptions {
  processTable: ProcessTable;
  system: ActorSystem;
  events: DomainEvents;
  clock: Clock;
  log: LogBook;
  intents: IntentKeeper;
  /** See `EngineOptions`. */
  isIntentLost: boolean;
  /** Epoch of this boot: run IDs begin with it. */
  epoch: number;
  router: Pick<ProcessEventRouter, "saveRequest">;
  status: ManagerStatus;
  hosts: HostTable;
  effects: Pick<ProcessEffects, "end">;
  mayStart: (name: string) => boolean;
}

/** Creates the actors of processes and groups, and addresses them. */
export class ProcessActors {
  readonly #options: ProcessActorsOptions;
  /** Life of the newest actor of each name. */
  readonly #lives = new Map<string, Cancellation>();
  readonly #machine: ReturnType<typeof processAmongOthers>;
  #runs = 0;

  constructor(options: ProcessActorsOptions) {
    this.#options = options;
    const { processTable, events, mayStart, status } = options;
    const lifeOf = (name: string) => this.#lives.get(name) ?? null;
    this.#machine = processAmongOthers({ processTable, events, mayStart, isShuttingDown: () => status.isShuttingDown, lifeOf });
    events.subscribe((event) => {
      // A new process may have the name already.
      if (event.type === "process_remove" && this.#lives.get(event.name)?.isCancelled) this.#lives.delete(event.name);
    });
  }

  spawn(name: string, first: "start" | "stop"): void {
    const { system, processTable, events } = this.#options;
    system.spawn("process", name, (scope) => this.#actor(name, first, scope));
    // Clients see the process from here on, whatever happens to the actor.
    const process = processTable.process(name);
    if (process) events.publish({ type: "process_upsert", process });
  }

  /** Sends a new process the state of its run. It ignores how an earlier run of the same name ended, but adopts a living run. */
  sendRunReport(name: string): void {
    const { system, processTable } = this.#options;
    const controller = this.#controller(name);
    const run = controller?.lastReport(name) ?? null;
    if (run !== null && !run.extinct) controller?.reportAgain(name);
    else if (processTable.isHostReady(processTable.hostOf(name) ?? undefined)) system.send("process", name, { type: "report", run: null });
  }

  /** Called when the definition names another host: a process at rest then accepts reports from that host. */
  moved(name: string): void {
    const { processTable, system } = this.#options;
    processTable.mayRunOnOtherHost(name);
    if (processTable.isUp(name)) return;
    const host = processTable.hostOf(name);
    if (!processTable.isHostReady(host ?? undefined)) system.send("process", name, { type: "host.lost" });
    this.#controller(name)?.reportAgain(name);
  }

  /** Rebuilds the actor on its configured host: the host on which the process was expected is gone. */
  respawn(name: string): void {
    const { system, processTable } = this.#options;
    const requested = requestedOf(processTable.process(name));
    system.stop("process", name);
    this.spawn(name, requested);
  }

  /** Sends a command to a process's actor. A parked actor is rebuilt on a new command. */
  sendCommand(name: string, event: ProcessCommand): void {
    const { system, processTable } = this.#options;
    if (processTable.isParked(name)) {
      const requested = requestedOf(processTable.process(name));
      system.spawn("process", name, (scope) => this.#actor(name, requested, scope));
      if (system.get("process", name)) processTable.unpark(name);
    }
    const retiring = processTable.retiring.get(name);
    if (retiring && event.type === "stop" && event.by !== BY_CONFIGURATION) {
      // The process is being stopped already; but if its name is added again, it must not start.
      processTable.retiring.set(name, { ...retiring, requested: false });
      const origin = { by: event.by, time: this.#options.clock.now(), stoppedWith: event.stoppedWith ?? null };
      this.#options.router.saveRequest(name, { requested_state: "stop", origin });
    }
    system.send("process", name, event);
  }

  spawnGroup(name: string): void {
    const { system, processTable } = this.#options;
    const members = () => processTable.membersOf(name).flatMap((member) => processTable.process(member) ?? []);
    system.spawn("group", name, () => ({ machine: groupMachine, input: { name, members } }));
  }

  #actor(name: string, first: "start" | "stop", scope: ActorScope) {
    const { processTable, clock, intents, epoch } = this.#options;
    const definition = processTable.config.processes.get(name);
    if (!definition) throw new Error(`process '${name}' is not configured`);
    this.#lives.set(name, scope.life);
    // A rebuilt actor continues from the displayed state, and receives its host's last report once it listens.
    const before = processTable.process(name);
    if (before || scope.rebuild > 0) queueMicrotask(() => this.#controller(name)?.reportAgain(name));
    const host = this.#firstHost(name, definition.host);
    if (host !== definition.host) processTable.mayRunOnOtherHost(name);
    return {
      machine: this.#machine,
      ended: () => this.#options.effects.end(name),
      input: {
        definition,
        requested: before ? requestedOf(before) : first,
        origin: intents.get(name).origin ?? null,
        isIntentLost: this.#options.isIntentLost && intents.get(name).requested_state === undefined,
        clock,
        pendingRun: intents.get(name).pending_run ?? null,
        nextRunId: () => `${epoch}-${++this.#runs}`,
        lastRunId: () => `${epoch}-${this.#runs}`,
        host,
        ...choicesOf(intents.get(name)),
        ...(before ? { shown: before.state } : {}),
      },
    };
  }

  /** The host where an earlier manager began the newest run, if that host is still managed, because the run may live there; else `configured`. */
  #firstHost(name: string, configured: string | null): string | null {
    const { intents, hosts } = this.#options;
    const { host = configured } = intents.get(name);
    return host === null || (hosts.session(host) !== null && !hosts.isLeaving(host)) ? host : configured;
  }

  #controller(name: string): HostController | null {
    const { hosts, processTable } = this.#options;
    return hosts.controller(processTable.hostOf(name));
  }
}

function requestedOf(process: Process | undefined): "start" | "stop" {
  return process?.requested_state === "start" ? "start" : "stop";
}
