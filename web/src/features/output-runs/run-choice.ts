/** The chosen runs, by their numbers. */
export interface RunChoice {
  /** The run whose output is shown; null: the newest one. */
  readonly shown: number | null;
  /** Runs that are marked for a comparison, at most two, in the order of the marks. */
  readonly marked: readonly number[];
}

export const NO_CHOICE: RunChoice = { shown: null, marked: [] };

/** Marks a run for the comparison, or removes its mark. A third one replaces the one that was marked first. */
export function toggleMarked({ shown, marked }: RunChoice, number: number): RunChoice {
  if (marked.includes(number)) return { shown, marked: marked.filter((each) => each !== number) };
  return { shown, marked: [...marked.slice(-1), number] };
}

/** The runs that are drawn: two compared, the older one first, or one with its output. `numbers`: the runs that there are, newest first. */
export function drawnRuns({ shown, marked }: RunChoice, numbers: readonly number[]): readonly number[] {
  const present = marked.filter((number) => numbers.includes(number)).sort((a, b) => a - b);
  if (present.length === 2) return present;
  return shown !== null && numbers.includes(shown) ? [shown] : numbers.slice(0, 1);
}
