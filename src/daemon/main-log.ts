import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { type Logger, pino, stdTimeFunctions } from "pino";

/** A log file beyond this is put aside as `<path>.1`, in place of the one put aside before, bytes. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** A JSON log, a line an entry, that never takes more than twice MAX_LOG_BYTES of the disk. */
export function openLog(path: string): Logger {
  return pino({ base: { pid: process.pid }, timestamp: stdTimeFunctions.isoTime }, new BoundedFile(path));
}

/** Written at once, so that the last lines of a crash are there. */
class BoundedFile {
  readonly #path: string;
  #fd: number;
  #size: number;
  /** Lines that could not be written: the disk is full. */
  #lost = 0;

  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, "a", 0o600);
    this.#size = fstatSync(this.#fd).size;
    if (this.#size > MAX_LOG_BYTES) this.#rotate();
  }

  write(line: string): void {
    try {
      if (this.#size > MAX_LOG_BYTES) this.#rotate();
      if (this.#lost > 0)
        this.#size += writeSync(this.#fd, `${JSON.stringify({ level: 40, msg: `${this.#lost} lines could not be written` })}\n`);
      this.#lost = 0;
      this.#size += writeSync(this.#fd, line);
    } catch {
      // A log that cannot be written must not take down what it is about; it is said as soon as it can be.
      this.#lost++;
    }
  }

  #rotate(): void {
    renameSync(this.#path, `${this.#path}.1`);
    const old = this.#fd;
    this.#fd = openSync(this.#path, "a", 0o600);
    this.#size = fstatSync(this.#fd).size;
    closeSync(old);
  }
}
