import { signal } from "@preact/signals";
import type { ManagerClient } from "../../../src/client/manager-client.ts";
import type { LogLevel } from "../../../src/protocol/resources/resources.ts";
import { forgetEntries, LOG_KEPT, loggedEntries } from "./log-store.ts";

/** Entries that the page has from the beginning, and how many it fetches at a time as somebody scrolls back. */
const FIRST = 1_000;
const PIECE = 5_000;

/** Whether the manager may have entries older than those that are here. */
export const olderEntries = signal<"perhaps" | "coming" | "none">("perhaps");
/** The lowest level that is fetched and told: debug entries only for who asks for them. */
let level: LogLevel = "info";

/** The newest entries, once the connection stands: what came before it is kept. */
export function loadNewest(client: ManagerClient): void {
  if (level !== "info") client.link.send({ type: "set_log_min_level", level });
  client.link.send({ type: "request_logs", level, limit: FIRST });
  olderEntries.value = "perhaps";
}

/** The next piece of older entries. */
export async function loadOlder(client: ManagerClient): Promise<void> {
  const { entries } = loggedEntries();
  const [first] = entries;
  if (olderEntries.value !== "perhaps" || !first) return;
  olderEntries.value = "coming";
  // They are kept where every batch is (store.ts).
  const answer = await client.request({ type: "request_logs", level, limit: PIECE, before: first.id }).catch(() => null);
  const count = answer?.type === "log_batch" ? answer.entries.length : 0;
  olderEntries.value = count < PIECE || loggedEntries().entries.length >= LOG_KEPT ? "none" : "perhaps";
}

/** Debug entries come as well, or no longer. */
export function wantLevel(client: ManagerClient, wanted: LogLevel): void {
  const next = wanted === "debug" ? "debug" : "info";
  if (next === level) return;
  level = next;
  forgetEntries();
  client.link.send({ type: "set_log_min_level", level });
  loadNewest(client);
}
