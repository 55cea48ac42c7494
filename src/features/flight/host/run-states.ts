import type { RunReport } from "../../../contract/run.ts";
import { processEntry } from "../../recordings/host/index.ts";
import { MAX_SPAN_MS } from "../contract.ts";
import type { RingMessage } from "./ring/records.ts";

/** Most changes that are kept of one process: a process that crashes once a second makes about four in this time. */
const MAX_CHANGES = 200;
/** Time for which the states of a process that has ended are kept: no part begins earlier, nanoseconds. */
const KEPT_NS = BigInt(MAX_SPAN_MS) * 1_000_000n;

interface Change {
  readonly time: bigint;
  readonly isExtinct: boolean;
  readonly message: RingMessage;
}

/** The states of the runs of the host over time, so that a part begins with the state of each process that ran at its first moment. */
export class RunStates {
  /** In the order of time, by the name of the process. */
  readonly #changes = new Map<string, Change[]>();

  /** `time`: nanoseconds since 1970. */
  changed(time: bigint, report: RunReport): void {
    const known = this.#changes.get(report.name) ?? [];
    known.push({ time, isExtinct: report.extinct, message: processEntry(time, "state", report) });
    if (known.length > MAX_CHANGES) known.shift();
    this.#changes.set(report.name, known);
    for (const [name, changes] of this.#changes) {
      const last = changes.at(-1);
      if (last?.isExtinct === true && last.time + KEPT_NS < time) this.#changes.delete(name);
    }
  }

  /** The state that each process had just before a time, as messages of that time with the kind `state`. Runs that had ended by then are left out. */
  before(time: bigint): RingMessage[] {
    return [...this.#changes.values()].flatMap((changes) => {
      const last = changes.findLast((change) => change.time < time);
      return last === undefined || last.isExtinct ? [] : [{ ...last.message, received: time }];
    });
  }
}
