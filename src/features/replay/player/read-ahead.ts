import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileMessage } from "../../recordings/samples/mcap/message-file.ts";

/** Amount that is read ahead: enough that the player need not wait for the disk, and bounded for the memory. */
const MAX_MESSAGES = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Number of messages that are read in one turn of the event loop, so that a message that is due does not wait. */
const MESSAGES_A_TURN = 50;

/** Reads messages before they are due. Its memory is bounded by the two limits above, or one message. */
export class ReadAhead {
  readonly #queue: FileMessage[] = [];
  #at = 0;
  #bytes = 0;
  #isDone = false;
  #isClosed = false;
  #failure: { readonly error: unknown } | null = null;
  #wakeReader = () => {};
  #wakeUser = () => {};
  readonly #reading: Promise<void>;

  constructor(messages: AsyncGenerator<FileMessage>) {
    this.#reading = this.#read(messages);
  }

  /** The next message; undefined: it is not read yet, or there is none (`isDone`). */
  peek(): FileMessage | undefined {
    return this.#queue[this.#at];
  }

  /** Removes the next message. */
  shift(): void {
    const message = this.#queue[this.#at];
    if (message === undefined) return;
    this.#at++;
    this.#bytes -= message.data.length;
    // An array loses its first elements only by copying.
    if (this.#at >= MAX_MESSAGES / 2) this.#queue.splice(0, this.#at);
    if (this.#at >= MAX_MESSAGES / 2) this.#at = 0;
    if (!this.#isFull) this.#wakeReader();
  }

  /** Whether there is no other message, and no failure that `more` tells. */
  get isDone(): boolean {
    return this.#isDone && this.#failure === null && this.peek() === undefined;
  }

  /** Resolves when there is a message, or none will come. Rejects if the reading failed. */
  async more(): Promise<void> {
    while (this.peek() === undefined && !this.#isDone)
      await new Promise<void>((resolve) => {
        this.#wakeUser = resolve;
      });
    if (this.peek() === undefined && this.#failure !== null) throw this.#failure.error;
  }

  /** Resolves when as much is read as is kept, or all that can be. Never rejects: `more` does, after the last message that was read. */
  async filled(): Promise<void> {
    while (!this.#isFull && !this.#isDone)
      await new Promise<void>((resolve) => {
        this.#wakeUser = resolve;
      });
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeReader();
    await this.#reading;
  }

  get #isFull(): boolean {
    return this.#queue.length - this.#at >= MAX_MESSAGES || this.#bytes >= MAX_BYTES;
  }

  /** Never rejects: `more` does. */
  async #read(messages: AsyncGenerator<FileMessage>): Promise<void> {
    let count = 0;
    try {
      for await (const message of messages) {
        this.#queue.push(message);
        this.#bytes += message.data.length;
        this.#wakeUser();
        if (++count % MESSAGES_A_TURN === 0) await nextTurn();
        while (this.#isFull && !this.#isClosed)
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve;
          });
        if (this.#isClosed) break;
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isDone = true;
    this.#wakeUser();
  }
}
