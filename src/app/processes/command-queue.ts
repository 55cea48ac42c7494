/** Processes that are told in one turn of the event loop, about 5 ms: 10,000 in one turn would block all clients for seconds. */
export const MEMBERS_PER_TURN = 32;

/** A command in progress: each step tells some processes and yields how many. An error in its first step refuses the command. */
export type Steps = Generator<number, void>;

interface Waiting {
  readonly steps: Steps;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs commands in order of arrival. A small one runs within the call; one to many processes continues in later turns, and later commands
 * wait for its end: each command sees the results of the ones before it.
 */
export class CommandQueue {
  readonly #waiting: Waiting[] = [];
  #isTurnDue = false;

  /** Returns when it is done, or a promise of that. Throws or rejects if it is refused. */
  run(steps: Steps): void | Promise<void> {
    if (this.#waiting.length === 0 && isDone(steps)) return;
    return new Promise((done, failed) => {
      this.#waiting.push({ steps, done, failed });
      this.#turnLater();
    });
  }

  /** Cancels the rest of every command: each rejects with `reason`. */
  refuse(reason: Error): void {
    for (const { failed } of this.#waiting.splice(0)) failed(reason);
  }

  /** Drops the remaining commands. */
  close(): void {
    for (const { done } of this.#waiting.splice(0)) done();
  }

  #turnLater(): void {
    if (this.#isTurnDue || this.#waiting.length === 0) return;
    this.#isTurnDue = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    const [first] = this.#waiting;
    if (!first) return;
    try {
      if (isDone(first.steps)) this.#end(first, first.done);
    } catch (error) {
      this.#end(first, () => first.failed(error));
    }
    this.#turnLater();
  }

  #end(ended: Waiting, report: () => void): void {
    // A step may have refused all commands, including this one.
    if (this.#waiting[0] === ended) this.#waiting.shift();
    report();
  }
}

/** Runs one turn's share of it; true once nothing is left. */
function isDone(steps: Steps): boolean {
  for (let told = 0; told < MEMBERS_PER_TURN; ) {
    const step = steps.next();
    if (step.done) return true;
    told += step.value;
  }
  return false;
}
