import type { DomainEvents } from "../../actors/domain-events.ts";
import type { Cancellation } from "../../base/timing/cancellation.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { untilWithin } from "../../base/timing/wait.ts";
import { type ProcessState, UP_STATES } from "../../protocol/process/process-state.ts";
import type { ProcessTable } from "./process-table.ts";

/** States in which something of the process is alive or about to be. */
const ALIVE: ReadonlySet<ProcessState> = new Set<ProcessState>(["waiting", ...UP_STATES]);

/** Waits until processes have ended. Each wait is limited by the time that the stops may take. */
export class ProcessWaits {
  readonly #processTable: ProcessTable;
  readonly #events: DomainEvents;
  readonly #clock: Clock;

  constructor({ processTable, events, clock }: { processTable: ProcessTable; events: DomainEvents; clock: Clock }) {
    this.#processTable = processTable;
    this.#events = events;
    this.#clock = clock;
  }

  /**
   * Resolves when all processes on reachable hosts have ended. If none ends for as long as all stops may take, resolves with the names of the
   * remaining ones: a process may be stuck in the kernel.
   */
  async allAtRest(): Promise<string[]> {
    const processTable = this.#processTable;
    const isDone = (name: string) => !ALIVE.has(processTable.stateOf(name) ?? "stopped") || this.#isAway(name);
    const busy = new Set<string>();
    let ends = 0;
    const check = (name: string) => {
      if (!isDone(name)) busy.add(name);
      else if (busy.delete(name)) ends++;
    };
    processTable.names().forEach(check);
    // Does not check all processes at each event: with 10,000, that would take seconds.
    const unsubscribe = this.#events.subscribe((event) => {
      if (event.type === "process_upsert") check(event.process.name);
      else if (event.type === "process_remove") busy.delete(event.name);
      else if (event.type === "host_upsert") processTable.namesAt(event.host.name).forEach(check);
      else if (event.type === "host_remove") processTable.names().forEach(check);
    });
    try {
      for (let seen = -1; busy.size > 0 && seen < ends; ) {
        seen = ends;
        await this.#untilWithin(processTable.graph.stopTimeOfAll(), () => ends > seen || busy.size === 0);
      }
    } finally {
      unsubscribe();
    }
    return [...busy];
  }

  /**
   * Resolves when no reachable dependent of `name` is stopping any more, or with the names of those that are left once the time that their
   * stops may take has passed. While the host of `name` itself is unreachable nothing can be stopped there, and its dependents are waited
   * for: they may come back along with it. Aborting rejects.
   */
  async dependentsStopped(name: string, cancellation: Cancellation): Promise<string[]> {
    const processTable = this.#processTable;
    const stopping = () =>
      processTable.graph
        .directDependents(name)
        .filter((each) => processTable.stateOf(each) === "stopping" && (!this.#isAway(each) || this.#isAway(name)));
    cancellation.throwIfCancelled();
    if (stopping().length === 0) return [];
    await this.#untilWithin(processTable.graph.stopTimeOfDependents(name), () => stopping().length === 0, cancellation.signal);
    return stopping();
  }

  #untilWithin(forMs: number, isMet: () => boolean, signal?: AbortSignal): Promise<boolean> {
    const limits = { forMs, clock: this.#clock, ...(signal && { signal }) };
    return untilWithin(isMet, (check) => this.#events.subscribe(check), limits);
  }

  /** Whether the host of `name` cannot be reached. */
  #isAway(name: string): boolean {
    return !this.#processTable.isHostReady(this.#processTable.hostOf(name) ?? undefined);
  }
}
