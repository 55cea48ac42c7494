import { setTimeout as pause } from "node:timers/promises";

/** For what nobody announces: the end of foreign processes, files of others. Milliseconds. */
const CHECK_INTERVAL_MS = 20;
/** Longest time between two checks, and the part of the time waited so far that passes between them: a long wait takes little of the processor. */
const MAX_CHECK_INTERVAL_MS = 250;
const PART_OF_THE_WAIT = 1 / 10;

/** Resolves with the first value that is not null, false or undefined; rejects with `what` when the time is over. */
export async function eventually<T>(what: string, look: () => T | Promise<T>, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const start = performance.now();
  for (;;) {
    const begin = performance.now();
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value;
    const now = performance.now();
    if (now > start + timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    const interval = Math.min(MAX_CHECK_INTERVAL_MS, Math.max(CHECK_INTERVAL_MS, (now - start) * PART_OF_THE_WAIT));
    // A look at all processes of the machine takes long: what is waited for has the processor for at least as long.
    await pause(Math.max(interval, now - begin));
  }
}
