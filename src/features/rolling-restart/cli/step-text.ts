import { listNames } from "../../../base/text/names.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { RestartStep } from "../wire.ts";

/** Whether a step has its final state; null: its process was removed; undefined: nothing is known yet. */
export function isSettled(step: RestartStep | null | undefined): boolean {
  return step === null || (step !== undefined && step.state !== "pending" && step.state !== "restarting");
}

/** The line about a step that has changed; "" for one that waits, or is left out: the summary at the end names those. */
export function stepLine({ name, position, total, state, reason }: RestartStep): string {
  const line = (text: string) => `${visible(name)}: ${visible(text)}\n`;
  if (state === "restarting") return line(`restarting (${position} of ${total})`);
  if (state === "done") return line("restarted");
  return state === "failed" ? line(`failed: ${reason ?? "no reason is known"}`) : "";
}

interface RollingResult {
  readonly restarted: readonly string[];
  readonly failed: string | null;
  readonly leftOut: readonly string[];
}

/** The result of a rolling restart whose steps are all settled; a process without a step was removed. */
export function resultOf(all: readonly { readonly name: string; readonly step: RestartStep | null }[]): RollingResult {
  const namesIn = (state: RestartStep["state"]) => all.flatMap(({ name, step }) => ((step?.state ?? "left_out") === state ? name : []));
  return { restarted: namesIn("done"), failed: namesIn("failed")[0] ?? null, leftOut: namesIn("left_out") };
}

/** Why not all processes were restarted, which were and which were not; null: all were. */
export function problemOf({ restarted, failed, leftOut }: RollingResult): string | null {
  if (failed === null && leftOut.length === 0) return null;
  const list = (names: readonly string[]) => visible(listNames(names, names.length));
  const done = restarted.length === 0 ? "none was restarted" : `restarted: ${list(restarted)}`;
  const rest = leftOut.length === 0 ? "" : `; not restarted: ${list(leftOut)}`;
  const what = failed === null ? "the rolling restart was cancelled" : `the rolling restart ended because '${visible(failed)}' failed`;
  return `${what}; ${done}${rest}`;
}
