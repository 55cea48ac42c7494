/** A line of merged output. */
export interface MergedLine {
  /** Grows by one with each line. */
  readonly id: number;
  /** Its process. */
  readonly name: string;
  /** When it was written, ms since 1970; null: not known. */
  readonly time: number | null;
  readonly text: string;
  /** It says that output is missing. */
  readonly isGap: boolean;
}

export type NewLine = Omit<MergedLine, "id">;
type Matches = (line: MergedLine) => boolean;

/** Maximum number of lines, and of their characters; the oldest ones are dropped. */
const LIMITS = { lines: 20_000, characters: 8_000_000 };
/** Lines are dropped when this share is beyond a limit, so that it is done once for many. */
const SLACK = 1.1;

/** The newest lines of several processes, in the order in which they came, and those of them that match a filter. */
export class MergedLines {
  readonly #limits: typeof LIMITS;
  #all: MergedLine[] = [];
  #shown: MergedLine[] = [];
  #matches: Matches = () => true;
  #characters = 0;
  #next = 0;
  /** Number of shown lines that were dropped. */
  #dropped = 0;
  #longest = 0;

  constructor(limits: typeof LIMITS = LIMITS) {
    this.#limits = limits;
  }

  /** Lines that match. */
  get shown(): readonly MergedLine[] {
    return this.#shown;
  }

  /** Number of lines, and of those that were dropped of the shown ones since the filter was set. */
  get count(): number {
    return this.#all.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Length of the longest line so far. */
  get longest(): number {
    return this.#longest;
  }

  add(lines: readonly NewLine[]): void {
    for (const line of lines) {
      const added = { ...line, id: this.#next++ };
      this.#all.push(added);
      this.#characters += line.text.length;
      this.#longest = Math.max(this.#longest, line.text.length);
      if (this.#matches(added)) this.#shown.push(added);
    }
    this.#drop();
  }

  filter(matches: Matches): void {
    this.#matches = matches;
    this.#dropped = 0;
    this.#shown = this.#all.filter(matches);
  }

  #drop(): void {
    const { lines, characters } = this.#limits;
    if (this.#all.length <= lines * SLACK && this.#characters <= characters * SLACK) return;
    let drop = Math.max(0, this.#all.length - lines);
    for (const line of this.#all.slice(0, drop)) this.#characters -= line.text.length;
    while (this.#characters > characters && drop < this.#all.length - 1) this.#characters -= this.#all[drop++]?.text.length ?? 0;
    this.#all.splice(0, drop);
    const first = this.#all[0]?.id ?? this.#next;
    const kept = this.#shown.findIndex(({ id }) => id >= first);
    const gone = kept < 0 ? this.#shown.length : kept;
    // A new array: a view that is paused keeps the one before.
    this.#shown = this.#shown.slice(gone);
    this.#dropped += gone;
  }
}

/** Index of the first line that was written at a time or later; null: none of them is known to be. Lines without a time come first. */
export function lineAt(lines: readonly MergedLine[], time: number): number | null {
  const index = lines.findIndex((line) => line.time !== null && line.time >= time);
  return index < 0 ? null : index;
}
