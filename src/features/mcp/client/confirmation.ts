import { randomUUID } from "node:crypto";
import { onAbort } from "../../../base/timing/on-abort.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { CONFIRMATION_TIME_MS } from "../limits.ts";

/** What a tool ends: an answer counts for this alone. */
export interface End {
  readonly action: "stop" | "restart";
  readonly name: string;
  /** The run; null: there is none. */
  readonly pid: number | null;
}

/** Time for the manager's answer beyond that of the person, milliseconds. */
const GRACE_MS = 15_000;

/** Resolves when a person has allowed it in the manager's page; rejects with the reason if not. Withdraws the question when `signal` is aborted. */
export async function confirmedInPage(client: ManagerClient, tool: string, { action, name }: End, signal: AbortSignal): Promise<void> {
  const key = randomUUID();
  const unsubscribe = onAbort(signal, () => {
    // With the connection, the manager withdraws the question by itself.
    client.request({ type: "cancel_confirmation", key }).catch(() => undefined);
  });
  try {
    await client.request({ type: "ask_confirmation", name, action, tool, key }, { timeout: CONFIRMATION_TIME_MS + GRACE_MS });
    signal.throwIfAborted();
  } finally {
    unsubscribe();
  }
}
