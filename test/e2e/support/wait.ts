import { setTimeout as pause } from "node:timers/promises";

/** For what nobody announces: the end of foreign processes, files of others. Milliseconds. */
const CHECK_INTERVAL_MS = 20;

/** Resolves with the first value that is not null, false or undefined; rejects with `what` when the time is over. */
export async function eventually<T>(what: string, look: () => T | Promise<T>, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const begin = performance.now();
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value;
    const now = performance.now();
    if (now > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    // A look at all processes of the machine takes long: what is waited for has the processor for at least as long.
    await pause(Math.max(CHECK_INTERVAL_MS, now - begin));
  }
}
