/** Maximum number of answers that wait for their turn. */
const MAX_DEFERRED = 10_000;

/** Answers that wait until the messages before them have left the queue: a client may conclude from a PONG that it has received them. */
export class DeferredAnswers {
  /** Number of messages that have left the queue so far. */
  #departed = 0;
  #answers: { readonly at: number; readonly text: string }[] = [];

  departed(msgs: number): void {
    this.#departed += msgs;
  }

  /** Adds an answer behind as many messages as wait now. Returns false if too many answers wait. */
  add(text: string, waiting: number): boolean {
    if (this.#answers.length >= MAX_DEFERRED) return false;
    this.#answers.push({ at: this.#departed + waiting, text });
    return true;
  }

  /** The answers, with the number of messages that leave before each. */
  waiting(): { after: number; text: string }[] {
    return this.#answers.map(({ at, text }) => ({ after: at - this.#departed, text }));
  }

  /** Moves answers whose turn has come to `output`. */
  take(output: Buffer[]): void {
    let [first] = this.#answers;
    for (; first !== undefined && first.at <= this.#departed; [first] = this.#answers) {
      output.push(Buffer.from(first.text, "latin1"));
      this.#answers.shift();
    }
  }
}
