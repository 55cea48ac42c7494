import type { Clock } from "../../base/timing/clock.ts";
import type { HostEvent } from "../../contract/messages.ts";

/**
 * Maximum time that the end of a stopping run's leader waits for the proof that nothing of its tree is left, milliseconds: if many end
 * together, proofs are made 8 ms apart (tree/reaper.ts).
 */
const PROOF_MS = 25;

/** The part of a run that is used here. */
interface EndingRun {
  readonly id: string;
  readonly isStopping: boolean;
}

interface JoinedEndsOptions<R> {
  clock: Clock;
  publish: (kind: HostEvent["kind"], run: R) => void;
}

/**
 * Merges the end of a run's leader and that of its tree into one event if they come together: `exited` of a run that is extinct. Without a
 * requested stop, the end of a leader waits only for the rest of the turn.
 */
export class JoinedEnds<R extends EndingRun> {
  readonly #options: JoinedEndsOptions<R>;
  /** Runs whose leader's end is not published yet, with the timers that publish it. */
  readonly #held = new Map<string, unknown>();

  constructor(options: JoinedEndsOptions<R>) {
    this.#options = options;
  }

  /** Publishes an event, or holds it. Events of one run keep their order. */
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
      // A proof that is made in this turn is reported by microtasks: the end is released after them.
      queueMicrotask(() => process.nextTick(release));
    }
  }

  #release(run: R): void {
    if (this.#forget(run)) this.#options.publish("exited", run);
  }

  /** Returns false if the run's end is not held. */
  #forget(run: R): boolean {
    this.#options.clock.clearTimeout(this.#held.get(run.id) ?? null);
    return this.#held.delete(run.id);
  }
}
