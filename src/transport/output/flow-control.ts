import type { Clock } from "../../base/timing/clock.ts";
import type { OutputStream } from "./output-stream.ts";

/** Maximum time that one reader may hold a process back, milliseconds (docs/design/wire-rules.md, "Output"). */
const MAX_HOLD_MS = 10_000;

/**
 * Closes readers that hold back a process with unskippable output for too long, so that a process never waits for ever. A process is held
 * back by not moving its window (OutputStream.room; contract/messages.ts, `lossless`).
 */
export class FlowControl {
  readonly #clock: Clock;
  /** Streams that wait for a reader, each with its timer. */
  readonly #holds = new Map<OutputStream, unknown>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when a reader may have fallen behind, caught up or gone. */
  check(stream: OutputStream): void {
    const isHeld = this.#holds.has(stream);
    const shouldBe = stream.laggards.length > 0;
    if (shouldBe && !isHeld) this.#begin(stream);
    else if (isHeld && !shouldBe) this.#forget(stream);
  }

  /** Checks the held streams for which `isConcerned` is true; returns those that may continue. */
  recheck(isConcerned: (stream: OutputStream) => boolean): OutputStream[] {
    const concerned = [...this.#holds.keys()].filter(isConcerned);
    for (const stream of concerned) this.check(stream);
    return concerned.filter((stream) => !this.#holds.has(stream));
  }

  close(): void {
    for (const stream of [...this.#holds.keys()]) this.#forget(stream);
  }

  #begin(stream: OutputStream): void {
    const later = (milliseconds: number, act: () => void) => this.#holds.set(stream, this.#clock.setTimeout(act, milliseconds));
    later(MAX_HOLD_MS / 2, () => {
      // Output in flight at the beginning has arrived. If nothing follows, the process has nothing to write, and does not wait for a reader.
      const { position } = stream.channel;
      later(MAX_HOLD_MS / 2, () => this.#decide(stream, stream.channel.position !== position));
    });
  }

  #decide(stream: OutputStream, isHeldBack: boolean): void {
    // Closing a reader removes it from the stream, so no reader is checked twice.
    for (const sink of isHeldBack ? stream.laggards : [])
      sink.tooSlow?.(`too slow: '${stream.name}' was held back for ${MAX_HOLD_MS / 1_000} s`);
    this.#forget(stream);
    this.check(stream);
  }

  #forget(stream: OutputStream): void {
    this.#clock.clearTimeout(this.#holds.get(stream));
    this.#holds.delete(stream);
  }
}
