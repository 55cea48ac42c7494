import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { ask, frames$ } from "../../state/store.ts";

export type ListedCrash = Extract<ManagerFrame, { type: "crash_reports"; ok: true }>["reports"][number];

/** Crashes of the processes that are shown, newest first; null: not known yet. */
const known = new Map<string, Signal<readonly ListedCrash[] | null>>();
/** Processes that are shown, by the number of places. */
const shown = new Map<string, number>();
/** Names that are requested together at the end of this turn. */
let due: Set<string> | null = null;

/** The crashes of a process, requested when they are first shown, and again when one was added. */
export function useCrashes(name: string): readonly ListedCrash[] {
  const crashes = signalOf(name);
  useEffect(() => {
    shown.set(name, (shown.get(name) ?? 0) + 1);
    if (crashes.peek() === null) request(name);
    return () => {
      const left = (shown.get(name) ?? 1) - 1;
      if (left > 0) return void shown.set(name, left);
      shown.delete(name);
      known.delete(name);
    };
  }, [name]);
  return crashes.value ?? [];
}

function signalOf(name: string): Signal<readonly ListedCrash[] | null> {
  const crashes = known.get(name) ?? signal(null);
  known.set(name, crashes);
  return crashes;
}

frames$.subscribe((frame) => {
  // After a reconnect others may have crashed meanwhile.
  if (frame.type === "snapshot") for (const name of shown.keys()) request(name);
  if (frame.type === "crash_report_made" && shown.has(frame.report.name)) request(frame.report.name);
});

/** Requests the crashes of a process again. */
export function request(name: string): void {
  if (due === null) {
    due = new Set();
    setTimeout(() => void requestDue());
  }
  due.add(name);
}

async function requestDue(): Promise<void> {
  const names = [...(due ?? [])];
  due = null;
  try {
    const answer = await ask({ type: "request_crash_reports", names, limit: 1_000 }, "crash_reports");
    if (!answer.ok) return;
    for (const name of names) if (shown.has(name)) signalOf(name).value = answer.reports.filter((report) => report.name === name);
  } catch (error) {
    // It is requested again after the reconnect.
    console.info("no crash reports", error);
  }
}
