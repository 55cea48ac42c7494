import { MgrError, messageOf } from "../../base/errors.ts";
import { GuardedPattern } from "../../base/patterns/guarded-pattern.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { Probe, ReadyCondition } from "../../contract/run.ts";
import { stripEscapes } from "../output/escape-sequences.ts";
import type { ProbeContext } from "./probe.ts";
import { Prober } from "./prober.ts";

/** Characters of earlier output that a match may reach back into. */
export const MAX_CARRY_LENGTH = 64 * 1024;
/** Characters of output that are kept during a pause. */
const MAX_PAUSED_LENGTH = 4 * MAX_CARRY_LENGTH;
/** Output is matched in batches: once there is this much of it, or after this pause, milliseconds. */
const MAX_BATCH_LENGTH = 16 * 1024;
const BATCH_MS = 5;

interface ReadinessOptions {
  condition: ReadyCondition | null;
  clock: Clock;
  /** Called at most once. */
  onReady: () => void;
  /** Age of the run, milliseconds, if the program before this one began to wait for it; its output is appended again. Null: its wait is over. */
  age?: number | null;
}

/**
 * Decides on the host when a run is ready. An expression is matched against the run's decoded output, both unchanged and
 * without terminal escape sequences, so that colored words are found. If that takes long, pauses follow, in which output is only kept.
 */
export class Readiness {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #pattern: GuardedPattern | null;
  readonly #probe: Probe | null;
  #prober: Prober | null = null;
  /** Decoder of the output; null: no output is matched. A decoder uses memory outside of the heap. */
  readonly #decoder: InstanceType<typeof TextDecoder> | null;
  #text = "";
  #untriedLength = 0;
  #timer: unknown = null;
  /** Whether the timer is that of a pause. */
  #isPaused = false;
  #isOver = false;

  /** Throws `bad_field` for an expression that cannot be compiled. The condition's time begins now. */
  constructor(options: ReadinessOptions) {
    const { condition, age = 0 } = options;
    this.#clock = options.clock;
    this.#onReady = options.onReady;
    this.#pattern = condition?.kind === "regex" ? compile(condition.pattern) : null;
    this.#decoder = this.#pattern === null ? null : new TextDecoder();
    this.#probe = condition === null || condition.kind === "regex" || condition.kind === "time" ? null : condition;
    if (condition === null || age === null) this.#isOver = true;
    else if (condition.kind === "time") this.#timer = this.#clock.setTimeout(() => this.#latch(), Math.max(0, condition.ms - age));
  }

  /** Begins probing, with the first attempt at once: the run has begun. */
  probe(context: ProbeContext): void {
    if (this.#isOver || this.#probe === null) return;
    this.#prober = new Prober({
      probe: this.#probe,
      context,
      delay: 0,
      onOutcome: (outcome) => {
        if (outcome === null) this.#latch();
      },
    });
  }

  /** Matches more output of the run. */
  append(bytes: Uint8Array): void {
    if (this.#isOver || this.#decoder === null) return;
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#text += text;
    this.#untriedLength += text.length;
    if (this.#isPaused) this.#text = this.#text.slice(-MAX_PAUSED_LENGTH);
    else if (this.#untriedLength >= MAX_BATCH_LENGTH) this.#try();
    else this.#timer ??= this.#clock.setTimeout(() => this.#try(), BATCH_MS);
  }

  /** Ends with the run: its last output still counts; timers and probes no longer do. */
  end(): void {
    if (!this.#isOver && this.#pattern !== null) this.#try();
    this.#finish();
  }

  #try(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#isPaused = false;
    this.#untriedLength = 0;
    if (this.#pattern === null) return;
    const { match, pauseMs } = this.#pattern.search([this.#text, stripEscapes(this.#text)]);
    if (match) {
      this.#latch();
      return;
    }
    // Output that could not be searched in time is searched again.
    if (match === null) this.#text = this.#text.slice(-MAX_CARRY_LENGTH);
    if (pauseMs === 0) return;
    this.#isPaused = true;
    this.#timer = this.#clock.setTimeout(() => this.#try(), pauseMs);
  }

  #latch(): void {
    this.#finish();
    this.#onReady();
  }

  #finish(): void {
    this.#isOver = true;
    this.#text = "";
    this.#prober?.end();
    this.#clock.clearTimeout(this.#timer);
  }
}

function compile(pattern: string): GuardedPattern {
  try {
    return new GuardedPattern(new RegExp(pattern, "u"));
  } catch (cause) {
    throw new MgrError("bad_field", `the regular expression of 'ready.regex' cannot be used: ${messageOf(cause)}`, { cause });
  }
}
