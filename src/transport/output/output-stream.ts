import type { Clock } from "../../base/timing/clock.ts";
import { OutputChannel } from "./output-channel.ts";
import type { OutputSink, OutputSubscription } from "./output-subscription.ts";
import { MOVE_AFTER_BYTES, WindowState } from "./output-window.ts";

/**
 * Time without progress that a waiter for an offset allows full readers, milliseconds: long enough for a live reader to receive the end of a long
 * output whole, short enough for the other clients that wait for the exit.
 */
const GRACE_MS = 200;
/**
 * Minimum number of bytes to request from a process with unskippable output, however far behind its readers are: arriving output shows that the
 * process really has to wait for them.
 */
const TRICKLE_BYTES = 4 * 1024;
/** Maximum number of bytes of unskippable output in flight: a reader of many such processes may fall behind with all of them at once. */
const MAX_UNSKIPPED_BYTES = 2 * MOVE_AFTER_BYTES;
/** Factor by which output that is still arriving is waited for longer than output that is not: it is late, not lost. */
const MAX_TIMEOUT_FACTOR = 10;

interface Waiter {
  readonly offset: number;
  readonly done: () => void;
}

/** A process's output while it has subscribers: received output, the requested window, the subscribers, and the waiters for an offset. */
export class OutputStream {
  readonly channel: OutputChannel;
  readonly window = new WindowState();
  readonly subscribers = new Set<OutputSubscription>();
  /** Whether nothing of it is skipped: the process waits for slow readers instead. */
  neverSkips = false;
  /** Whether output is sent at each read, without joining. */
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
   * Whether all subscribers have enough for now, and no waiter has waited long for an offset. Output should then stay in the host's ring, because
   * it would only be skipped here.
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

  /** Bytes that the reader with the most room can accept; no limit if the live end is not known. */
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
   * for as long as they make progress, `milliseconds` at most; from `hurry` on the stream is not held. `arrivals` counts the output of all processes
   * of the host: while some arrives, this process's output waits for its turn.
   */
  reached(
    offset: number,
    timeout: { clock: Clock; milliseconds: number; arrivals: () => number; hurry: (isSilent: boolean) => void; giveUp: () => void },
  ): Promise<void> {
    const { clock, milliseconds, arrivals, hurry, giveUp } = timeout;
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
      let arrived = arrivals();
      // Time without output of this process, and without any of its host.
      let [elapsed, stalled, silent] = [0, 0, 0];
      const check = () => {
        elapsed += GRACE_MS;
        stalled = position === this.channel.position ? stalled + GRACE_MS : 0;
        silent = arrived === arrivals() ? silent + GRACE_MS : 0;
        position = this.channel.position;
        arrived = arrivals();
        if (silent >= milliseconds || elapsed >= milliseconds * MAX_TIMEOUT_FACTOR) {
          giveUp();
          waiter.done();
          return;
        }
        if (stalled > 0 || elapsed >= milliseconds) {
          this.#isUrgent = true;
          hurry(stalled > 0);
        }
        timer = clock.setTimeout(check, GRACE_MS);
      };
      let timer = clock.setTimeout(check, GRACE_MS);
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
