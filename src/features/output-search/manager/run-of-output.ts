import type { OutputHit } from "../wire.ts";

interface PastRun {
  readonly run_id: string;
  readonly number: number;
  readonly output_end: { readonly offset: number; readonly stream_id: string } | null;
}

/**
 * The run that printed what stands at a place of the output; null: not known. `history`: the last runs, the newest first. Only the ends of runs
 * are known: the beginning of a run is the end of the run before.
 */
export function runOfOutput(history: readonly PastRun[], { offset, stream_id }: NonNullable<OutputHit["place"]>): OutputHit["run"] {
  const candidate = history.findLast(({ output_end: end }) => end === null || (end.stream_id === stream_id && end.offset > offset));
  if (candidate === undefined) return null;
  const { run_id, number } = candidate;
  const before = history.find((run) => run.number === number - 1);
  const isNewest = candidate === history[0];
  // A run whose end is not known, and that is not the newest, was lost with its daemon.
  if (candidate.output_end === null && !isNewest) return null;
  const beginIsKnown = number === 1 || (before !== undefined && before.output_end !== null);
  return beginIsKnown ? { run_id, number } : null;
}
