import { effect, signal } from "@preact/signals";
import type { Confirmation } from "../../../../src/features/mcp/wire.ts";
import { poppedOut } from "../../state/navigation.ts";
import { command, connection, frames$, isLoaded } from "../../state/store.ts";

/** Questions of agents that the user may answer, the oldest first. */
export const confirmations = signal<readonly Confirmation[]>([]);

/** Follows them on each connection. Windows with a single view leave them to the page. */
export function followConfirmations(): void {
  if (poppedOut) return;
  frames$.subscribe((frame) => {
    if (frame.type === "confirmations") confirmations.value = frame.confirmations;
  });
  effect(() => {
    if (connection.value.kind !== "open") confirmations.value = [];
    else if (isLoaded.value) void command({ type: "follow_confirmations" });
  });
}

export function answer({ id, name, agent }: Confirmation, allow: boolean): void {
  void command({ type: "answer_confirmation", id, name, agent, allow });
}
