import { CancellationSource } from "../../base/timing/cancellation.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { ResponseOf } from "../../contract/messages.ts";
import type { Resumable } from "./kept-requests.ts";

type Told = NonNullable<ResponseOf<"hello">["alone"]>;

/** A time in which the host has no manager. It counts what the host starts, also what a hello could not prevent any more. */
export class TimeAlone {
  readonly life = new CancellationSource();
  readonly #clock: Pick<Clock, "now">;
  readonly #before: Told | undefined;
  readonly #after: Resumable["after"];
  readonly #from: number;
  #until: number | null = null;
  #restarts = 0;
  #resumed = 0;

  /** `before`: an earlier time of which no manager knows yet. `after`: why processes may have to be resumed. */
  constructor(clock: Pick<Clock, "now">, { before, after }: { before: Told | undefined; after: Resumable["after"] }) {
    this.#clock = clock;
    this.#before = before;
    this.#after = after;
    this.#from = clock.now();
  }

  /** Counts a start: a restart, or the first one after a boot. */
  started(isResumed: boolean): void {
    if (isResumed) this.#resumed++;
    else this.#restarts++;
  }

  end(): void {
    this.#until = this.#clock.now();
    this.life.cancel();
  }

  /** The report for the next manager. */
  get told(): Told {
    const before = this.#before;
    const resumed =
      this.#resumed > 0
        ? { time: this.#from, processes: this.#resumed + (before?.resumed?.processes ?? 0), after: this.#after }
        : before?.resumed;
    return {
      from: before?.from ?? this.#from,
      until: this.#until ?? this.#clock.now(),
      restarts: this.#restarts + (before?.restarts ?? 0),
      ...(resumed === undefined ? {} : { resumed }),
    };
  }
}
