import { type Clock, everyBeat } from "../../base/timing/clock.ts";
import { HEARTBEAT_MS } from "../../contract/messages.ts";

/**
 * Calls all sessions of a clock together: with 1,000 hosts, a timer for each makes a write to the bus of each heartbeat, and one for all a
 * few. Like every beat, it does not keep a program alive: the hosts and sockets for which the heartbeats are sent do.
 */
class CommonBeat {
  readonly #clock: Clock;
  readonly #members = new Set<() => void>();
  #end: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(work: () => void): () => void {
    this.#members.add(work);
    this.#end ??= everyBeat(HEARTBEAT_MS, () => this.#beat(), this.#clock);
    return () => {
      this.#members.delete(work);
      if (this.#members.size > 0) return;
      this.#end?.();
      this.#end = null;
    };
  }

  #beat(): void {
    for (const member of [...this.#members]) if (this.#members.has(member)) member();
  }
}

const beats = new WeakMap<Clock, CommonBeat>();

/** Calls `work`, a function of the caller's own, at each multiple of HEARTBEAT_MS of the clock. Returns the function that ends this. */
export function eachHeartbeat(clock: Clock, work: () => void): () => void {
  const beat = beats.get(clock) ?? new CommonBeat(clock);
  beats.set(clock, beat);
  return beat.add(work);
}
