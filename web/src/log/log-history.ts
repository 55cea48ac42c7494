import { signal } from "@preact/signals";
import type { ManagerConnection } from "../../../src/client/manager-connection.ts";
import type { LogLevel } from "../../../src/protocol/resources/resources.ts";
import { forgetEntries, loggedEntries, MAX_LOG_ENTRIES } from "./log-store.ts";

/** Number of entries that the page loads first, and that it fetches at a time as the user scrolls back. */
const FIRST = 1_000;
const PIECE = 5_000;
/** Pause before a batch that did not come is requested again, ms. */
const RETRY_MS = 1_000;

/** Whether the manager may have older entries than those loaded. */
export const olderEntries = signal<"perhaps" | "coming" | "none">("perhaps");
/** The lowest level that is fetched and received: debug entries only on request. */
let level: LogLevel = "info";

/** Loads the newest entries, once the connection is open; existing entries are kept. */
export function loadNewest(client: ManagerConnection): void {
  if (level !== "info") client.link.send({ type: "set_log_min_level", level });
  client.link.send({ type: "request_logs", level, limit: FIRST });
  olderEntries.value = "perhaps";
}

/** Loads the next batch of older entries. */
export async function loadOlder(client: ManagerConnection): Promise<void> {
  const { entries } = loggedEntries();
  const [first] = entries;
  if (olderEntries.value !== "perhaps" || !first) return;
  olderEntries.value = "coming";
  // The entries are stored with those of all batches (follow-log.ts).
  const answer = await client.request({ type: "request_logs", level, limit: PIECE, before: first.id }).catch(() => null);
  if (answer?.type !== "log_batch") {
    // Refused, too late, or the connection was lost: there may be older entries all the same.
    setTimeout(() => {
      if (olderEntries.value === "coming") olderEntries.value = "perhaps";
    }, RETRY_MS);
    return;
  }
  olderEntries.value = answer.entries.length < PIECE || loggedEntries().entries.length >= MAX_LOG_ENTRIES ? "none" : "perhaps";
}

/** Begins or stops receiving debug entries. */
export function requestLevel(client: ManagerConnection, requested: LogLevel): void {
  const next = requested === "debug" ? "debug" : "info";
  if (next === level) return;
  level = next;
  forgetEntries();
  client.link.send({ type: "set_log_min_level", level });
  loadNewest(client);
}
