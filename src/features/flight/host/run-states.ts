import { type ChangedProcess, processEntry } from "../../recordings/host/index.ts";
import { MAX_SPAN_MS } from "../contract.ts";
import type { RingMessage } from "./ring/records.ts";

/** Most changes that are kept of one process: a process that crashes once a second makes about four in this time. */
const MAX_CHANGES = 200;
/** Time for which the states of a process that has ended are kept: no part begins earlier, nanoseconds. */
const KEPT_NS = BigInt(MAX_SPAN_MS) * 1_000_000n;

interface Change {
  readonly time: bigint;
  readonly process: ChangedProcess;
}

/** The states of the runs of the host over time, so that a part begins with the state of each process that ran at its first moment. */
export class RunStates {
  /** In the order of time, by the name of the process. */
  readonly #changes = new Map<string, Change[]>();
  /** When the newest run of a process became extinct, by the name of the process, the earliest first. */
  readonly #ends = new Map<string, bigint>();

  /** `time`: nanoseconds since 1970; 0: nothing was recorded yet, so that only the newest state of a process is needed. */
  changed(time: bigint, process: ChangedProcess): void {
    const { name, run_id, pid, ready, stopping, extinct, exit, rows, cols } = process;
    const known = (time === 0n ? null : this.#changes.get(name)) ?? [];
    known.push({ time, process: { name, run_id, pid, ready, stopping, extinct, exit, rows, cols } });
    if (known.length > MAX_CHANGES) known.shift();
    this.#changes.set(name, known);
    this.#ends.delete(name);
    if (extinct) this.#ends.set(name, time);
    this.#forget(time - KEPT_NS);
  }

  /** The state that each process had just before a time, as messages of that time with the kind `state`. Runs that had ended by then are left out. */
  before(time: bigint): RingMessage[] {
    return [...this.#changes.values()].flatMap((changes) => {
      const last = changes.findLast((change) => change.time < time);
      return last === undefined || last.process.extinct ? [] : [processEntry(time, "state", last.process)];
    });
  }

  /** Forgets the processes that ended before a time. */
  #forget(before: bigint): void {
    for (const [name, end] of this.#ends) {
      if (end >= before) break;
      this.#ends.delete(name);
      this.#changes.delete(name);
    }
  }
}
