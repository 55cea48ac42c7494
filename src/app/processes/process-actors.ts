import type { DomainEvents } from "../../actors/domain-events.ts";
import { groupMachine } from "../../actors/group-machine.ts";
import type { ActorScope, ActorSystem } from "../../actors/system.ts";
import type { Clock } from "../../base/clock.ts";
import { MgrError } from "../../base/errors.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { Process } from "../../protocol/resources/resources.ts";
import type { OutputHub } from "../../transport/output/output-hub.ts";
import { BY_CONFIGURATION } from "../configuration/reload.ts";
import { processWithEffects } from "../effects/providers.ts";
import type { HostConductor } from "../hosts/host-controller.ts";
import type { Hosts } from "../hosts/hosts.ts";
import { choicesOf, type IntentKeeper } from "../state/intent-keeper.ts";
import type { Verb } from "./command-plan.ts";
import type { World } from "./process-registry.ts";
import type { NextRuns } from "./run-spec-builder.ts";

interface ProcessActorsOptions {
  world: World;
  system: ActorSystem;
  events: DomainEvents;
  clock: Clock;
  log: LogBook;
  intents: IntentKeeper;
  /** See `EngineOptions`. */
  isIntentLost: boolean;
  nextRuns: NextRuns;
  /** Of this boot: run ids begin with it. */
  epoch: number;
  /** Keeps a user's wish that the actor itself has no news of. */
  wish: (name: string, wish: { by: string; requested_state: "stop" }) => void;
  /** False once the shutdown has begun: then no run begins, whatever asks for it. */
  mayStart: () => boolean;
  hosts: () => Hosts;
  hub: () => OutputHub;
}

/** Brings actors of processes and groups to life, and addresses them. */
export class ProcessActors {
  readonly #options: ProcessActorsOptions;
  /** Of the newest actor of each name. */
  readonly #lives = new Map<string, AbortSignal>();
  readonly #machine: ReturnType<typeof processWithEffects>;
  #runs = 0;

  constructor(options: ProcessActorsOptions) {
    this.#options = options;
    const { world, events, clock, log, intents, nextRuns, hosts } = options;
    this.#machine = processWithEffects({
      world,
      events,
      clock,
      log,
      session: (host) => {
        const session = hosts().session(host ?? world.hostName);
        if (session) return session;
        throw new MgrError("host_unavailable", `host '${host}' is not configured any more`);
      },
      beforeRun: (name, host, signal) => this.#beforeRun(name, host, signal),
      mayStart: options.mayStart,
      intentWritten: () => intents.flush(),
      runSpec: (choices) => nextRuns.spec(choices),
      lifeOf: (name) => this.#lives.get(name) ?? AbortSignal.abort(),
    });
    events.subscribe((event) => {
      // Its name may have come back already.
      if (event.type === "process_remove" && this.#lives.get(event.name)?.aborted) this.#lives.delete(event.name);
    });
  }

  spawn(name: string, first: "start" | "stop"): void {
    const { system, world, events } = this.#options;
    system.spawn("process", name, (scope) => this.#actor(name, first, scope));
    // From here on there is something to show, whatever becomes of the actor.
    const process = world.process(name);
    if (process) events.publish({ type: "process_upsert", process });
  }

  /** A process that appears begins anew: how a run ended that had its name is another's story, a living one is its own. */
  tellNew(name: string): void {
    const { system, world } = this.#options;
    const conductor = this.#conductor(name);
    const run = conductor?.lastReport(name) ?? null;
    if (run !== null && !run.extinct) conductor?.reportAgain(name);
    else if (world.isHostReady(world.hostOf(name) ?? undefined)) system.send("process", name, { type: "report", run: null });
  }

  /** Its definition names another host now: if it is at rest, it hears from that one. */
  moved(name: string): void {
    const { world, system } = this.#options;
    world.mayBeElsewhere(name);
    if (world.isUp(name)) return;
    const host = world.hostOf(name);
    system.send("process", name, { type: world.isHostReady(host ?? undefined) ? "host.ready" : "host.lost" });
    this.#conductor(name)?.reportAgain(name);
  }

  /** Begins anew, where it is configured: what it was looked for on is not there any more. */
  respawn(name: string): void {
    const { system, world } = this.#options;
    const requested = requestedOf(world.process(name));
    system.stop("process", name);
    this.spawn(name, requested);
  }

  /** Sends a command to a process's actor. One that was given up gets another chance when somebody asks for something. */
  tell(name: string, event: { type: Verb; by: string }): void {
    const { system, world } = this.#options;
    if (world.isParked(name)) {
      const requested = requestedOf(world.process(name));
      system.spawn("process", name, (scope) => this.#actor(name, requested, scope));
      if (system.get("process", name)) world.unpark(name);
    }
    const retiring = world.retiring.get(name);
    if (retiring && event.type === "stop" && event.by !== BY_CONFIGURATION) {
      // It is being stopped already; but should its name come back, it is not to start.
      world.retiring.set(name, { ...retiring, wanted: false });
      this.#options.wish(name, { by: event.by, requested_state: "stop" });
    }
    system.send("process", name, event);
  }

  spawnGroup(name: string): void {
    const { system, world } = this.#options;
    const members = () => world.membersOf(name).flatMap((member) => world.process(member) ?? []);
    system.spawn("group", name, () => ({ machine: groupMachine, input: { name, members } }));
  }

  #actor(name: string, first: "start" | "stop", scope: ActorScope) {
    const { world, clock, intents, epoch } = this.#options;
    const definition = world.config.processes.get(name);
    if (!definition) throw new Error(`process '${name}' is not configured`);
    this.#lives.set(name, scope.signal);
    // Built anew: it goes on from what was shown, and is told what its host last reported once it listens.
    const before = world.process(name);
    if (before || scope.rebuild > 0) queueMicrotask(() => this.#conductor(name)?.reportAgain(name));
    const host = this.#firstHost(name, definition.host);
    if (host !== definition.host) world.mayBeElsewhere(name);
    return {
      machine: this.#machine,
      input: {
        definition,
        requested: before ? requestedOf(before) : first,
        isIntentLost: this.#options.isIntentLost && intents.get(name).requested_state === undefined,
        clock,
        pendingRun: intents.get(name).pending_run ?? null,
        nextRunId: () => `${epoch}-${++this.#runs}`,
        lastRunId: () => `${epoch}-${this.#runs}`,
        host,
        hostReady: world.isHostReady(host ?? undefined),
        ...choicesOf(intents.get(name)),
        ...(before ? { shown: before.state } : {}),
      },
    };
  }

  /** Where an earlier manager began its newest run, if that host is still led: there it may live. */
  #firstHost(name: string, configured: string | null): string | null {
    const { intents, hosts } = this.#options;
    const { host = configured } = intents.get(name);
    return host === null || (hosts().session(host) !== null && !hosts().isLeaving(host)) ? host : configured;
  }

  async #beforeRun(name: string, host: string | null, signal: AbortSignal): Promise<void> {
    const { intents, hosts, hub, world } = this.#options;
    if ((intents.get(name).host ?? null) !== host) intents.set(name, { host });
    const canonical = host ?? world.hostName;
    hub().hasMoved(name, canonical);
    await hosts().startTurn(canonical, signal);
  }

  #conductor(name: string): HostConductor | null {
    const host = this.#options.world.hostOf(name);
    return host === null ? null : this.#options.hosts().conductor(host);
  }
}

function requestedOf(process: Process | undefined): "start" | "stop" {
  return process?.requested_state === "start" ? "start" : "stop";
}
