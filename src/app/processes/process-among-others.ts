import { fromCallback } from "xstate";
import type { DomainEvents } from "../../actors/domain-events.ts";
import { processMachine } from "../../actors/process/process-machine.ts";
import type { ProcessEvent, WatchInput } from "../../actors/process/process-types.ts";
import type { Cancellation } from "../../base/timing/cancellation.ts";
import type { ProcessTable } from "./process-table.ts";

interface Surroundings {
  processTable: ProcessTable;
  events: DomainEvents;
  /** Whether the dependencies of `name` hold. False for all once the shutdown has begun: no run begins after that, whatever the request. */
  mayStart: (name: string) => boolean;
  isShuttingDown: () => boolean;
  /** Returns the life of the current actor of a name, which ends before the actor is rebuilt, and when it stops. */
  lifeOf: (name: string) => Cancellation | null;
}

/** The process machine with the state of other processes. One machine is shared by all: providing one takes a millisecond. */
export function processAmongOthers({ processTable, events, mayStart, isShuttingDown, lifeOf }: Surroundings) {
  const needed = dependencyNews(events);
  return processMachine.provide({
    guards: {
      // Most of thousands of processes have no dependencies.
      dependenciesHold: ({ context: { definition } }) =>
        definition.depends_on.length === 0 ? !isShuttingDown() : mayStart(definition.name),
    },
    actors: {
      watchDependencies: fromCallback<ProcessEvent, WatchInput>(({ input, sendBack }) => {
        const { name } = input.definition;
        const life = lifeOf(name)?.signal ?? AbortSignal.abort();
        let due = false;
        let over = false;
        // Checks at the end of the turn: a dependency that is requested to start in this turn must not count as stopped.
        const check = () => {
          if (due) return;
          due = true;
          queueMicrotask(() => {
            due = false;
            if (!over && !life.aborted && !isShuttingDown()) sendBack({ type: "dependencies", ...processTable.unmet(name) });
          });
        };
        const unsubscribe = needed(
          input.definition.depends_on.map((dependency) => dependency.name),
          check,
        );
        const stop = () => {
          over = true;
          unsubscribe();
          life.removeEventListener("abort", stop);
        };
        life.addEventListener("abort", stop, { once: true });
        check();
        return stop;
      }),
    },
  });
}

/** Reports each change of the named processes. Indexed by name: thousands of processes may wait at once, each for a few others. */
function dependencyNews(events: DomainEvents): (names: readonly string[], check: () => void) => () => void {
  const watchers = new Map<string, Set<() => void>>();
  events.subscribe((event) => {
    const isNamed = event.type === "process_remove" || event.type === "process_step";
    const name = event.type === "process_upsert" ? event.process.name : isNamed ? event.name : null;
    if (name !== null) for (const check of watchers.get(name) ?? []) check();
  });
  return (names, check) => {
    for (const name of names) watchers.set(name, (watchers.get(name) ?? new Set()).add(check));
    return () => {
      for (const name of names) {
        const checks = watchers.get(name);
        checks?.delete(check);
        if (checks?.size === 0) watchers.delete(name);
      }
    };
  };
}
