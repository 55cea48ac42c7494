import { constants } from "node:os";
import { exitText } from "../client/exit-text.ts";
import type { Process } from "../protocol/resources.ts";
import { EXIT } from "./exit-codes.ts";

/** The first failure of an essential process, which may come before anybody waits for it. */
export class EssentialFailure {
  #process: Process | null = null;
  #tell: () => void = () => {};

  note(process: Process): void {
    if (this.#process !== null) return;
    this.#process = process;
    this.#tell();
  }

  onFailure(listener: () => void): void {
    this.#tell = listener;
    if (this.#process !== null) listener();
  }

  get sentence(): string {
    return this.#process === null ? "" : `essential process '${this.#process.name}' failed (${exitText(this.#process)})`;
  }

  /** Of the process, as a shell would have it: 128 and the signal's number; `failed` where it has none of its own. */
  get exitCode(): number {
    if (this.#process === null) return EXIT.done;
    const { code, signal } = this.#process.exit ?? { code: null, signal: null };
    const number = signal === null ? undefined : new Map(Object.entries(constants.signals)).get(signal);
    if (number !== undefined) return 128 + number;
    return code === null || code === 0 ? EXIT.failed : code;
  }
}
