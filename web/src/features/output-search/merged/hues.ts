/** Number of colours of names in the style sheet. */
const HUES = 8;

/** The colour of the process with this index among the members of a view. */
export const hueOf = (index: number): number => index % HUES;

/** A name in a column of limited width: its end says more than its beginning. */
export function shortName(name: string, width: number): string {
  return name.length > width ? `…${name.slice(name.length - width + 1)}` : name;
}
