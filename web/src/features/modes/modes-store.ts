import { batch, computed, signal } from "@preact/signals";
import { counted } from "../../../../src/base/text/counted.ts";
import { differencesFrom, differencesText, stepText } from "../../../../src/features/modes/client/mode-text.ts";
import type { Mode } from "../../../../src/features/modes/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { allProcesses, ask, command, frames$ } from "../../state/store.ts";
import { confirm } from "../../ui/dialog.tsx";
import { complain, toast } from "../../ui/toasts.ts";

/** The configured modes; empty for users who do not see everything. */
export const modes = signal<readonly Mode[]>([]);

frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  if (frame.type === "snapshot" || frame.type === "modes_update") modes.value = frame.modes;
}

export const activeMode = computed(() => modes.value.find(({ active }) => active !== null) ?? null);

/** What is to be said about the active mode: what a switch is doing, what it could not do, or what differs now. */
export const modeRemark = computed(() => {
  const mode = activeMode.value;
  if (mode === null || mode.active === null) return "";
  if (mode.active.step !== null) return stepText(mode.active.step);
  return [...mode.active.problems, differencesText(differencesFrom(mode, allProcesses()))].filter((text) => text !== "").join("; ");
});

/** The processes on which a switch needs its role; null: on everything, because of parameters. */
export function ownersOf({ start, stop, parameters, preset }: Mode): readonly string[] | null {
  return parameters.length > 0 || preset !== null ? null : [...start, ...stop];
}

/** Switches to a mode, after a preview of what it would start and stop. */
export async function switchTo(name: string): Promise<void> {
  try {
    const plan = await ask({ type: "plan_mode", name }, "mode_plan");
    const { stops, starts, parameters } = plan;
    const lines = [
      ...stops.map((each) => `− ${each}, stops`),
      ...parameters.map((each) => `~ ${each.name} = ${each.value}`),
      ...starts.map((each) => `+ ${each}, starts`),
    ];
    const yes = await confirm({
      title: `Switch to mode ${name}?`,
      text: textOf(stops.length, starts.length),
      ...(lines.length === 0 ? {} : { detail: lines.join("\n") }),
      yes: "Switch",
      isDanger: plan.confirm.length > 0,
    });
    if (yes && (await command({ type: "switch_mode", name }))) toast(`Switching to mode ${name}`);
  } catch (error) {
    complain(error);
  }
}

function textOf(stops: number, starts: number): string {
  if (stops + starts === 0) return "Nothing stops or starts.";
  return `${processes(stops)} will stop, ${processes(starts)} will start.`;
}

const processes = (count: number): string => counted(count, "process", "processes");
