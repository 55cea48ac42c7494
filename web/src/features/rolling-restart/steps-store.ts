import { batch, signal } from "@preact/signals";
import { isWithin, listNames } from "../../../../src/base/text/names.ts";
import type { RestartStep } from "../../../../src/features/rolling-restart/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { frames$ } from "../../state/store.ts";
import { toast } from "../../ui/toasts.ts";

const steps = signal<ReadonlyMap<string, RestartStep>>(new Map());

frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "snapshot":
      steps.value = new Map(frame.restart_steps.map((step) => [step.name, step]));
      return;
    case "restart_step_upsert":
      steps.value = new Map(steps.peek()).set(frame.step.name, frame.step);
      if (frame.step.state === "failed") reportFailure(frame.step);
      return;
    case "restart_step_remove":
      steps.value = new Map([...steps.peek()].filter(([name]) => name !== frame.name));
      return;
  }
}

function reportFailure({ name, id, reason }: RestartStep): void {
  const left = [...steps.peek().values()].filter((step) => step.id === id && (step.state === "pending" || step.state === "left_out"));
  const rest = left.length === 0 ? "" : ` Not restarted: ${listNames(left.map((step) => step.name))}.`;
  toast(`The rolling restart ended because ${name} failed: ${reason}.${rest}`, { bad: true });
}

/** The step that a rolling restart is at, with its progress, if it restarts processes below this group; an empty name is that of all. */
export function presentStep(group: string): RestartStep | undefined {
  return [...steps.value.values()].find(({ name, state }) => state === "restarting" && (group === "" || isWithin(name, group)));
}

/** The processes of a rolling restart, for the permission to cancel it. */
export const namesOf = (id: string): string[] => [...steps.value.values()].flatMap((step) => (step.id === id ? step.name : []));
