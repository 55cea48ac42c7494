import type { Clock } from "../../base/clock.ts";
import type { OutputStream } from "./output-stream.ts";

/** How long one reader may hold a process back, milliseconds (docs/design/wire-rules.md, "Output"). */
const MAX_HOLD_MS = 10_000;

/**
 * Closes readers that hold a process back for too long, none of whose output may be skipped, so that a process never waits
 * for ever. What holds it back is that its window is not moved on (OutputStream.room; contract/messages.ts, `lossless`).
 */
export class FlowControl {
  readonly #clock: Clock;
  /** Streams that wait for a reader, with the timer of that. */
  readonly #holds = new Map<OutputStream, unknown>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called when a reader may have fallen behind, caught up or gone. */
  look(stream: OutputStream): void {
    const isHeld = this.#holds.has(stream);
    const shouldBe = stream.laggards.length > 0;
    if (shouldBe && !isHeld) this.#begin(stream);
    else if (isHeld && !shouldBe) this.#forget(stream);
  }

  /** Everybody that is held back and concerned; returns those who may go on. */
  lookAgain(isConcerned: (stream: OutputStream) => boolean): OutputStream[] {
    const concerned = [...this.#holds.keys()].filter(isConcerned);
    for (const stream of concerned) this.look(stream);
    return concerned.filter((stream) => !this.#holds.has(stream));
  }

  close(): void {
    for (const stream of [...this.#holds.keys()]) this.#forget(stream);
  }

  #begin(stream: OutputStream): void {
    const later = (milliseconds: number, act: () => void) => this.#holds.set(stream, this.#clock.setTimeout(act, milliseconds));
    later(MAX_HOLD_MS / 2, () => {
      // What was under way at the beginning has come. If nothing follows, the process has nothing to write, and waits for nobody.
      const { position } = stream.channel;
      later(MAX_HOLD_MS / 2, () => this.#decide(stream, stream.channel.position !== position));
    });
  }

  #decide(stream: OutputStream, isHeldBack: boolean): void {
    // Closing a reader takes it out of the stream, after which nobody is looked at twice.
    for (const sink of isHeldBack ? stream.laggards : [])
      sink.tooSlow?.(`too slow: '${stream.name}' was held back for ${MAX_HOLD_MS / 1_000} s`);
    this.#forget(stream);
    this.look(stream);
  }

  #forget(stream: OutputStream): void {
    this.#clock.clearTimeout(this.#holds.get(stream));
    this.#holds.delete(stream);
  }
}
