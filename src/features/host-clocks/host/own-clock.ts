import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { WallClock } from "../../data-plane/wall-clock.ts";
import { type ClockOffset, driftIn } from "../clock-drift.ts";

/** The offset of a host's clock from that of the manager, at a moment. */
export interface OwnOffset extends ClockOffset {
  /** By the clock of this host, nanoseconds since 1970. */
  readonly at: bigint;
}

/** The clock of this host, and what the manager has said about it. */
export class OwnClock {
  readonly #clock: Pick<WallClock, "now" | "timesSet" | "setBy">;
  /** `setBy`: the sum of what the clock was set by until then. */
  #known: (OwnOffset & { readonly setBy: bigint }) | null = null;
  #told = 0;
  /** Number of times that the clock was set before the last answer. */
  #answered: number | null = null;

  constructor(clock: Pick<WallClock, "now" | "timesSet" | "setBy">) {
    this.#clock = clock;
  }

  /** Grows with each statement of the manager. */
  get told(): number {
    return this.#told;
  }

  /** Number of times that the clock was set, as found when any part of the program read its time last. */
  get timesSet(): number {
    return this.#clock.timesSet;
  }

  /** The sum of what it was set by, nanoseconds. */
  get setBy(): bigint {
    return this.#clock.setBy;
  }

  answer({ known }: RequestOf<"host_clock">): ResponseOf<"host_clock"> {
    const time = this.#clock.now();
    const { timesSet, setBy } = this.#clock;
    // If the clock was set since the last answer, the manager does not know it yet.
    if (known !== null && timesSet === this.#answered) {
      const at = BigInt(known.at);
      this.#known = { offset: BigInt(known.offset), uncertainty: BigInt(known.uncertainty), at: at < time ? at : time, setBy };
      this.#told++;
    }
    this.#answered = timesSet;
    return { time: String(time) };
  }

  /** The present offset. It becomes less certain while the manager is away; how this clock was set since is known. Null: the manager has never said it. */
  now(): OwnOffset | null {
    const at = this.#clock.now();
    const known = this.#known;
    if (known === null) return null;
    const setBy = this.#clock.setBy - known.setBy;
    const age = at - setBy - known.at;
    return { offset: known.offset + setBy, uncertainty: known.uncertainty + driftIn(age), at };
  }
}
