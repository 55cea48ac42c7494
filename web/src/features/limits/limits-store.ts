import { batch, signal } from "@preact/signals";
import { limitReasons } from "../../../../src/features/limits/client/limit-text.ts";
import type { LimitState } from "../../../../src/features/limits/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { refusalOf } from "../../state/access.ts";
import type { AttentionReason } from "../../state/attention.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { command, frames$ } from "../../state/store.ts";
import { clockTime } from "../../ui/time.ts";

const limits = signal<ReadonlyMap<string, LimitState>>(new Map());

frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "snapshot":
      limits.value = new Map(frame.limits.map((state) => [state.name, state]));
      return;
    case "limits_upsert":
      limits.value = new Map(limits.peek()).set(frame.limits.name, frame.limits);
      return;
    case "limits_remove":
      limits.value = new Map([...limits.peek()].filter(([name]) => name !== frame.name));
      return;
  }
}

export const limitStateOf = (name: string): LimitState | undefined => limits.value.get(name);

/** Why a process needs attention by its limits: one reason, since all are dismissed together. */
export function reasonsOf(name: string): readonly AttentionReason[] {
  const { reached = [] } = limits.value.get(name) ?? {};
  if (reached.length === 0) return [];
  const text = limitReasons(reached, clockTime).join("; ");
  const clear = { type: "clear_limits", name } as const;
  const forbidden = refusalOf(clear, "Dismissing");
  return [{ text: text.charAt(0).toUpperCase() + text.slice(1), dismiss: () => void command(clear), forbidden }];
}
