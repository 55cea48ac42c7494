/** Signals that end a program which has a terminal or a desktop to give back. */
export const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `work` until it ends, or Ctrl-C or another of `signals` comes: then `interrupted` is aborted, and a failure of `work` is its
 * consequence. The second Ctrl-C ends this program, as without a handler.
 */
export async function untilInterrupted(
  work: (interrupted: AbortSignal) => Promise<void>,
  signals: readonly NodeJS.Signals[] = ["SIGINT"],
): Promise<void> {
  const end = new AbortController();
  const abort = () => end.abort();
  for (const signal of signals) process.once(signal, abort);
  try {
    await work(end.signal);
  } catch (error) {
    if (!end.signal.aborted) throw error;
  } finally {
    for (const signal of signals) process.off(signal, abort);
  }
}
