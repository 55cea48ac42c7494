import { shortened } from "../../../base/text/text-length.ts";
import type { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import { type AlertRule, type HostAlert, MAX_ALERT_LINE } from "../contract.ts";
import type { WatchedState } from "./alerts-state.ts";
import { Allowance } from "./allowance.ts";
import { LineBlocks } from "./line-blocks.ts";
import type { LinePattern } from "./line-pattern.ts";

/** Output of one process that the engine of expressions examines, bytes; lines without a literal of the expression are free. */
const EXAMINED = { perSecond: 1024 * 1024, most: 4 * 1024 * 1024 };
/** Lines that are examined after the first match, to count further ones. */
const COUNTED = { perSecond: 20, most: 20 };
/** A line that its program does not end is examined after this time without output, milliseconds: it may be a prompt. */
const UNFINISHED_MS = 1_000;

/** The present moment by both clocks, milliseconds. */
export interface Moment {
  readonly time: number;
  readonly monotonic: number;
}

interface WatchedOptions {
  readonly rule: AlertRule;
  readonly pattern: LinePattern | null;
  /** The budget of all processes of the host. */
  readonly allowance: Allowance;
  /** Lines were not examined, because the process writes more than its allowance. */
  readonly onSkipped: (name: string) => void;
}

/** A process with a rule: its output and its silence, and whether it needs attention. */
export class WatchedProcess {
  readonly rule: AlertRule;
  readonly #options: WatchedOptions;
  readonly #lines = new LineBlocks();
  readonly #examined = new Allowance(EXAMINED);
  readonly #counted = new Allowance(COUNTED);
  #output: HostAlert["output"] = null;
  #silent: HostAlert["silent"] = null;
  /** The silence was acknowledged: it is no alert until the process has written something. */
  #isSilenceKnown = false;
  /** Whether silence counts: the process is started or ready. */
  #isUp = false;
  /** Time of the last output, else of the start. */
  #active: Moment;
  #hasUnfinished = false;

  constructor(options: WatchedOptions, now: Moment) {
    this.rule = options.rule;
    this.#options = options;
    this.#active = now;
  }

  /** Null: it needs no attention. */
  get alert(): HostAlert | null {
    if (this.#silent === null && this.#output === null) return null;
    return { name: this.rule.name, silent: this.#silent, output: this.#output };
  }

  /** Keeps what an earlier rule has found, where the rule is the same. */
  continue(earlier: WatchedProcess): void {
    this.#active = earlier.#active;
    this.#isUp = earlier.#isUp;
    if (earlier.rule.pattern === this.rule.pattern) this.#output = earlier.#output;
    if (earlier.rule.silent_ms !== this.rule.silent_ms) return;
    this.#silent = earlier.#silent;
    this.#isSilenceKnown = earlier.#isSilenceKnown;
  }

  /** What the next program continues with. */
  handOver(times: KernelTimes): WatchedState {
    const active = { time: this.#active.time, monotonic: times.toKernel(this.#active.monotonic) };
    const found = { output: this.#output, silent: this.#silent, isSilenceKnown: this.#isSilenceKnown };
    return { rule: this.rule, ...found, isUp: this.#isUp, active, hasUnfinished: this.#hasUnfinished, line: this.#lines.rest };
  }

  /** Continues the watch of an earlier program. */
  adopt({ output, silent, isSilenceKnown, isUp, active, hasUnfinished, line }: WatchedState, times: KernelTimes): void {
    this.#output = output;
    this.#silent = silent;
    this.#isSilenceKnown = isSilenceKnown;
    this.#isUp = isUp;
    this.#active = { time: active.time, monotonic: times.fromKernel(active.monotonic) };
    this.#hasUnfinished = hasUnfinished;
    this.#lines.rest = line;
  }

  /** A new run began: what the one before did does not matter any more. */
  begin(now: Moment): void {
    this.#output = null;
    this.#lines.end();
    this.#hasUnfinished = false;
    this.#isUp = false;
    this.#heard(now);
  }

  /** The run has become ready, is stopped or has ended. */
  setUp(isUp: boolean, now: Moment): void {
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    this.#heard(now);
  }

  write(bytes: Uint8Array, now: Moment): void {
    this.#heard(now);
    if (this.#options.pattern === null) return;
    if (this.#output !== null && !this.#counted.has(1, now.monotonic)) {
      // Output of a process that needs attention anyway is not even cut into lines beyond a rate.
      this.#lines.end();
      this.#hasUnfinished = false;
      return;
    }
    const text = this.#lines.add(bytes);
    this.#hasUnfinished = true;
    if (text !== null) this.#examine(text, now);
  }

  /** Monotonic time at which `check` is due; infinite: at no time. */
  get due(): number {
    const { silent_ms } = this.rule;
    const waitsForSilence = this.#isUp && silent_ms !== null && this.#silent === null && !this.#isSilenceKnown;
    const silent = waitsForSilence ? this.#active.monotonic + silent_ms : Number.POSITIVE_INFINITY;
    return this.#hasUnfinished ? Math.min(silent, this.#active.monotonic + UNFINISHED_MS) : silent;
  }

  /** Decides what is due. `isPaused`: whether the process cannot write because it is stopped by a signal. */
  check(now: Moment, isPaused: () => boolean): void {
    if (this.#hasUnfinished && now.monotonic >= this.#active.monotonic + UNFINISHED_MS) this.#examineUnfinished(now);
    if (now.monotonic < this.due) return;
    if (isPaused()) this.#heard(now);
    else this.#silent = { since: this.#active.time };
  }

  /** Acknowledges the alert. */
  clear(): void {
    this.#isSilenceKnown ||= this.#silent !== null;
    this.#silent = null;
    this.#output = null;
  }

  /** Silence counts from now on. */
  #heard(now: Moment): void {
    this.#active = now;
    this.#silent = null;
    this.#isSilenceKnown = false;
  }

  #examineUnfinished(now: Moment): void {
    this.#hasUnfinished = false;
    const text = this.#lines.end();
    if (text !== null) this.#examine(text, now);
  }

  #examine(text: Buffer, now: Moment): void {
    const { pattern, allowance, onSkipped } = this.#options;
    const mayExamine = (bytes: number) =>
      this.#output === null
        ? this.#examined.take(bytes, now.monotonic) && allowance.take(bytes, now.monotonic)
        : this.#counted.take(1, now.monotonic) && allowance.take(bytes, now.monotonic);
    const isWhole = pattern?.examine(text, mayExamine, (line) => this.#matched(line, now.time)) ?? true;
    if (!isWhole && this.#output === null) onSkipped(this.rule.name);
  }

  #matched(line: string, time: number): void {
    const { since, line: first, matches } = this.#output ?? { since: time, line: shortened(line, MAX_ALERT_LINE / 2 - 1), matches: 0 };
    this.#output = { since, last: time, line: first, matches: matches + 1 };
  }
}
