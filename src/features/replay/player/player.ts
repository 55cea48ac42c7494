import type { Clock } from "../../../base/timing/clock.ts";
import type { FileMessage } from "../../recordings/samples/mcap/message-file.ts";
import { MAX_RATE, MIN_RATE } from "./play-options.ts";
import type { PlaySource } from "./play-source.ts";
import { ReadAhead } from "./read-ahead.ts";

/** Interval at which the time is published while it plays, milliseconds. */
const TIME_MS = 10;
/** Delay beyond which a play that cannot keep up continues late, instead of publishing everything that it missed in one burst; milliseconds. */
const MAX_LAG_MS = 100;
/** Pause before a loop begins again, milliseconds: a recording of one message must not occupy the processor. */
const LOOP_PAUSE_MS = 100;
const NS_PER_MS = 1e6;

/** Where a play goes. */
export interface PlayOutput {
  /** Publishes a message now. Resolves when there is room for the next one; null: there is. Throws, or rejects, to end the play. */
  publish(message: FileMessage): Promise<void> | null;
  /** Publishes the time of the play, nanoseconds since 1970. `rate`: 0 while it is paused. */
  time(time: bigint, rate: number): void;
}

export interface PlayerOptions {
  readonly source: Pick<PlaySource, "messages">;
  readonly output: PlayOutput;
  readonly clock: Pick<Clock, "monotonic" | "setTimeout" | "clearTimeout">;
  readonly wants: (topic: string) => boolean;
  /** First and last moment, nanoseconds since 1970. */
  readonly from: bigint;
  readonly until: bigint;
  readonly rate: number;
  readonly isLooping: boolean;
  readonly isPaused: boolean;
}

/** Publishes messages at the times at which they were recorded, or faster or slower. All its methods may be called while `run` is not settled. */
export class Player {
  /** Whether it begins again at the end; may be changed. */
  isLooping: boolean;
  readonly #options: PlayerOptions;
  /** A moment of the play, in milliseconds since `from`, and when it is or was by the clock. */
  #anchor = { offset: 0, at: 0 };
  #rate: number;
  #isPaused: boolean;
  #steps = 0;
  #seekTo: number | null = 0;
  #isStopped = false;
  #wake = () => {};
  /** When the time was published last, by the clock. */
  #toldAt = 0;
  #published = 0;
  #lateMs = 0;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#rate = options.rate;
    this.#isPaused = options.isPaused;
    this.isLooping = options.isLooping;
  }

  get rate(): number {
    return this.#rate;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Number of published messages, repetitions included. */
  get published(): number {
    return this.#published;
  }

  /** How much longer the play took because messages could not be read or published in time, milliseconds. */
  get lateMs(): number {
    return this.#lateMs;
  }

  /** Length of the play at rate 1, milliseconds. */
  get length(): number {
    return this.#offsetOf(this.#options.until);
  }

  /** The present moment of the play, milliseconds since its beginning. */
  get position(): number {
    if (this.#seekTo !== null) return this.#seekTo;
    const passed = this.#isPaused ? 0 : (this.#options.clock.monotonic() - this.#anchor.at) * this.#rate;
    return Math.min(this.length, Math.max(0, this.#anchor.offset + passed));
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#moveTo(this.position);
    this.#isPaused = true;
    this.#wake();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#moveTo(this.position);
    this.#isPaused = false;
    this.#wake();
  }

  /** Publishes the next message, and pauses. */
  step(): void {
    this.pause();
    this.#steps++;
    this.#wake();
  }

  /** `position`: milliseconds since the beginning; limited to the play. Messages in between are not published. */
  seek(position: number): void {
    this.#seekTo = Math.min(this.length, Math.max(0, position));
    this.#wake();
  }

  /** Limited to MIN_RATE and MAX_RATE. */
  setRate(rate: number): void {
    this.#moveTo(this.position);
    this.#rate = Math.min(MAX_RATE, Math.max(MIN_RATE, rate));
    this.#wake();
  }

  /** Ends the play. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Plays to the end, for ever if it loops, or until `stop`. Rejects with the errors of output and files. */
  async run(): Promise<void> {
    for (;;) {
      await this.#playFrom(this.#seekTo ?? 0);
      if (this.#isStopped) return;
      if (this.#seekTo !== null) continue;
      if (!this.isLooping) return;
      await this.#sleep(LOOP_PAUSE_MS);
      this.#seekTo ??= 0;
    }
  }

  /** Returns at the end, and when something else is to be played. */
  async #playFrom(offset: number): Promise<void> {
    this.#seekTo = null;
    this.#moveTo(offset);
    this.#tellTime(offset);
    const { source, wants, until } = this.#options;
    const ahead = new ReadAhead(source.messages(this.#timeOf(offset), wants));
    try {
      // The time for the first chunks of a file, which delay what is due, is no part of the play.
      await ahead.filled();
      this.#moveTo(offset);
      for (;;) {
        const next = ahead.peek();
        if (this.#isStopped || this.#seekTo !== null) return;
        if (next === undefined && !ahead.isDone) await ahead.more();
        else if (next === undefined || next.logTime > until) return this.#tellTime(this.length);
        else if (await this.#isDue(this.#offsetOf(next.logTime))) {
          ahead.shift();
          this.#published++;
          const room = this.#options.output.publish(next);
          if (room !== null) await room;
        }
      }
    } finally {
      await ahead.close();
    }
  }

  /** Whether the message at this offset is to be published now. Otherwise waits until then, until the time is to be published, or for a command. */
  async #isDue(offset: number): Promise<boolean> {
    if (this.#steps > 0) {
      this.#steps--;
      this.#moveTo(offset);
      this.#tellTime(offset);
      return true;
    }
    if (this.#isPaused) {
      this.#tellTime(this.position);
      await this.#sleep(null);
      return false;
    }
    const { at } = this.#anchor;
    const wait = at + (offset - this.#anchor.offset) / this.#rate - this.#options.clock.monotonic();
    if (wait > 0) await this.#sleep(Math.min(wait, TIME_MS));
    else if (wait < -MAX_LAG_MS) {
      this.#anchor.at -= wait;
      this.#lateMs -= wait;
    }
    if (!this.#isPaused && this.#seekTo === null && this.#options.clock.monotonic() - this.#toldAt >= TIME_MS)
      // The time does not overtake the next message.
      this.#tellTime(Math.min(offset, this.position));
    return wait <= 0;
  }

  #moveTo(offset: number): void {
    this.#anchor = { offset, at: this.#options.clock.monotonic() };
  }

  #tellTime(offset: number): void {
    this.#toldAt = this.#options.clock.monotonic();
    this.#options.output.time(this.#timeOf(offset), this.#isPaused ? 0 : this.#rate);
  }

  /** Sleeps until a command comes, at most this long, milliseconds. */
  async #sleep(milliseconds: number | null): Promise<void> {
    const { clock } = this.#options;
    let timer: unknown;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (milliseconds !== null) timer = clock.setTimeout(resolve, milliseconds);
    });
    clock.clearTimeout(timer);
  }

  #offsetOf(time: bigint): number {
    return Number(time - this.#options.from) / NS_PER_MS;
  }

  #timeOf(offset: number): bigint {
    return this.#options.from + BigInt(Math.round(offset * NS_PER_MS));
  }
}
