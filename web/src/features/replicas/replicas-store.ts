import { batch, signal } from "@preact/signals";
import type { ReplicaSet } from "../../../../src/features/replicas/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { frames$ } from "../../state/store.ts";

const sets = signal<ReadonlyMap<string, ReplicaSet>>(new Map());

frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "snapshot":
      sets.value = new Map(frame.replicas.map((set) => [set.name, set]));
      return;
    case "replicas_upsert":
      sets.value = new Map(sets.peek()).set(frame.replicas.name, frame.replicas);
      return;
    case "replicas_remove":
      sets.value = new Map([...sets.peek()].filter(([name]) => name !== frame.name));
      return;
  }
}

/** The process with replicas whose replicas are the group of this name. */
export const setOf = (group: string): ReplicaSet | undefined => sets.value.get(group);
