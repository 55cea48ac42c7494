/** Names of the metadata records of a recording. */
export const RECORDING = "mgr.recording";
export const LOSSES = "mgr.losses";

interface Losses {
  readonly missed: number;
  readonly dropped: number;
}

/** Losses of each topic as JSON, for the metadata record. The newest record of a file counts. */
export function lossesText(topics: ReadonlyMap<string, Losses>): Record<string, string> {
  return Object.fromEntries([...topics].map(([topic, { missed, dropped }]) => [topic, JSON.stringify({ missed, dropped })]));
}

/** Losses of one topic, or the sums of a metadata record. Malformed values count as 0. */
export function lossesOf(values: ReadonlyMap<string, string> | undefined, topic?: string): Losses {
  let missed = 0;
  let dropped = 0;
  for (const [name, text] of values ?? []) {
    if (topic !== undefined && name !== topic) continue;
    missed += countIn(text, /"missed":(\d{1,15})/);
    dropped += countIn(text, /"dropped":(\d{1,15})/);
  }
  return { missed, dropped };
}

function countIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}
