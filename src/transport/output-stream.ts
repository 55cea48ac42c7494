import type { Clock } from "../base/clock.ts";
import { OutputChannel } from "./output-channel.ts";
import type { OutputSubscription } from "./output-subscription.ts";
import { WindowState } from "./output-window.ts";

interface Waiter {
  readonly offset: number;
  readonly done: () => void;
}

/** A process's output while somebody listens: what came, what was asked for, who hears it and who waits for an offset. */
export class OutputStream {
  readonly channel: OutputChannel;
  readonly window = new WindowState();
  readonly subscribers = new Set<OutputSubscription>();
  readonly #waiters = new Set<Waiter>();

  constructor(name: string) {
    this.channel = new OutputChannel(name, (piece) => {
      for (const { sink } of this.subscribers) sink.output(piece);
    });
  }

  get name(): string {
    return this.channel.name;
  }

  hasReached(offset: number): boolean {
    return this.channel.position !== null && this.channel.position >= offset;
  }

  /** Resolves at `offset`, on `release`, or after `timeoutMs`, when `giveUp` is called before. */
  reached(offset: number, timeout: { clock: Clock; milliseconds: number; giveUp: () => void }): Promise<void> {
    const { clock, milliseconds, giveUp } = timeout;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        offset,
        done: () => {
          clock.clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      const timer = clock.setTimeout(() => {
        giveUp();
        waiter.done();
      }, milliseconds);
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
