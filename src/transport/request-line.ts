/** Requests that may wait while one is being answered; beyond it `busy` (docs/design/wire-rules.md, "Answers and errors"). */
export const MAX_WAITING_REQUESTS = 64;

/** Produces one answer and resolves once the socket has taken it. Must not reject. */
export type AnswerTask = () => Promise<void>;

/** Answers requests one at a time: a waiting request costs nothing, its answer is made when its turn comes. */
export class RequestLine {
  readonly #waiting: AnswerTask[] = [];
  #isAnswering = false;
  #closed = false;

  /** False: the line is full, and the request was not taken. An idle line begins in this turn. */
  submit(task: AnswerTask): boolean {
    if (this.#isAnswering && this.#waiting.length >= MAX_WAITING_REQUESTS) return false;
    this.#waiting.push(task);
    if (!this.#isAnswering) void this.#work();
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
  }

  async #work(): Promise<void> {
    this.#isAnswering = true;
    for (let task = this.#waiting.shift(); task && !this.#closed; task = this.#waiting.shift()) await task();
    this.#isAnswering = false;
  }
}
