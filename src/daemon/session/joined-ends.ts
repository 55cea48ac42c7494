import type { Clock } from "../../base/clock.ts";
import type { HostEvent } from "../../contract/messages.ts";

/**
 * How long the end of a stopping run's leader waits for the proof that nothing of its tree is left, milliseconds: of many that end together,
 * proofs are made 8 ms apart (tree/reaper.ts).
 */
const PROOF_MS = 25;

/** What is told about a run. */
interface EndingRun {
  readonly id: string;
  readonly isStopping: boolean;
}

interface JoinedEndsOptions<R> {
  clock: Clock;
  publish: (kind: HostEvent["kind"], run: R) => void;
}

/**
 * Makes one event of the end of a run's leader and that of its tree, if they come together: `exited` of a run that is extinct. The end of a
 * leader that was not asked to end waits for nothing but the rest of the turn.
 */
export class JoinedEnds<R extends EndingRun> {
  readonly #options: JoinedEndsOptions<R>;
  /** Runs whose leader's end is not told yet, with the timers that tell it. */
  readonly #held = new Map<string, unknown>();

  constructor(options: JoinedEndsOptions<R>) {
    this.#options = options;
  }

  /** Events of one run keep their order. */
  pass(kind: HostEvent["kind"], run: R): void {
    const { publish } = this.#options;
    if (kind === "exited") this.#hold(run);
    else if (kind === "extinct" && this.#forget(run)) publish("exited", run);
    else {
      this.#release(run);
      publish(kind, run);
    }
  }

  close(): void {
    for (const timer of this.#held.values()) this.#options.clock.clearTimeout(timer);
    this.#held.clear();
  }

  #hold(run: R): void {
    const release = () => this.#release(run);
    if (run.isStopping) this.#held.set(run.id, this.#options.clock.setTimeout(release, PROOF_MS));
    else {
      this.#held.set(run.id, null);
      // A proof that is made in this turn is told by microtasks: when these are done.
      queueMicrotask(() => process.nextTick(release));
    }
  }

  #release(run: R): void {
    if (this.#forget(run)) this.#options.publish("exited", run);
  }

  /** False: it is not held. */
  #forget(run: R): boolean {
    this.#options.clock.clearTimeout(this.#held.get(run.id) ?? null);
    return this.#held.delete(run.id);
  }
}
