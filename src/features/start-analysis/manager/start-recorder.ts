import { exitText } from "../../../client/handles/exit-text.ts";
import type { Process, ProcessState } from "../../../protocol/resources/resources.ts";
import type { StartTimes } from "../start-times.ts";

/** The part of a process that its start can be seen from. */
export type ObservedProcess = Pick<Process, "name" | "state" | "waiting_for" | "restarts" | "has_ready_state" | "exit">;

type Recorded = { -readonly [Field in keyof StartTimes]: StartTimes[Field] } & {
  /** The state that was observed last. */
  state: ProcessState;
  /** The processes that it waited for when it was observed last. */
  missing: readonly string[];
};

/** States of a start under way, before there is a pid. */
const BEGINS: ReadonlySet<ProcessState> = new Set<ProcessState>(["waiting", "starting"]);
const RUNS: ReadonlySet<ProcessState> = new Set<ProcessState>(["started", "ready"]);
const RESTS: ReadonlySet<ProcessState> = new Set<ProcessState>(["stopped", "backoff", "error"]);

/**
 * Records the newest start of each process from its changes of state. A restart by the restart policy belongs to the start before: what ran
 * once is not measured again, and an attempt that failed before it was up counts as one of several.
 */
export class StartRecorder {
  readonly #starts = new Map<string, Recorded>();

  /** Called for each change of a process; `now` is monotonic. */
  observe(process: ObservedProcess, now: number): void {
    const { name, state } = process;
    const before = this.#starts.get(name);
    if (BEGINS.has(state) && (before === undefined || !BEGINS.has(before.state))) this.#begin(process, before, now);
    const start = this.#starts.get(name);
    if (start === undefined) return;
    // It was found running: another manager has started this run.
    if (RUNS.has(state) && RESTS.has(start.state)) this.#starts.delete(name);
    else this.#advance(start, process, now);
  }

  #begin({ name, state, restarts }: ObservedProcess, before: Recorded | undefined, now: number): void {
    if (before?.state === "backoff" && restarts > 0) {
      if (before.up === null) Object.assign(before, { attempts: before.attempts + 1, started: null, ended: null, failure: null });
      return;
    }
    const nothing = { released: null, started: null, up: null, ended: null, failure: null, after: null };
    this.#starts.set(name, { name, requested: now, ...nothing, attempts: 1, state, missing: [] });
  }

  #advance(start: Recorded, { state, waiting_for, has_ready_state, exit }: ObservedProcess, now: number): void {
    if (start.up === null) {
      if (state === "waiting") wait(start, waiting_for);
      else if (start.missing.length > 0) {
        start.after = this.#newestOf(start.missing) ?? start.after;
        start.missing = [];
      }
      if (state === "starting") start.released ??= now;
      if (RUNS.has(state)) {
        start.started ??= now;
        if (state === "ready" || !has_ready_state) start.up = now;
      }
      if (state === "error" || state === "backoff") start.failure = exitText({ exit }) || "failed";
    }
    if (RESTS.has(state)) start.ended ??= now;
    start.state = state;
  }

  /** The process of which something was recorded last; null: nothing is known of any. */
  #newestOf(names: readonly string[]): string | null {
    let newest: { name: string; time: number } | null = null;
    for (const name of names) {
      const start = this.#starts.get(name);
      const time = start === undefined ? Number.NEGATIVE_INFINITY : (start.ended ?? start.up ?? start.started ?? Number.NEGATIVE_INFINITY);
      if (newest === null || time > newest.time) newest = { name, time };
    }
    return newest?.name ?? null;
  }

  forget(name: string): void {
    this.#starts.delete(name);
  }

  of(name: string): StartTimes | undefined {
    return this.#starts.get(name);
  }
}

function wait(start: Recorded, missing: readonly string[]): void {
  start.after = missing[0] ?? start.after;
  // An empty list is what a process has before its dependencies are checked.
  if (missing.length > 0) start.missing = missing;
}
