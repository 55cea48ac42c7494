import type { DomainEvents } from "../../actors/domain-events.ts";
import type { Clock } from "../../base/clock.ts";
import type { Cancellation } from "../../base/task.ts";
import { untilWithin } from "../../base/wait.ts";
import { type ProcessState, UP_STATES } from "../../protocol/process/process-state.ts";
import type { ProcessRegistry } from "./process-registry.ts";

/** States in which something of the process is alive or about to be. */
const ALIVE: ReadonlySet<ProcessState> = new Set<ProcessState>(["waiting", ...UP_STATES]);

/** Waits until processes have ended. Each wait is limited by the time that the stops may take. */
export class ProcessWaits {
  readonly #registry: ProcessRegistry;
  readonly #events: DomainEvents;
  readonly #clock: Clock;

  constructor({ registry, events, clock }: { registry: ProcessRegistry; events: DomainEvents; clock: Clock }) {
    this.#registry = registry;
    this.#events = events;
    this.#clock = clock;
  }

  /**
   * Resolves when all processes on reachable hosts have ended. If none ends for as long as all stops may take, resolves with the names of the
   * remaining ones: a process may be stuck in the kernel.
   */
  async allAtRest(): Promise<string[]> {
    const registry = this.#registry;
    const isDone = (name: string) => !ALIVE.has(registry.stateOf(name) ?? "stopped") || this.#isAway(name);
    const busy = new Set<string>();
    let ends = 0;
    const look = (name: string) => {
      if (!isDone(name)) busy.add(name);
      else if (busy.delete(name)) ends++;
    };
    registry.names().forEach(look);
    // Does not check all processes at each event: with 10,000, that would take seconds.
    const leave = this.#events.subscribe((event) => {
      if (event.type === "process_upsert") look(event.process.name);
      else if (event.type === "process_remove") busy.delete(event.name);
      else if (event.type === "host_upsert") registry.namesAt(event.host.name).forEach(look);
      else if (event.type === "host_remove") registry.names().forEach(look);
    });
    try {
      for (let seen = -1; busy.size > 0 && seen < ends; ) {
        seen = ends;
        await this.#untilWithin(registry.graph.stopTimeOfAll(), () => ends > seen || busy.size === 0);
      }
    } finally {
      leave();
    }
    return [...busy];
  }

  /**
   * Resolves when no reachable dependent of `name` is stopping any more, or with the names of those that are left once the time that their
   * stops may take has passed. While the host of `name` itself is unreachable nothing can be stopped there, and its dependents are waited
   * for: they may come back along with it. Aborting rejects.
   */
  async dependentsStopped(name: string, task: Cancellation): Promise<string[]> {
    const registry = this.#registry;
    const stopping = () =>
      registry.graph
        .directDependents(name)
        .filter((each) => registry.stateOf(each) === "stopping" && (!this.#isAway(each) || this.#isAway(name)));
    task.throwIfEnded();
    if (stopping().length === 0) return [];
    await this.#untilWithin(registry.graph.stopTimeOfDependents(name), () => stopping().length === 0, task.signal);
    return stopping();
  }

  #untilWithin(forMs: number, isMet: () => boolean, signal?: AbortSignal): Promise<boolean> {
    const limits = { forMs, clock: this.#clock, ...(signal && { signal }) };
    return untilWithin(isMet, (check) => this.#events.subscribe(check), limits);
  }

  /** Whether the host of `name` cannot be reached. */
  #isAway(name: string): boolean {
    return !this.#registry.isHostReady(this.#registry.hostOf(name) ?? undefined);
  }
}
