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

  /** Returns when it is done, or a promise of that. Throws or rejects with its refusal. */
  run(steps: Steps): void | Promise<void> {
    if (this.#waiting.length === 0 && isDone(steps)) return;
    return new Promise((done, failed) => {
      this.#waiting.push({ steps, done, failed });
      if (this.#waiting.length === 1) setImmediate(() => this.#turn());
    });
  }

  /** Gives up what is left. */
  close(): void {
    for (const { done } of this.#waiting.splice(0)) done();
  }

  #turn(): void {
    const [first] = this.#waiting;
    if (!first) return;
    try {
      if (isDone(first.steps)) this.#end(first.done);
    } catch (error) {
      this.#end(() => first.failed(error));
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#turn());
  }

  #end(report: () => void): void {
    this.#waiting.shift();
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
