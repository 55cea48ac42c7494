import { z } from "zod";
import type { KernelTimes } from "../handover/kernel-times.ts";

/** Maximum number of marks: beyond it, they are joined until half of it is left. */
const MAX_MARKS = 512;
/** Minimum time between two marks at first, milliseconds. */
const FIRST_INTERVAL_MS = 1_000;

interface Mark {
  readonly offset: number;
  /** Monotonic time, milliseconds. */
  readonly time: number;
}

export const outputTimesState = z.object({
  interval_ms: z.number().min(FIRST_INTERVAL_MS),
  /** Offsets, and times of the kernel's clock. */
  marks: z.array(z.tuple([z.number(), z.number()])).max(MAX_MARKS),
});
export type OutputTimesState = z.infer<typeof outputTimesState>;

/** Times at which output was written, by offset: precise to a second at first, less precise over a long time. */
export class OutputTimes {
  #marks: Mark[] = [];
  #interval = FIRST_INTERVAL_MS;

  /** The times that the program before this one had noted. */
  static take({ interval_ms, marks }: OutputTimesState, times: KernelTimes): OutputTimes {
    const taken = new OutputTimes();
    taken.#interval = interval_ms;
    taken.#marks = marks.map(([offset, time]) => ({ offset, time: times.fromKernel(time) }));
    return taken;
  }

  handOver(times: KernelTimes): OutputTimesState {
    return { interval_ms: this.#interval, marks: this.#marks.map(({ offset, time }) => [offset, times.toKernel(time)]) };
  }

  /** Records that the output from `offset` on begins at `time`. */
  note(offset: number, time: number): void {
    const last = this.#marks.at(-1);
    if (last !== undefined && time - last.time < this.#interval) return;
    this.#marks.push({ offset, time });
    if (this.#marks.length > MAX_MARKS) this.#join();
  }

  /** Offset at which the output of `time` or later begins: none of it is left out, slightly older output may be included. null: there is none. */
  offsetAt(time: number): number | null {
    const newer = this.#marks.findIndex((mark) => mark.time >= time);
    // Output of a mark was written less than two intervals after it: one since the mark was set, and one from joining.
    const before = this.#marks[newer < 0 ? this.#marks.length - 1 : newer - 1];
    if (before !== undefined && before.time > time - 2 * this.#interval) return before.offset;
    return newer < 0 ? null : (this.#marks[newer]?.offset ?? null);
  }

  /** Marks for the output from an offset on: each is valid until the next one. The first may be before the offset. */
  from(offset: number): readonly Mark[] {
    const newer = this.#marks.findIndex((mark) => mark.offset > offset);
    return this.#marks.slice(Math.max(0, (newer < 0 ? this.#marks.length : newer) - 1));
  }

  #join(): void {
    while (this.#marks.length > MAX_MARKS / 2) {
      this.#interval *= 2;
      let last = Number.NEGATIVE_INFINITY;
      this.#marks = this.#marks.filter(({ time }) => {
        if (time - last < this.#interval) return false;
        last = time;
        return true;
      });
    }
  }
}
