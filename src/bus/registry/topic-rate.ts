/** Messages and bytes a second over the last full second, from periodic readings of the counts. */
export class TopicRate {
  /** Readings of the last second, oldest first; `at` is monotonic, milliseconds. */
  readonly readings: { at: number; packets: number; bytes: number }[] = [];
  packets = 0;
  bytes = 0;

  /** `at` is monotonic, milliseconds. */
  read(at: number, packets: number, bytes: number): void {
    const { readings } = this;
    readings.push({ at, packets, bytes });
    // The window begins at the newest reading that is a second old; a timer may be early by a millisecond.
    while ((readings[1]?.at ?? at) <= at - WINDOW_MS + EARLY_MS) readings.shift();
    this.#judge(at, packets, bytes);
  }

  /** Continues the readings of an earlier program, with the rate that it had. */
  restore(readings: readonly { at: number; packets: number; bytes: number }[]): void {
    this.readings.push(...readings);
    const last = readings.at(-1);
    if (last !== undefined) this.#judge(last.at, last.packets, last.bytes);
  }

  #judge(at: number, packets: number, bytes: number): void {
    const [first] = this.readings;
    const seconds = first === undefined ? 0 : (at - first.at) / 1_000;
    // Less than a second after the first reading there is no full second yet.
    if (first === undefined || seconds < (WINDOW_MS - EARLY_MS) / 1_000) return;
    this.packets = (packets - first.packets) / seconds;
    this.bytes = (bytes - first.bytes) / seconds;
  }
}

const WINDOW_MS = 1_000;
const EARLY_MS = 50;
