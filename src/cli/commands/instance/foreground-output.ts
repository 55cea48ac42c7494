import type { ManagerOutput } from "../../../app/manager-options.ts";
import type { OutputPiece } from "../../../transport/output/output-piece.ts";
import { NamedLines } from "../../output/named-lines.ts";
import type { Printer } from "./printer.ts";

/** Maximum number of waiting characters; beyond it, output stays with the daemons: the log has to get through, and waiting output is printed late. */
const MAX_WAITING = 256 * 1024;

/** The output of all processes, as `mgr up` prints it between the lines of its log. */
export class ForegroundOutput implements ManagerOutput {
  readonly #printer: Printer;
  readonly #lines: NamedLines;
  #hasRoom: () => void = () => {};
  #isWaiting = false;

  constructor(printer: Printer, names: Iterable<string>) {
    this.#printer = printer;
    this.#lines = new NamedLines({ names, isFiltered: true });
  }

  begin(hasRoom: () => void): void {
    this.#hasRoom = hasRoom;
  }

  get isFull(): boolean {
    return this.room === 0;
  }

  get room(): number {
    return Math.max(0, MAX_WAITING - this.#printer.waiting);
  }

  output({ name, text, skipped }: OutputPiece): void {
    if (skipped > 0) this.#printer.print(this.#lines.gap(name, skipped));
    this.#printer.print(this.#lines.write(name, text));
    if (this.isFull && !this.#isWaiting) void this.#awaitRoom();
  }

  /** Prints lines that have not ended. */
  end(): void {
    this.#printer.print(this.#lines.end());
  }

  async #awaitRoom(): Promise<void> {
    this.#isWaiting = true;
    while (this.isFull) await this.#printer.drained();
    this.#isWaiting = false;
    this.#hasRoom();
  }
}
