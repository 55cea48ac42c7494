import type { Clock } from "../../base/clock.ts";
import { OutputChannel } from "./output-channel.ts";
import type { OutputSink, OutputSubscription } from "./output-subscription.ts";
import { MOVE_AFTER_BYTES, WindowState } from "./output-window.ts";

/**
 * Who waits for an offset waits this long without progress for readers that are full, milliseconds: time for one that is
 * alive to take the end of a long output whole, short enough for everybody else who wants to know of the exit.
 */
const GRACE_MS = 200;
/**
 * Bytes of a process that must not skip anything which are asked for at least, however far behind its readers are: what
 * comes shows that the process does have to wait for them.
 */
const TRICKLE_BYTES = 4 * 1024;
/** At most so much of it is under way: a reader of many such processes may fall behind with all of them at once. */
const MOST_UNSKIPPED_BYTES = 2 * MOVE_AFTER_BYTES;
/** Output that still comes is waited for this many times longer than output that does not: it is late, not lost. */
const MAX_PATIENCE = 10;

interface Waiter {
  readonly offset: number;
  readonly done: () => void;
}

/** A process's output while somebody listens: what came, what was asked for, who hears it and who waits for an offset. */
export class OutputStream {
  readonly channel: OutputChannel;
  readonly window = new WindowState();
  readonly subscribers = new Set<OutputSubscription>();
  /** Nothing of it is skipped: the process waits for slow readers instead. */
  neverSkips = false;
  /** Sent at each read, not joined. */
  isLowDelay = false;
  readonly #waiters = new Set<Waiter>();
  #isUrgent = false;

  constructor(name: string) {
    this.channel = new OutputChannel(name, (piece) => {
      for (const { sink } of this.subscribers) sink.output(piece, this.neverSkips);
    });
  }

  get name(): string {
    return this.channel.name;
  }

  /**
   * Everybody who listens has enough for now, and nobody has waited long for an offset: the host's ring is the place to
   * wait in, because what leaves it now would only be skipped.
   */
  get isHeld(): boolean {
    if (this.channel.position === null || this.neverSkips || this.#isUrgent || this.subscribers.size === 0) return false;
    for (const { sink } of this.subscribers) if (sink.isFull !== true) return false;
    return true;
  }

  /** Readers for whom the process has to wait. */
  get laggards(): OutputSink[] {
    if (!this.neverSkips || this.#isUrgent) return [];
    return [...this.subscribers].flatMap(({ sink }) => (sink.isFarBehind === true ? [sink] : []));
  }

  /** Bytes that the reader who is furthest along can take; no limit where the live end is not known. */
  get room(): number {
    if (this.#isUrgent || this.channel.position === null) return Number.POSITIVE_INFINITY;
    if (this.neverSkips) return this.laggards.length > 0 ? TRICKLE_BYTES : MOST_UNSKIPPED_BYTES;
    let room = 0;
    for (const { sink } of this.subscribers) room = Math.max(room, sink.room ?? Number.POSITIVE_INFINITY);
    return room;
  }

  hasReached(offset: number): boolean {
    return this.channel.position !== null && this.channel.position >= offset;
  }

  /**
   * Resolves at `offset`, on `release`, or after `milliseconds` without progress, when `giveUp` is called before. Full
   * readers are waited for as long as they take something, `milliseconds` at most; from `hurry` on it is not held.
   */
  reached(
    offset: number,
    timeout: { clock: Clock; milliseconds: number; hurry: (isSilent: boolean) => void; giveUp: () => void },
  ): Promise<void> {
    const { clock, milliseconds, hurry, giveUp } = timeout;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        offset,
        done: () => {
          clock.clearTimeout(timer);
          this.#waiters.delete(waiter);
          if (this.#waiters.size === 0) this.#isUrgent = false;
          resolve();
        },
      };
      let { position } = this.channel;
      let [elapsed, silent] = [0, 0];
      const look = () => {
        elapsed += GRACE_MS;
        silent = position === this.channel.position ? silent + GRACE_MS : 0;
        position = this.channel.position;
        if (silent >= milliseconds || elapsed >= milliseconds * MAX_PATIENCE) {
          giveUp();
          waiter.done();
          return;
        }
        if (silent > 0 || elapsed >= milliseconds) {
          this.#isUrgent = true;
          hurry(silent > 0);
        }
        timer = clock.setTimeout(look, GRACE_MS);
      };
      let timer = clock.setTimeout(look, GRACE_MS);
      this.#waiters.add(waiter);
    });
  }

  /** Wakes those whose offset is reached. */
  settle(): void {
    for (const waiter of [...this.#waiters]) if (this.hasReached(waiter.offset)) waiter.done();
  }

  /** Wakes everybody: offsets mean nothing any more. */
  release(): void {
    for (const waiter of [...this.#waiters]) waiter.done();
  }
}
