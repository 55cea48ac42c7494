import type { TraceSamples } from "./plot/trace-samples.ts";
import type { Trace } from "./plot/traces.ts";

export interface Wanted {
  /** Time span to read, seconds. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called with the stored samples of a topic. */
  readonly found: (topic: string, samples: TraceSamples) => void;
}
/** Reads samples from before the plot was opened; resolves with the topics that need not be read elsewhere. */
export type History = (traces: readonly Trace[], wanted: Wanted) => Promise<ReadonlySet<string>>;

const histories: History[] = [];

/** Adds a history; features call it when they start. The newest one is read first, since it may rely on the others. */
export function addHistory(history: History): void {
  histories.unshift(history);
}

export async function readPast(traces: readonly Trace[], wanted: Wanted): Promise<void> {
  let missing = traces;
  for (const history of histories) {
    if (missing.length === 0) return;
    const held = await history(missing, wanted);
    missing = missing.filter(({ topic }) => !held.has(topic));
  }
}
