/** Signals that end a program which has to restore a terminal or a desktop. */
export const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `work` until it ends, or until Ctrl-C or another of `signals`: then `interrupted` is aborted, and a failure of `work` is ignored. A
 * second Ctrl-C ends this program, as without a handler.
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
