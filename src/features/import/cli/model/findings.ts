import type { Place } from "./tree.ts";

/** A key of the imported file. */
export interface Entry {
  /** The key with what it is part of, such as "program:web.priority". */
  readonly key: string;
  readonly place: Place;
}

interface Outcome extends Entry {
  /** Name of the process in the new configuration; null: none. */
  readonly process: string | null;
}

export interface Carried extends Outcome {
  /** Key of the new configuration. */
  readonly to: string;
}

export interface Guessed extends Carried {
  readonly why: string;
}

export interface Dropped extends Outcome {
  readonly why: string;
  /** Replacement; "": nothing has to be done. */
  readonly instead: string;
}

/** What became of each key of the imported files. */
export class Findings {
  carried: Carried[] = [];
  guessed: Guessed[] = [];
  dropped: Dropped[] = [];

  /** Gives the process another name. */
  rename(from: string, to: string | null): void {
    const renamed = <Each extends Outcome>(each: Each): Each => (each.process === from ? { ...each, process: to } : each);
    this.carried = this.carried.map(renamed);
    this.guessed = this.guessed.map(renamed);
    this.dropped = this.dropped.map(renamed);
  }

  /** A key of the new configuration was removed again: what led to it was not carried over. */
  revoke(process: string | null, to: string, why: string, instead: string): void {
    const isAbout = (each: Carried) => each.process === process && (each.to === to || each.to.startsWith(`${to}.`) || to === "");
    for (const { key, place } of [...this.carried, ...this.guessed].filter(isAbout))
      this.dropped.push({ key, place, process, why, instead });
    this.carried = this.carried.filter((each) => !isAbout(each));
    this.guessed = this.guessed.filter((each) => !isAbout(each));
  }
}
