/** The runs that are shown, by their numbers: one with its output, or two beside each other. */
export type RunChoice = readonly number[];

/** Selects a run for the comparison, or removes it from there. Of two, the one that was chosen first is replaced. */
export function toggleCompared(choice: RunChoice, number: number): RunChoice {
  if (choice.includes(number)) return choice.length === 1 ? choice : choice.filter((each) => each !== number);
  return [...choice.slice(-1), number];
}

/** The chosen runs that there are, the older one first; without any, the newest run. */
export function presentChoice(choice: RunChoice, numbers: readonly number[]): RunChoice {
  const present = choice.filter((number) => numbers.includes(number)).sort((a, b) => a - b);
  const [newest] = numbers;
  return present.length > 0 || newest === undefined ? present : [newest];
}
