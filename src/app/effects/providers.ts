import { fromCallback, fromPromise } from "xstate";
import type { DomainEvents } from "../../actors/domain-events.ts";
import type { GreetInput, Greeting } from "../../actors/host-machine.ts";
import { hostMachine } from "../../actors/host-machine.ts";
import { processMachine } from "../../actors/process/process-machine.ts";
import { withXDisplay } from "../../actors/process/process-memo.ts";
import type { ProcessEvent, SpawnInput, StopInput, StopOutcome, WatchInput } from "../../actors/process/process-types.ts";
import type { ActorScope } from "../../actors/system.ts";
import type { Clock } from "../../base/clock.ts";
import { TurnShare } from "../../base/turns.ts";
import type { RunReport, RunSpec } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { RunDisplays } from "../displays/run-displays.ts";
import type { HostSession } from "../hosts/host-session.ts";
import { MEMBERS_PER_TURN } from "../processes/command-plan.ts";
import type { ProcessRegistry } from "../processes/process-registry.ts";
import type { ProcessWaits } from "../processes/process-waits.ts";
import { spawnRun, stopRun } from "./process-effects.ts";
import { fromTask } from "./task.ts";

/** Services that the effects of processes use. */
export interface ProcessEffectServices {
  registry: ProcessRegistry;
  waits: ProcessWaits;
  events: DomainEvents;
  clock: Clock;
  log: LogBook;
  /** Session with a host: a configured one, or null for the manager's own. Throws `host_unavailable` for one that was removed. */
  session: (host: string | null) => HostSession;
  /**
   * Called before a run begins on `host`: records where to look for it after a restart of the manager, waits for its turn to start, and
   * sets the source of its output.
   */
  beforeRun: (name: string, host: string | null, signal: AbortSignal) => Promise<void>;
  /** False once the shutdown has begun: no run begins after that, whatever the request. */
  mayStart: () => boolean;
  /** Resolves once the requested state is on disk, as far as possible: awaited before every effect of it. Never rejects. */
  intentWritten: () => Promise<void>;
  displays: Pick<RunDisplays, "select" | "begun">;
  runSpec: (choices: Pick<SpawnInput, "definition" | "size" | "settings">) => RunSpec;
  /** Signal of the current actor of a name: aborted before the actor is rebuilt, and when it stops. */
  lifeOf: (name: string) => AbortSignal;
}

/**
 * The process machine with its effects, which act on the host. One machine is shared by all processes: providing one takes a millisecond.
 */
export function processWithEffects(services: ProcessEffectServices) {
  const { registry, events, clock, log, session, runSpec, lifeOf } = services;
  /** Commands to thousands of processes are spread over many turns. */
  const share = new TurnShare({ units: MEMBERS_PER_TURN });
  const needed = dependencyNews(events);
  // During a shutdown, a process that is about to start waits for its stop: stop commands to thousands take many turns.
  const stillHolds = (name: string) => services.mayStart() && registry.unmet(name).missing.length === 0;
  const ownLife = ({ definition }: SpawnInput | StopInput) => lifeOf(definition.name);
  return processMachine.provide({
    guards: { dependenciesHold: ({ context }) => stillHolds(context.definition.name) },
    actors: {
      spawnRun: fromTask<RunReport, SpawnInput>(ownLife, async (input, ended) => {
        const { name, host } = input.definition;
        // Fixed here: the host gets the same spec each time it is sent.
        const plain = runSpec(input);
        const display = await services.displays.select(input.definition, ended);
        const spec = display === null ? plain : { ...plain, x11: display.x11 };
        const memo = display === null ? input.memo : withXDisplay(input.memo, display.shown);
        await services.beforeRun(name, host, ended);
        await services.intentWritten();
        await share.pass();
        const run = await spawnRun(
          { session: session(host), clock },
          { runId: input.runId, spec, memo, stillHold: () => stillHolds(name) },
          ended,
        );
        if (display !== null) services.displays.begun(name, display);
        return run;
      }),
      stopRun: fromTask<StopOutcome, StopInput>(ownLife, async (input, ended) => {
        const { name } = input.definition;
        await services.intentWritten();
        // Reverse order: waits for dependents that are stopping.
        const left = await services.waits.dependentsStopped(name, ended);
        if (left.length > 0) {
          const msg = `process '${name}': it is stopped although ${left.join(", ")} did not end in time`;
          log.append({ level: "warning", source: "manager", msg });
        }
        await share.pass();
        return stopRun({ session: session(input.host), clock }, { runId: input.runId, steps: [...input.definition.stop] }, ended);
      }),
      watchDependencies: fromCallback<ProcessEvent, WatchInput>(({ input, sendBack }) => {
        const { name } = input.definition;
        const life = lifeOf(name);
        let due = false;
        let over = false;
        // At the end of the turn: a dependency that is requested to start in this turn must not count as stopped.
        const look = () => {
          if (due) return;
          due = true;
          queueMicrotask(() => {
            due = false;
            if (!over && !life.aborted && services.mayStart()) sendBack({ type: "dependencies", ...registry.unmet(name) });
          });
        };
        const leave = needed(
          input.definition.depends_on.map((dependency) => dependency.name),
          look,
        );
        const stop = () => {
          over = true;
          leave();
          life.removeEventListener("abort", stop);
        };
        life.addEventListener("abort", stop, { once: true });
        look();
        return stop;
      }),
    },
  });
}

/** Reports each change of the named processes. Indexed by name: thousands of processes may wait at once, each for a few others. */
function dependencyNews(events: DomainEvents): (names: readonly string[], look: () => void) => () => void {
  const watchers = new Map<string, Set<() => void>>();
  events.subscribe((event) => {
    const isNamed = event.type === "process_remove" || event.type === "process_step";
    const name = event.type === "process_upsert" ? event.process.name : isNamed ? event.name : null;
    if (name !== null) for (const look of watchers.get(name) ?? []) look();
  });
  return (names, look) => {
    for (const name of names) watchers.set(name, (watchers.get(name) ?? new Set()).add(look));
    return () => {
      for (const name of names) {
        const looks = watchers.get(name);
        looks?.delete(look);
        if (looks?.size === 0) watchers.delete(name);
      }
    };
  };
}

/** The host machine with its greeting. */
export function hostWithEffects(greet: (signal: AbortSignal) => Promise<Greeting>, scope: ActorScope) {
  return hostMachine.provide({
    actors: { greet: fromPromise<Greeting, GreetInput>(({ signal }) => greet(AbortSignal.any([signal, scope.signal]))) },
  });
}
