import { randomBytes } from "node:crypto";
import type { Condition } from "../../../app/conditions.ts";
import { MgrError } from "../../../base/errors.ts";
import { formatTime, parseTime } from "../../../protocol/time.ts";
import { MAX_SILENCES } from "../limits.ts";
import type { Silence } from "../notification.ts";
import { silenceMatcher } from "./rules/matcher.ts";

interface NewSilence {
  readonly pattern: string;
  readonly seconds: number;
  readonly reason: string;
  readonly by: string;
}

/** Silences, each until its end. Ends are by the wall clock, because they outlive the manager. */
export class Silences {
  readonly #now: () => number;
  readonly #tagsOf: (process: string) => readonly string[];
  readonly #all = new Map<
    string,
    { readonly silence: Silence; readonly until: number; readonly matches: (condition: Condition) => boolean }
  >();

  constructor(now: () => number, tagsOf: (process: string) => readonly string[]) {
    this.#now = now;
    this.#tagsOf = tagsOf;
  }

  restore(silences: readonly Silence[]): void {
    for (const silence of silences.slice(0, MAX_SILENCES)) this.#keep(silence);
  }

  /** Silences that have not ended, the one that ends first at the front. */
  list(): Silence[] {
    this.#forgetEnded();
    return [...this.#all.values()].sort((a, b) => a.until - b.until).map(({ silence }) => silence);
  }

  /** Throws `busy` and `bad_field`. */
  add({ pattern, seconds, reason, by }: NewSilence): Silence {
    this.#forgetEnded();
    if (this.#all.size >= MAX_SILENCES) throw new MgrError("busy", `there are ${MAX_SILENCES} silences: remove some first`);
    const now = this.#now();
    const silence = {
      id: randomBytes(4).toString("hex"),
      pattern,
      reason,
      by,
      created: formatTime(now),
      until: formatTime(now + seconds * 1_000),
    };
    this.#keep(silence);
    return silence;
  }

  /** Throws `not_found`. */
  remove(id: string): Silence {
    const found = this.#all.get(id);
    if (found === undefined) throw new MgrError("not_found", `there is no silence '${id}'`);
    this.#all.delete(id);
    return found.silence;
  }

  holds(condition: Condition): boolean {
    const now = this.#now();
    for (const { until, matches } of this.#all.values()) if (until > now && matches(condition)) return true;
    return false;
  }

  /** Milliseconds until the next one ends; null: there is none. */
  untilNextEnd(): number | null {
    this.#forgetEnded();
    const ends = [...this.#all.values()].map(({ until }) => until);
    return ends.length === 0 ? null : Math.min(...ends) - this.#now();
  }

  #keep(silence: Silence): void {
    this.#all.set(silence.id, { silence, until: parseTime(silence.until), matches: silenceMatcher(silence.pattern, this.#tagsOf) });
  }

  #forgetEnded(): void {
    const now = this.#now();
    for (const [id, { until }] of this.#all) if (until <= now) this.#all.delete(id);
  }
}
