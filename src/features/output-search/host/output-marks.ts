import type { OutputRing } from "../../../daemon/output/output-ring.ts";

/** When the output of one ring was written, as far as it is known. Ages are milliseconds, as of when this was made. */
export class OutputMarks {
  /** Oldest first: each age is that of the output up to the next place. */
  readonly #marks: readonly { offset: number; age_ms: number }[];

  constructor(ring: OutputRing | undefined) {
    this.#marks = ring?.ages(0) ?? [];
  }

  /** Age of the output at this place, at most a little too old; null: not known. */
  ageAt(offset: number): number | null {
    return this.#marks.findLast((mark) => mark.offset <= offset)?.age_ms ?? null;
  }

  /** Offset at which the output that is not younger ends. */
  end(age_ms: number): number {
    return this.#marks.find((mark) => mark.age_ms < age_ms)?.offset ?? Number.POSITIVE_INFINITY;
  }
}
