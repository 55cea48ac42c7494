import { MgrError } from "../errors.ts";

/** Runs asynchronous work one at a time, in order of arrival. If one fails, its promise rejects and the next one runs. */
export class SerialQueue {
  readonly #max: number;
  readonly #busy: string;
  #last: Promise<unknown> = Promise.resolve();
  #size = 0;

  /** With `max` calls running and waiting, one more is refused with the code `busy` and the message `busy`. */
  constructor({ max = Number.POSITIVE_INFINITY, busy = "" }: { max?: number; busy?: string } = {}) {
    this.#max = max;
    this.#busy = busy;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#size >= this.#max) return Promise.reject(new MgrError("busy", this.#busy));
    this.#size++;
    const mine = this.#last.then(work).finally(() => this.#size--);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
