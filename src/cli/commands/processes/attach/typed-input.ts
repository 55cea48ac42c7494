import { MgrError } from "../../../../base/errors.ts";
import type { Replayed } from "./replay.ts";

/** Ctrl-]: detaches. */
const LEAVE = "\x1d";
/** Maximum length of input that waits for a connection, UTF-16 code units; more stays in the terminal, with the key that detaches. */
const MAX_HELD_LENGTH = 64 * 1024;

interface TypedInputOptions {
  readonly past: Replayed;
  /** Rejects with `host_unavailable` if it is not known whether the process got the text. */
  readonly send: (text: string) => Promise<void>;
  /** Shows a message to the user. */
  readonly note: (text: string) => void;
}

/**
 * Sends typed input in order, one piece after the other: a process that does not read makes the input wait. Without a connection it is held, and sent
 * afterwards.
 */
export class TypedInput {
  readonly #options: TypedInputOptions;
  #held = "";
  #isHeld = false;
  #isSending = false;
  #hasEnded = false;
  #isLeaving = false;
  #stop: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  readonly #isTerminal = Boolean(process.stdin.isTTY);

  constructor(options: TypedInputOptions) {
    this.#options = options;
  }

  /**
   * Sends what is typed. Resolves after the key that detaches, and at the end of input that is not a terminal. Rejects when the process does not take it.
   * Input typed while the past was shown comes first; it may contain the key that detaches.
   */
  sent(): Promise<void> {
    return new Promise((stop, fail) => {
      this.#stop = stop;
      this.#fail = fail;
      process.stdin.on("data", this.#typed).once("end", this.#ended).pause();
      this.#take(this.#options.past.early);
    });
  }

  /** Keeps input until `goOn`. */
  hold(): void {
    this.#isHeld = true;
    process.stdin.resume();
  }

  goOn(): void {
    this.#isHeld = false;
    this.#sendHeld();
  }

  close(): void {
    process.stdin.off("data", this.#typed).off("end", this.#ended);
  }

  readonly #typed = (data: Buffer): void => this.#take(this.#options.past.late(data));

  readonly #ended = (): void => {
    this.#hasEnded = true;
    this.#held += this.#options.past.rest();
    this.#sendHeld();
  };

  #take(text: string): void {
    if (this.#isLeaving) return;
    const end = this.#isTerminal ? text.indexOf(LEAVE) : -1;
    this.#held += end < 0 ? text : text.slice(0, end);
    if (end >= 0) this.#isLeaving = true;
    this.#sendHeld();
  }

  #sendHeld(): void {
    if (this.#isHeld) {
      if (this.#isLeaving) this.#stop();
      else if (this.#held.length > MAX_HELD_LENGTH) process.stdin.pause();
      return;
    }
    if (this.#isSending) return;
    if (this.#held === "") {
      if (this.#isLeaving || this.#hasEnded) this.#stop();
      else process.stdin.resume();
      return;
    }
    const text = this.#held;
    this.#held = "";
    this.#isSending = true;
    process.stdin.pause();
    this.#options
      .send(text)
      .catch((error: unknown) => this.#notSent(error))
      .then(() => {
        this.#isSending = false;
        this.#sendHeld();
      }, this.#fail);
  }

  /** It is not sent again: the process may have it. What is not typed by a person fails, because a part of it may be missing. */
  #notSent(error: unknown): void {
    if (!(error instanceof MgrError && error.code === "host_unavailable" && this.#isTerminal)) throw error;
    this.#options.note("what was typed last may not have arrived: the connection to the process was lost");
  }
}
