const MS = 1_000_000n;
/** Most readings while the system's clock is expected to tick, which takes a millisecond at most: it may stand still, as in tests. */
const MAX_READINGS = 100_000;

interface Sources {
  /** Nanoseconds. */
  readonly monotonic: () => bigint;
  /** Milliseconds since 1970, rounded down. */
  readonly system: () => number;
}

/**
 * The system's clock in nanoseconds, although JavaScript reads it in milliseconds only: its offset from the monotonic clock is known from a moment at which
 * it ticked, and each further reading bounds it.
 */
export class WallClock {
  readonly #sources: Sources;
  #offset: bigint | null = null;
  #last = 0n;
  #timesSet = 0;
  #setBy = 0n;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Number of times that the system's clock was set, as found by the last `now`. A change of a millisecond at most does not count. */
  get timesSet(): number {
    return this.#timesSet;
  }

  /** The sum of what it was set by, nanoseconds. */
  get setBy(): bigint {
    return this.#setBy;
  }

  /** Nanoseconds since 1970. Goes back only if the system's clock was set back: what happens later has no earlier time. */
  now(): bigint {
    const time = this.#read();
    if (time > this.#last || time < this.#last - MS) this.#last = time;
    return this.#last;
  }

  #read(): bigint {
    const { monotonic, system } = this.#sources;
    const before = monotonic();
    const coarse = BigInt(system()) * MS;
    const after = monotonic();
    // The system's clock showed this millisecond at some moment between the two readings, however long that took.
    const [least, most] = [coarse - after, coarse + MS - before];
    const known = this.#offset;
    // A clock that was set is measured again; one that is slewed is followed.
    if (known === null || known < least - MS || known > most + MS) {
      this.#offset = this.#atTick();
      if (known !== null) {
        this.#timesSet++;
        this.#setBy += this.#offset - known;
      }
      return monotonic() + this.#offset;
    }
    this.#offset = known < least ? least : known > most ? most : known;
    return after + this.#offset;
  }

  /** The offset at a moment at which the system's clock advances to the next millisecond. */
  #atTick(): bigint {
    const { monotonic, system } = this.#sources;
    const first = system();
    let [now, at] = [first, monotonic()];
    for (let readings = 0; now === first && readings < MAX_READINGS; readings++) {
      now = system();
      at = monotonic();
    }
    return BigInt(now) * MS - at;
  }
}

export const wallClock = new WallClock({ monotonic: () => process.hrtime.bigint(), system: () => Date.now() });

/** Nanoseconds since 1970. */
export const wallClockNs = (): bigint => wallClock.now();
