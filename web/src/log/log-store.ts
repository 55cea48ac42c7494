import { signal } from "@preact/signals";
import type { LogEntry } from "../../../src/protocol/resources/resources.ts";

/** Maximum number of entries that the page keeps; when it is exceeded by a tenth, the oldest are dropped. */
export const MAX_LOG_ENTRIES = 100_000;

/**
 * The manager's log as known to the page: oldest first, by growing ids. Not a signal of an array: a hundred thousand entries are not copied
 * for each new one. `logVersion` grows with every change.
 */
let entries: LogEntry[] = [];
export const logVersion = signal(0);
/** Grows when entries are added or removed anywhere but at the end: derived values have to be computed again. */
let epoch = 0;
/** Sources of all log entries. */
export const logSources = signal<string[]>([]);
const sources = new Set<string>();

/** All entries, and the epoch since which they only grew at their end. Readers are notified of changes. */
export function loggedEntries(): { entries: readonly LogEntry[]; epoch: number } {
  void logVersion.value;
  return { entries, epoch };
}

/** Adds entries in any order; existing ones are not added again. */
export function storeEntries(more: readonly LogEntry[]): void {
  const last = entries.at(-1)?.id ?? Number.NEGATIVE_INFINITY;
  const first = entries[0]?.id ?? Number.NEGATIVE_INFINITY;
  const isSorted = more.every(({ id }, index) => index === 0 || id > (more[index - 1]?.id ?? 0));
  if (isSorted && (more[0]?.id ?? 0) > last) append(more);
  else if (isSorted && (more.at(-1)?.id ?? 0) < first) prepend(more);
  else {
    const byId = new Map([...entries, ...more].map((entry) => [entry.id, entry]));
    const all = [...byId.values()].sort((a, b) => a.id - b.id);
    if (all.length === entries.length) return;
    forgetEntries();
    append(all);
  }
  if (entries.length > MAX_LOG_ENTRIES * 1.1) {
    entries = entries.slice(-MAX_LOG_ENTRIES);
    epoch++;
  }
  logVersion.value++;
}

/** Drops all entries, before the log is requested again with other levels. */
export function forgetEntries(): void {
  entries = [];
  epoch++;
  logVersion.value++;
}

function prepend(more: readonly LogEntry[]): void {
  entries = [...more, ...entries];
  epoch++;
  noteSources(more);
}

function append(more: readonly LogEntry[]): void {
  for (const entry of more) entries.push(entry);
  noteSources(more);
}

function noteSources(more: readonly LogEntry[]): void {
  const known = sources.size;
  for (const { source } of more) sources.add(source);
  if (sources.size !== known) logSources.value = [...sources].sort();
}
