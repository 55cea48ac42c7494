/** Members that are told in one turn of the event loop, about 5 ms: 10,000 in one turn would hold everybody up for seconds. */
export const MEMBERS_PER_TURN = 32;

/** A command under way: each step tells some processes and says how many. What it throws in its first step is its refusal. */
export type Steps = Generator<number, void>;

interface Waiting {
  readonly steps: Steps;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Commands in the order in which they came. A small one is carried out within the call; one to many processes goes on in later turns, and
 * what comes meanwhile waits for its end: each command finds what the ones before it have made of the world.
 */
export class CommandQueue {
  readonly #waiting: Waiting[] = [];
  #isTurnDue = false;

  /** Returns when it is done, or a promise of that. Throws or rejects with its refusal. */
  run(steps: Steps): void | Promise<void> {
    if (this.#waiting.length === 0 && isDone(steps)) return;
    return new Promise((done, failed) => {
      this.#waiting.push({ steps, done, failed });
      this.#turnLater();
    });
  }

  /** The rest of every command is not carried out: each rejects with `reason`. */
  refuse(reason: Error): void {
    for (const { failed } of this.#waiting.splice(0)) failed(reason);
  }

  /** Gives up what is left. */
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
    // A step may have had everything refused, this command too.
    if (this.#waiting[0] === ended) this.#waiting.shift();
    report();
  }
}

/** One turn's share of it; true once nothing is left. */
function isDone(steps: Steps): boolean {
  for (let told = 0; told < MEMBERS_PER_TURN; ) {
    const step = steps.next();
    if (step.done) return true;
    told += step.value;
  }
  return false;
}
