import { messageOf } from "../../../../base/errors.ts";
import { compileFnmatch } from "../../../../base/patterns/fnmatch.ts";
import { shortened } from "../../../../base/text/text-length.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import type { ThrottledWarning } from "../../../../base/throttled-warning.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { Allowance, LineBlocks, LinePattern } from "../../../alerts/host/index.ts";
import type { HostTrigger } from "../../contract.ts";

/** Output of all processes that the engine of expressions examines for triggers, bytes: about a tenth of a processor. */
const EXAMINED = { perSecond: 2 * 1024 * 1024, most: 8 * 1024 * 1024 };
/** Longest line in a cause, UTF-16 code units. */
const MAX_LINE = 400;

interface OutputTrigger {
  readonly trigger: HostTrigger;
  readonly matches: (process: string) => boolean;
  readonly pattern: LinePattern;
}

interface Watched {
  readonly lines: LineBlocks;
  readonly triggers: readonly OutputTrigger[];
}

interface OutputTriggersOptions {
  readonly clock: Clock;
  readonly warning: ThrottledWarning;
  readonly fire: (trigger: HostTrigger, text: string, process: string) => void;
}

/** Matches regular expressions against the lines that processes write. */
export class OutputTriggers {
  readonly #options: OutputTriggersOptions;
  readonly #allowance = new Allowance(EXAMINED);
  #triggers: OutputTrigger[] = [];
  /** By process; null: no trigger is about it. */
  readonly #watched = new Map<string, Watched | null>();

  constructor(options: OutputTriggersOptions) {
    this.#options = options;
  }

  configure(triggers: readonly HostTrigger[]): void {
    this.#watched.clear();
    this.#triggers = triggers.flatMap((trigger) => {
      const { when, name } = trigger;
      if (when.kind !== "output") return [];
      const patterns = when.processes.map(compileFnmatch);
      try {
        const pattern = new LinePattern(when.pattern);
        return [{ trigger, pattern, matches: (process: string) => patterns.some((matches) => matches(process)) }];
      } catch (error) {
        this.#options.warning.warn(`the expression of the trigger '${visible(name)}' cannot be used: ${visible(messageOf(error))}`);
        return [];
      }
    });
  }

  /** Bytes that a process wrote; they are borrowed. */
  output(process: string, bytes: Uint8Array): void {
    if (this.#triggers.length === 0) return;
    const watched = this.#watchedOf(process);
    const text = watched?.lines.add(bytes) ?? null;
    if (watched !== null && text !== null) this.#examine(process, watched, text);
  }

  /** The process has ended: its last line may have no end. */
  ended(process: string): void {
    const watched = this.#watched.get(process) ?? null;
    const text = watched?.lines.end() ?? null;
    if (watched !== null && text !== null) this.#examine(process, watched, text);
    this.#watched.delete(process);
  }

  #watchedOf(process: string): Watched | null {
    let watched = this.#watched.get(process);
    if (watched === undefined) {
      const triggers = this.#triggers.filter(({ matches }) => matches(process));
      watched = triggers.length === 0 ? null : { lines: new LineBlocks(), triggers };
      this.#watched.set(process, watched);
    }
    return watched;
  }

  #examine(process: string, { triggers }: Watched, text: Buffer): void {
    const { clock, warning, fire } = this.#options;
    const mayExamine = (bytes: number) => this.#allowance.take(bytes, clock.monotonic());
    for (const { trigger, pattern } of triggers) {
      const isWhole = pattern.examine(text, mayExamine, (line) =>
        fire(trigger, `${process} wrote: ${shortened(visible(line), MAX_LINE)}`, process),
      );
      if (!isWhole)
        warning.warn(`'${visible(process)}' writes more than is examined for the trigger '${visible(trigger.name)}': some lines were not`, [
          process,
        ]);
    }
  }
}
