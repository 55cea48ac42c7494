import { exitText } from "../../../src/client/handles/exit-text.ts";
import { type ShownState, shownState } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";

/** States that need attention or will pass, the worst first. */
export const TROUBLE: readonly ShownState[] = ["error", "backoff", "lost", "waiting", "stopping", "starting"];

/** Minimum number of processes with one cause that share a row; fewer have a row each. */
const MIN_GROUPED = 3;

/** Processes that need attention for the same reason: one row of the overview. */
export interface Cause {
  /** Key of the cause; for a single process its name. */
  readonly key: string;
  readonly state: ShownState;
  readonly reason: string;
  readonly names: readonly string[];
  readonly isGroup: boolean;
}

/** The cause for which a process needs attention, without details that differ between processes or over time; null if it needs none. */
function causeOf(process: Process): { state: ShownState; reason: string } | null {
  const state = shownState(process);
  switch (state) {
    case "error":
      return { state, reason: exitText(process) || "see the log" };
    case "lost":
      return { state, reason: `host ${process.host} is not connected` };
    case "waiting":
      return { state, reason: process.waiting_for.length === 0 ? "" : `for ${process.waiting_for.join(", ")}` };
    // The end of the last run is not known while the next run lives.
    case "backoff":
    case "stopping":
    case "starting":
      return { state, reason: "" };
    default:
      return null;
  }
}

const keyOf = ({ state, reason }: { state: ShownState; reason: string }) => `${state}: ${reason}`;

/** Whether a process still needs attention for this cause. */
export function isCausedBy(process: Process | undefined, { state, reason }: Pick<Cause, "state" | "reason">): boolean {
  const own = process === undefined ? null : causeOf(process);
  return own !== null && keyOf(own) === keyOf({ state, reason });
}

/** The causes of processes that need attention, by state, then by number of processes. */
export function causesOf(processes: readonly Process[]): Cause[] {
  const byKey = new Map<string, { state: ShownState; reason: string; names: string[] }>();
  for (const process of processes) {
    const cause = causeOf(process);
    if (cause === null) continue;
    const known = byKey.get(keyOf(cause));
    if (known) known.names.push(process.name);
    else byKey.set(keyOf(cause), { ...cause, names: [process.name] });
  }
  return [...byKey.values()]
    .sort((a, b) => TROUBLE.indexOf(a.state) - TROUBLE.indexOf(b.state) || b.names.length - a.names.length)
    .flatMap(({ names, ...cause }): Cause[] =>
      names.length < MIN_GROUPED
        ? names.map((name) => ({ ...cause, key: name, names: [name], isGroup: false }))
        : [{ ...cause, key: keyOf(cause), names, isGroup: true }],
    );
}

/** Rows that do not move while the mouse is over them: those of `before`, then new processes in the group of their cause or in a new row. */
export function heldCauses(before: readonly Cause[], now: readonly Cause[]): Cause[] {
  const shown = new Set(before.flatMap(({ names }) => names));
  const added = now.map((cause) => ({ ...cause, names: cause.names.filter((name) => !shown.has(name)) }));
  const joining = new Map(added.filter(({ isGroup }) => isGroup).map((cause) => [cause.key, cause.names]));
  const held = before.map((cause) => ({ ...cause, names: [...cause.names, ...(joining.get(cause.key) ?? [])] }));
  const keys = new Set(before.map(({ key }) => key));
  return [...held, ...added.filter(({ key, names }) => names.length > 0 && !keys.has(key))];
}

/** The text of a cause, such as "41 failed: exit code 3". */
export function causeText({ state, reason }: Pick<Cause, "state" | "reason">, count: number): string {
  const word = state === "error" ? "failed" : state === "backoff" ? "restarting" : state;
  return `${count} ${word}${reason === "" ? "" : state === "waiting" ? ` ${reason}` : `: ${reason}`}`;
}
