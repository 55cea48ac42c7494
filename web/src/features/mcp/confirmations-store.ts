import { effect, signal } from "@preact/signals";
import type { Confirmation } from "../../../../src/features/mcp/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { poppedOut } from "../../state/navigation.ts";
import { client, command, connection, frames$, isLoaded } from "../../state/store.ts";

const FOLLOW = { type: "follow_confirmations" } as const;

/** Questions of agents that the user may answer, the oldest first. */
export const confirmations = signal<readonly Confirmation[]>([]);

/** Follows them on each connection, if the user may answer any. Windows with a single view leave them to the page. */
export function followConfirmations(): void {
  if (poppedOut) return;
  frames$.subscribe((frame) => {
    if (frame.type === "confirmations") confirmations.value = frame.confirmations;
  });
  effect(() => {
    if (connection.value.kind !== "open") confirmations.value = [];
    // Those of an access token are refused: a person has to answer.
    else if (isLoaded.value && refusalOf(FOLLOW) === null) client.request(FOLLOW).catch(() => undefined);
  });
}

export function answer({ id, name, agent }: Confirmation, allow: boolean): void {
  void command({ type: "answer_confirmation", id, name, agent, allow });
}
