import { batch, computed, signal } from "@preact/signals";
import type { ScheduleState } from "../../../../src/features/schedule/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { frames$ } from "../../state/store.ts";

const schedules = signal<ReadonlyMap<string, ScheduleState>>(new Map());

frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "snapshot":
      schedules.value = new Map(frame.schedules.map((state) => [state.name, state]));
      return;
    case "schedule_upsert":
      schedules.value = new Map(schedules.peek()).set(frame.schedule.name, frame.schedule);
      return;
    case "schedule_remove":
      schedules.value = new Map([...schedules.peek()].filter(([name]) => name !== frame.name));
      return;
  }
}

export const scheduleOf = (name: string): ScheduleState | undefined => schedules.value.get(name);

/** All schedules: the next run first, those without one last. */
export const inOrder = computed(() => {
  const key = ({ next_run, name }: ScheduleState) => `${next_run ?? "~"} ${name}`;
  return [...schedules.value.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
});
