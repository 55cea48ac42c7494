import { fromCallback, fromPromise } from "xstate";
import type { DomainEvents } from "../../actors/domain-events.ts";
import type { GreetInput, Greeting } from "../../actors/host-machine.ts";
import { hostMachine } from "../../actors/host-machine.ts";
import { processMachine } from "../../actors/process-machine.ts";
import type { ProcessEvent, SpawnInput, StopInput, StopOutcome, WatchInput } from "../../actors/process-types.ts";
import type { ActorScope } from "../../actors/system.ts";
import type { Clock } from "../../base/clock.ts";
import type { RunReport, RunSpec } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { HostSession } from "../hosts/host-session.ts";
import { MEMBERS_PER_TURN } from "../processes/command-queue.ts";
import type { ProcessRegistry } from "../processes/process-registry.ts";
import { TurnShare } from "../processes/turn-share.ts";
import { spawnRun, stopRun } from "./process-effects.ts";

/** What the effects of processes work with. */
export interface ProcessEffectServices {
  registry: ProcessRegistry;
  events: DomainEvents;
  clock: Clock;
  log: LogBook;
  /** With a host: a configured one, or null for the manager's own. Throws `host_unavailable` for one that is gone. */
  session: (host: string | null) => HostSession;
  /** Before a run begins on `host`: where it is looked for after a restart of the manager, when it is its turn, and where its output comes from. */
  beforeRun: (name: string, host: string | null, signal: AbortSignal) => Promise<void>;
  /** False once the shutdown has begun: then no run begins, whatever asks for it. */
  mayStart: () => boolean;
  /** Resolves once what users want is on disk, as far as it can be: before every effect of it. Never rejects. */
  intentWritten: () => Promise<void>;
  runSpec: (choices: Pick<SpawnInput, "definition" | "size" | "settings">) => RunSpec;
  /** Of the actor that stands behind a name now: aborted before it is built anew, and on its stop. */
  lifeOf: (name: string) => AbortSignal;
}

/**
 * The process machine with its effects: what it asks for happens at the host. One machine for all processes: to provide
 * a machine costs a millisecond.
 */
export function processWithEffects(services: ProcessEffectServices) {
  const { registry, events, clock, log, session, runSpec, lifeOf } = services;
  /** Thousands that were asked at once are sent in many turns. */
  const share = new TurnShare(MEMBERS_PER_TURN);
  const needed = dependencyNews(events);
  // During a shutdown what is about to start waits for its stop, which is told to thousands in many turns.
  const stillHolds = (name: string) => services.mayStart() && registry.unmet(name).missing.length === 0;
  return processMachine.provide({
    guards: { dependenciesHold: ({ context }) => stillHolds(context.definition.name) },
    actors: {
      spawnRun: fromPromise<RunReport, SpawnInput>(async ({ input, signal }) => {
        const { name, host } = input.definition;
        const ended = AbortSignal.any([signal, lifeOf(name)]);
        // Frozen here: however often it is sent again, the host gets the same one.
        const spec = runSpec(input);
        await services.beforeRun(name, host, ended);
        await services.intentWritten();
        await share.pass();
        return spawnRun(
          { session: session(host), clock },
          { runId: input.runId, spec, memo: input.memo, stillHold: () => stillHolds(name) },
          ended,
        );
      }),
      stopRun: fromPromise<StopOutcome, StopInput>(async ({ input, signal }) => {
        const { name } = input.definition;
        const ended = AbortSignal.any([signal, lifeOf(name)]);
        await services.intentWritten();
        // Reverse order, and waiting: those that need this one and are on their way out go first.
        const left = await registry.dependentsStopped(name, ended);
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
        // At the end of the turn: a dependency that is asked to start in this very turn must not count as stopped.
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

/** Tells of each change of the processes that somebody names. By name: thousands may wait at the same time, each for a few. */
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
