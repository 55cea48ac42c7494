import type { Clock } from "../../base/timing/clock.ts";
import type { OutputChannel } from "./output-channel.ts";

/** Maximum time over which output is joined, milliseconds: one frame of a 60 Hz screen (docs/design/wire-rules.md, "Output"). */
const COALESCE_MS = 16;
/** After this long without output the next is sent at once, milliseconds: an echoed key must not wait for its predecessor's frame. */
const QUIET_MS = 8;
/** Joined output beyond this many bytes is sent without waiting: it bounds memory and frame size. */
const COALESCE_BYTES = 64 * 1024;

/** Decides when pending output is sent: at once after a pause, joined while it streams. */
export class Coalescer {
  readonly #clock: Clock;
  readonly #lastSent = new WeakMap<OutputChannel, number>();
  readonly #lastTouched = new WeakMap<OutputChannel, number>();
  readonly #waiting = new Set<OutputChannel>();
  #timer: unknown = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when `channel` has new pending output. */
  touch(channel: OutputChannel): void {
    const now = this.#clock.monotonic();
    if (channel.pendingBytes === 0) {
      // There is only a gap so far: the output after it is on its way and carries the gap.
      this.#lastSent.set(channel, now);
      this.#wait(channel, now);
      return;
    }
    const isAfterQuiet = now - (this.#lastTouched.get(channel) ?? Number.NEGATIVE_INFINITY) >= QUIET_MS;
    this.#lastTouched.set(channel, now);
    if (isAfterQuiet || channel.pendingBytes >= COALESCE_BYTES || now - this.#sentAt(channel) >= COALESCE_MS) this.flush(channel);
    else this.#wait(channel, now);
  }

  flush(channel: OutputChannel): void {
    this.#waiting.delete(channel);
    if (!channel.hasPending) return;
    this.#lastSent.set(channel, this.#clock.monotonic());
    channel.flush();
  }

  flushAll(): void {
    for (const channel of [...this.#waiting]) this.flush(channel);
  }

  forget(channel: OutputChannel): void {
    this.#waiting.delete(channel);
  }

  close(): void {
    this.#waiting.clear();
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wait(channel: OutputChannel, now: number): void {
    this.#waiting.add(channel);
    if (this.#timer !== null) return;
    this.#arm(this.#sentAt(channel) + COALESCE_MS - now);
  }

  #arm(delay: number): void {
    this.#timer = this.#clock.setTimeout(() => this.#onTimer(), Math.max(0, delay));
  }

  #onTimer(): void {
    this.#timer = null;
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const channel of [...this.#waiting]) {
      const due = this.#sentAt(channel) + COALESCE_MS;
      // Timers have whole milliseconds: output that is due within this one is sent, too.
      if (due < now + 1) this.flush(channel);
      else next = Math.min(next, due);
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next - now);
  }

  #sentAt(channel: OutputChannel): number {
    return this.#lastSent.get(channel) ?? Number.NEGATIVE_INFINITY;
  }
}
