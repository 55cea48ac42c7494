import { type Clock, systemClock } from "../../base/timing/clock.ts";
import { TurnShare } from "../../base/timing/turns.ts";

/** Time after typed input in which floods are read in small shares, milliseconds: the next key follows. */
const TYPING_MS = 1_000;
/** Maximum number of bytes read from floods in one turn of the event loop meanwhile: some 0.2 ms. A key or its echo waits behind one such share. */
const TURN_BYTES = 32 * 1024;
/** Time after a key in which floods are not read, milliseconds: their programs wait, and the echo finds a free core at each hop. */
const QUIET_MS = 2;
/** Minimum time from the begin of one such pause to the next, milliseconds, so that a script that writes without end cannot stop output. */
const QUIET_APART_MS = 8;

/** A terminal, as its turns see it. */
export interface TurnReader {
  /** Reads again after `read` has returned false. */
  readOn(): void;
}

/** Lets typed input and its echo go before the output of other terminals that flood (docs/decisions/0129). */
export class ReadTurns {
  readonly #clock: Clock;
  readonly #share: TurnShare;
  #typedAt = Number.NEGATIVE_INFINITY;
  #quietFrom = Number.NEGATIVE_INFINITY;
  /** The terminal whose echo the others wait for. */
  #typed: TurnReader | null = null;
  /** Terminals that wait for the next turn, and those that wait for the end of the pause. */
  readonly #nextTurn = new Set<TurnReader>();
  readonly #quiet = new Set<TurnReader>();
  #timer: unknown = null;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#share = new TurnShare({ units: TURN_BYTES, clock });
  }

  /** Called when input was written to `reader`. */
  wrote(reader: TurnReader): void {
    const now = this.#clock.monotonic();
    this.#typedAt = now;
    if (now - this.#quietFrom < QUIET_APART_MS) return;
    this.#quietFrom = now;
    this.#typed = reader;
  }

  /**
   * Called when `reader` has read `bytes` and has more. Returns whether it may read on; if not, its `readOn` is called in the next turn of the
   * event loop or after the pause.
   */
  read(reader: TurnReader, bytes: number): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#typedAt > TYPING_MS) return true;
    if (reader !== this.#typed && now - this.#quietFrom < QUIET_MS) {
      this.#quiet.add(reader);
      this.#timer ??= this.#clock.setTimeout(() => this.#endQuiet(), QUIET_MS);
      return false;
    }
    this.#share.use(bytes);
    if (!this.#share.isOver()) return true;
    if (this.#nextTurn.size === 0) this.#share.inNextTurn(() => readAll(this.#nextTurn));
    this.#nextTurn.add(reader);
    return false;
  }

  /** Forgets a terminal that is closed. */
  forget(reader: TurnReader): void {
    this.#nextTurn.delete(reader);
    this.#quiet.delete(reader);
    if (this.#typed === reader) this.#typed = null;
  }

  #endQuiet(): void {
    this.#timer = null;
    readAll(this.#quiet);
  }
}

function readAll(readers: Set<TurnReader>): void {
  const waiting = [...readers];
  readers.clear();
  for (const reader of waiting) reader.readOn();
}
