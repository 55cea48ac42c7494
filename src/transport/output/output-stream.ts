import type { Clock } from "../../base/clock.ts";
import { OutputChannel } from "./output-channel.ts";
import type { OutputSink, OutputSubscription } from "./output-subscription.ts";
import { MOVE_AFTER_BYTES, WindowState } from "./output-window.ts";

/**
 * A waiter for an offset waits this long without progress for full readers, milliseconds: long enough for a live reader to take the end of
 * a long output whole, short enough for the other clients that wait for the exit.
 */
const GRACE_MS = 200;
/**
 * Minimum number of bytes to request from a process with unskippable output, however far behind its readers are: what arrives shows that
 * the process really has to wait for them.
 */
const TRICKLE_BYTES = 4 * 1024;
/** At most this much of it is in flight: a reader of many such processes may fall behind with all of them at once. */
const MAX_UNSKIPPED_BYTES = 2 * MOVE_AFTER_BYTES;
/** Output that is still arriving is waited for this many times longer than output that is not: it is late, not lost. */
const MAX_PATIENCE = 10;

interface Waiter {
  readonly offset: number;
  readonly done: () => void;
}

/** A process's output while it has subscribers: what arrived, what was requested, the subscribers, and the waiters for an offset. */
export class OutputStream {
  readonly channel: OutputChannel;
  readonly window = new WindowState();
  readonly subscribers = new Set<OutputSubscription>();
  /** Nothing of it is skipped: the process waits for slow readers instead. */
  neverSkips = false;
  /** Sent at each read, without joining. */
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
   * All subscribers have enough for now, and no waiter has waited long for an offset: output should stay in the host's ring, because what
   * leaves it now would only be skipped.
   */
  get isHeld(): boolean {
    if (this.channel.position === null || this.neverSkips || this.#isUrgent || this.subscribers.size === 0) return false;
    for (const { sink } of this.subscribers) if (sink.isFull !== true) return false;
    return true;
  }

  /** Readers that the process must wait for. */
  get laggards(): OutputSink[] {
    if (!this.neverSkips || this.#isUrgent) return [];
    return [...this.subscribers].flatMap(({ sink }) => (sink.isFarBehind === true ? [sink] : []));
  }

  /** Bytes that the reader with the most room can take; no limit if the live end is not known. */
  get room(): number {
    if (this.#isUrgent || this.channel.position === null) return Number.POSITIVE_INFINITY;
    if (this.neverSkips) return this.laggards.length > 0 ? TRICKLE_BYTES : MAX_UNSKIPPED_BYTES;
    let room = 0;
    for (const { sink } of this.subscribers) room = Math.max(room, sink.room ?? Number.POSITIVE_INFINITY);
    return room;
  }

  hasReached(offset: number): boolean {
    return this.channel.position !== null && this.channel.position >= offset;
  }

  /**
   * Resolves at `offset`, on `release`, or after `milliseconds` without progress, when `giveUp` is called first. Full readers are waited
   * for as long as they take something, `milliseconds` at most; from `hurry` on the stream is not held.
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

  /** Resolves the waiters whose offset is reached. */
  settle(): void {
    for (const waiter of [...this.#waiters]) if (this.hasReached(waiter.offset)) waiter.done();
  }

  /** Resolves all waiters: offsets are no longer valid. */
  release(): void {
    for (const waiter of [...this.#waiters]) waiter.done();
  }
}
