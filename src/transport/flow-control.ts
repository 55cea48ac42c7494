import type { Clock } from "../base/clock.ts";
import type { OutputStream } from "./output-stream.ts";

/** How long one reader may hold a process back, milliseconds (protocol-decisions, "Output"). */
const MAX_HOLD_MS = 10_000;

interface FlowControlOptions {
  readonly clock: Clock;
  /** Makes the terminal of `name` wait for its readers, or go on. */
  readonly hold: (name: string, held: boolean) => void;
}

/**
 * Holds a process back while a reader of its output, none of which may be skipped, is far behind; a reader that does not
 * catch up in time is closed, so that a process never waits for ever.
 */
export class FlowControl {
  readonly #clock: Clock;
  readonly #hold: FlowControlOptions["hold"];
  /** Streams whose process is held back, with the timer of its end. */
  readonly #held = new Map<OutputStream, unknown>();

  constructor({ clock, hold }: FlowControlOptions) {
    this.#clock = clock;
    this.#hold = hold;
  }

  /** To be called when a reader may have fallen behind, caught up or gone. */
  look(stream: OutputStream): void {
    const isHeld = this.#held.has(stream);
    const shouldBe = stream.neverSkips && laggards(stream).length > 0;
    if (shouldBe === isHeld) return;
    if (shouldBe) {
      this.#held.set(
        stream,
        this.#clock.setTimeout(() => this.#giveUp(stream), MAX_HOLD_MS),
      );
    } else this.#forget(stream);
    this.#hold(stream.name, shouldBe);
  }

  /** Everybody that is held back and concerned. */
  lookAgain(isConcerned: (stream: OutputStream) => boolean): void {
    for (const stream of [...this.#held.keys()]) if (isConcerned(stream)) this.look(stream);
  }

  /** A host that has just taken our hello has let everything go on. */
  repeat(names: ReadonlySet<string>): void {
    for (const stream of this.#held.keys()) if (names.has(stream.name)) this.#hold(stream.name, true);
  }

  close(): void {
    for (const stream of [...this.#held.keys()]) this.#forget(stream);
  }

  #giveUp(stream: OutputStream): void {
    // Closing a reader takes it out of the stream, after which nobody is looked at twice.
    for (const { sink } of laggards(stream)) sink.tooSlow?.(`too slow: '${stream.name}' was held back for ${MAX_HOLD_MS / 1_000} s`);
    if (!this.#held.has(stream)) return;
    this.#forget(stream);
    this.#hold(stream.name, false);
    this.look(stream);
  }

  #forget(stream: OutputStream): void {
    this.#clock.clearTimeout(this.#held.get(stream));
    this.#held.delete(stream);
  }
}

function laggards(stream: OutputStream) {
  return [...stream.subscribers].filter(({ sink }) => sink.isFarBehind === true);
}
