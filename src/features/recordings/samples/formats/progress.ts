import type { LoggerSamples, WriteOptions } from "../samples.ts";

/** Number of samples between two calls of `onProgress`. */
const PROGRESS_STEP_SAMPLES = 1_000;

/** Counts the samples read in all passes, and ends the writing when its signal is aborted. */
export function progress({ topics }: LoggerSamples, passes: number, { onProgress, signal }: WriteOptions): () => void {
  const total = passes * topics.reduce((sum, { count }) => sum + count, 0);
  let done = 0;
  return () => {
    signal?.throwIfAborted();
    done++;
    if (done % PROGRESS_STEP_SAMPLES === 0 || done === total) onProgress?.(Math.min(done, total), total);
  };
}
