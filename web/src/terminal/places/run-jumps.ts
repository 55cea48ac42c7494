/** A place in a terminal that moves with its line; -1: the line is gone. */
interface LineMarker {
  readonly line: number;
  readonly isDisposed: boolean;
}

/** Where the runs of a process begin in its terminal: at the top, and below the rule at the end of each run. */
export class RunJumps {
  #rules: LineMarker[] = [];

  add(rule: LineMarker): void {
    // Rules that were cleared, or that have left the scrollback, are forgotten here: a process may run thousands of times.
    this.#rules = this.#rules.filter((one) => !one.isDisposed);
    this.#rules.push(rule);
  }

  /** The first line of the run before the one at the top of the screen, or of the run itself if its beginning is above; null: there is none. */
  previous(top: number): number | null {
    return this.#starts().findLast((line) => line < top) ?? null;
  }

  /** The first line of the next run; null: there is none. */
  next(top: number): number | null {
    return this.#starts().find((line) => line > top) ?? null;
  }

  #starts(): number[] {
    const lines = this.#rules.filter((one) => !one.isDisposed && one.line >= 0).map(({ line }) => line + 1);
    return [0, ...lines.sort((a, b) => a - b)];
  }
}
