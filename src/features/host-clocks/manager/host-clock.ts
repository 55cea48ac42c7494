import type { HostSession } from "../../../app/hosts/host-session.ts";
import { type Clock, pause } from "../../../base/timing/clock.ts";
import type { ClockOffset } from "../clock-drift.ts";
import type { KnownClock } from "../contract.ts";
import { timed } from "./clock-measurement.ts";
import { type ClockMeasurement, offsetAt, withMeasurement } from "./clock-offset.ts";

/** Pauses between measurements, milliseconds: the first ones follow each other, so that an incident soon after the start has an offset. */
const FIRST_MS = 200;
const PAUSE_MS = 2_000;
const FIRST_MEASUREMENTS = 5;
/** Measurements when the offset of a moment is needed: the shortest round trip counts. */
const FINAL_MEASUREMENTS = 8;
/**
 * Pause between these, milliseconds: at the end of an incident all hosts write their parts, so that a burst would meet one busy moment. The clocks drift
 * apart by less than 20 µs during all of them.
 */
export const FINAL_PAUSE_MS = 25;

const SAME_CLOCK: ClockOffset = { offset: 0n, uncertainty: 0n };

interface HostClockOptions {
  readonly clock: Clock;
  /** Time by this clock, nanoseconds since 1970. */
  readonly now: () => bigint;
  /** Whether the host is on the machine of the manager, so that both have the same clock; by default not. */
  readonly isLocal?: boolean;
}

/** Measures how far the clock of one host is from this one. What was measured is kept while the host is away. */
export class HostClock {
  readonly #options: HostClockOptions;
  #measurements: ClockMeasurement[] = [];
  #timer: unknown = null;
  /** The session that is measured; null: none. */
  #session: HostSession | null = null;
  #count = 0;

  constructor(options: HostClockOptions) {
    this.#options = options;
  }

  /** The offset at a time by this clock; null: it was never measured. */
  at(time: bigint): ClockOffset | null {
    return offsetAt(this.#measurements, time);
  }

  begin(session: HostSession): void {
    this.close();
    this.#session = session;
    this.#count = 0;
    void this.#measure(session);
  }

  close(): void {
    this.#session = null;
    this.#options.clock.clearTimeout(this.#timer);
  }

  /** Measures several times now, so that the present offset is known without the drift since the last measurement. Ends early if the host is away. */
  async refine(): Promise<void> {
    const session = this.#session;
    for (let n = 0; session !== null && n < FINAL_MEASUREMENTS; n++) {
      if (n > 0) await pause(this.#options.clock, FINAL_PAUSE_MS);
      if (!(await this.#measureOnce(session))) return;
    }
  }

  async #measure(session: HostSession): Promise<void> {
    const { clock } = this.#options;
    await this.#measureOnce(session);
    if (this.#session !== session) return;
    this.#count++;
    this.#timer = clock.setTimeout(() => void this.#measure(session), this.#count < FIRST_MEASUREMENTS ? FIRST_MS : PAUSE_MS);
  }

  /** Resolves with whether the host answered. */
  async #measureOnce(session: HostSession): Promise<boolean> {
    const ask = () => session.command((id) => session.link.request("host_clock", { session: id, known: this.#known() }));
    const measured = await timed(ask, this.#options).catch(() => null);
    if (this.#session !== session || measured === null) return false;
    this.#measurements = withMeasurement(this.#measurements, measured.measurement);
    return true;
  }

  /** Measurement of its clock that the host receives. */
  #known(): KnownClock | null {
    const now = this.#options.now();
    const known = this.#options.isLocal ? SAME_CLOCK : this.at(now);
    if (known === null) return null;
    const at = now + known.offset;
    return { offset: String(known.offset), uncertainty: String(known.uncertainty), at: String(at < 0n ? 0n : at) };
  }
}
