import { contradicts } from "../../host-clocks/clock-drift.ts";
import type { OwnClock } from "../../host-clocks/host/index.ts";
import { CLOCK, clockValues } from "../samples/mcap/clock-records.ts";
import type { RecordingFile } from "./recording-file.ts";

/** Interval of records of the clock, milliseconds: clocks drift apart by 1 ms at most meanwhile, and a file of a day has 1 MB of them. */
const PAUSE_MS = 10_000;

export type RecordedClock = Pick<OwnClock, "now" | "told" | "timesSet" | "setBy">;

/**
 * Writes into the files of a recording how far the clock of the host is from that of the manager: at the beginning, at the end, regularly while the
 * manager measures it, and at once when one of the clocks was set.
 */
export class ClockRecords {
  readonly #clock: RecordedClock;
  /** Number of times that the clock had been set at the last record, and the sum of these steps. */
  #timesSet = 0;
  #setBy = 0n;
  /** Offset that the manager had reported when the last record was written. */
  #told = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #written: ReturnType<OwnClock["now"]> = null;

  constructor(clock: RecordedClock) {
    this.#clock = clock;
  }

  /** Whether the clock of this host was set since the last record. */
  get wasSet(): boolean {
    return this.#clock.timesSet !== this.#timesSet;
  }

  /** Whether a record is to be written; `now` in milliseconds by a monotonic clock. */
  isDue(now: number): boolean {
    if (this.wasSet) return true;
    if (this.#clock.told === this.#told) return false;
    if (this.#written === null || now - this.#writtenAt >= PAUSE_MS) return true;
    const known = this.#clock.now();
    // The clock of the manager was set.
    return known !== null && contradicts(known, this.#written, known.at - this.#written.at);
  }

  /** Writes the first record of a file. */
  begin(file: RecordingFile, now: number): void {
    this.#counted();
    this.#written = null;
    if (this.#clock.now() !== null) this.write(file, now);
  }

  end(file: RecordingFile, now: number): void {
    if (this.wasSet || this.#clock.told !== this.#told) this.write(file, now);
  }

  write(file: RecordingFile, now: number): void {
    const known = this.#clock.now();
    file.addMetadata({ name: CLOCK, values: clockValues(known, this.#clock.setBy - this.#setBy) });
    this.#counted();
    this.#told = this.#clock.told;
    this.#writtenAt = now;
    this.#written = known;
  }

  #counted(): void {
    this.#timesSet = this.#clock.timesSet;
    this.#setBy = this.#clock.setBy;
  }
}
