import { type Clock, untilBeat } from "../../base/timing/clock.ts";
import { HEARTBEAT_MS } from "../../contract/messages.ts";

/** Calls all sessions of a clock together: with 1,000 hosts, a timer for each makes a write to the bus of each heartbeat, and one for all a few. */
class CommonBeat {
  readonly #clock: Clock;
  readonly #members = new Set<() => void>();
  #timer: unknown = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(work: () => void): () => void {
    this.#members.add(work);
    if (this.#members.size === 1) this.#next();
    return () => {
      if (this.#members.delete(work) && this.#members.size === 0) this.#clock.clearTimeout(this.#timer);
    };
  }

  #next(): void {
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#next();
        for (const member of [...this.#members]) if (this.#members.has(member)) member();
      },
      untilBeat(HEARTBEAT_MS, this.#clock.monotonic()),
    );
  }
}

const beats = new WeakMap<Clock, CommonBeat>();

/** Calls `work`, a function of the caller's own, at each multiple of HEARTBEAT_MS of the clock. Returns the function that ends this. */
export function eachHeartbeat(clock: Clock, work: () => void): () => void {
  const beat = beats.get(clock) ?? new CommonBeat(clock);
  beats.set(clock, beat);
  return beat.add(work);
}
