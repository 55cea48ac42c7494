import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { Tap } from "../../data-plane/host/index.ts";
import type { HostLatency } from "../contract.ts";
import { MAX_MEASUREMENTS } from "../limits.ts";
import { LatencyMeter, type MeterOptions } from "./latency-meter.ts";

/** Time after its length at which a measurement is given up, milliseconds: the manager has ended, or lost this host. */
const GRACE_MS = 15_000;

/** The measurements that run on this host. Messages are only read while there is one. */
export class Measurements {
  readonly #tap: Pick<Tap, "add">;
  readonly #clock: Clock;
  readonly #running = new Map<number, { readonly meter: LatencyMeter; readonly end: () => void }>();
  #next = 0;

  constructor(tap: Pick<Tap, "add">, clock: Clock) {
    this.#tap = tap;
    this.#clock = clock;
  }

  /** Throws `busy`. */
  begin(options: MeterOptions, seconds: number): number {
    if (this.#running.size >= MAX_MEASUREMENTS)
      throw new MgrError("busy", `this host measures ${MAX_MEASUREMENTS} topics already: try again when one is done`);
    const id = this.#next++;
    const meter = new LatencyMeter(options);
    const endTap = this.#tap.add(
      (topic) => topic === options.topic,
      (message, headers) => meter.take(message, headers),
    );
    const timer = this.#clock.setTimeout(() => this.#end(id), seconds * 1_000 + GRACE_MS);
    const end = () => {
      this.#clock.clearTimeout(timer);
      endTap();
    };
    this.#running.set(id, { meter, end });
    return id;
  }

  /** Throws `not_found` for one that was given up. */
  end(id: number): HostLatency {
    const meter = this.#end(id);
    if (meter === null) throw new MgrError("not_found", "the measurement was given up, because its result was not read in time: try again");
    return meter.result();
  }

  close(): void {
    for (const id of [...this.#running.keys()]) this.#end(id);
  }

  #end(id: number): LatencyMeter | null {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.end();
    return running?.meter ?? null;
  }
}
