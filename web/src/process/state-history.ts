import { signal } from "@preact/signals";
import { exitText } from "../../../src/client/handles/exit-text.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { Process, ProcessState } from "../../../src/protocol/resources/resources.ts";

/** A state that a process has come to. */
export interface StateChange {
  /** UTC as on the wire. */
  time: string;
  to: ProcessState;
  /** How the run ended, if this is its end. */
  exit: string;
  /** Start time of the newest run by then; null: it had none. */
  run: string | null;
}

export type Runs = Extract<ManagerFrame, { type: "process_detail"; ok: true }>["history"];

/** State changes kept for one process. */
const MAX_CHANGES = 200;

/** States that the end of a run leads to. */
const ENDED: ReadonlySet<ProcessState> = new Set<ProcessState>(["stopped", "backoff", "error"]);

/** By name; the process that changed last is the last one. */
const changes = new Map<string, StateChange[]>();
/** Grows with every change. */
const version = signal(0);

/**
 * Notes the state of a process that the page sees for the first time, or again after it was disconnected: its run's times say since when.
 * `before` is what the page showed until now.
 */
export function noteSeen(process: Process, before: Process | undefined): void {
  const { name, state, start_time: run, stop_time, pid, exit } = process;
  if (before?.state === state && before.start_time === run) return;
  if (run !== null && before?.start_time !== run) add(name, { time: run, to: pid === null ? "started" : state, exit: "", run });
  const end = stop_time ?? exit?.time;
  if (pid === null && end) add(name, { time: end, to: ENDED.has(state) ? state : "stopped", exit: exitText(process), run });
}

/** Notes a change of state that the page was told of, if it is one. `now` is the time, UTC as on the wire. */
export function noteChange(process: Process, before: Process | undefined, now: string): void {
  const { name, state, start_time } = process;
  if (before?.state !== state) add(name, { time: now, to: state, exit: process.pid === null ? exitText(process) : "", run: start_time });
}

/** Puts what a first snapshot brought in order of time. */
export function sortSeen(): void {
  const lastTime = ([, own]: [string, StateChange[]]) => own.at(-1)?.time ?? "";
  const sorted = [...changes].sort((a, b) => (lastTime(a) < lastTime(b) ? -1 : 1));
  changes.clear();
  for (const [name, own] of sorted) changes.set(name, own);
}

export function forgetChanges(name: string): void {
  changes.delete(name);
  version.value++;
}

function add(name: string, change: StateChange): void {
  const own = changes.get(name) ?? [];
  own.push(change);
  if (own.length > MAX_CHANGES) own.splice(0, own.length - MAX_CHANGES);
  // The name moves to the end.
  changes.delete(name);
  changes.set(name, own);
  version.value++;
}

/** The last state changes of each process, the process that changed last first. Readers are notified of changes. */
export function recentChanges(most: number): { name: string; changes: readonly StateChange[] }[] {
  void version.value;
  return [...changes]
    .slice(-most)
    .reverse()
    .map(([name, own]) => ({ name, changes: own }));
}

/** States of one process, oldest first: the beginnings and ends of earlier runs, then what the page has seen itself. */
export function stateHistory(name: string, runs: Runs): StateChange[] {
  void version.value;
  const seen = changes.get(name) ?? [];
  const known = new Set(seen.map(({ run }) => run));
  const earlier = runs
    .filter(({ start_time }) => start_time !== null && !known.has(start_time))
    .reverse()
    .flatMap(({ start_time: run, stop_time, code, signal, reason }): StateChange[] => {
      if (run === null) return [];
      const began: StateChange = { time: run, to: "started", exit: "", run };
      if (stop_time === null) return [began];
      return [began, { time: stop_time, to: "stopped", exit: exitText({ exit: { code, signal, reason, time: stop_time } }), run }];
    });
  return [...earlier, ...seen];
}
