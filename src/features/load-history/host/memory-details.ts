import { readFile } from "node:fs/promises";
import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import { isAbsent, readStat } from "../../../daemon/proc/proc.ts";
import type { MemoryDetail } from "../contract.ts";
import { MEMORY_DETAIL_MS } from "../series.ts";

/** Processes of one tree that are measured, at most, and the time after which the rest is left out, milliseconds. */
const MAX_PROCESSES = 256;
const MAX_MEASURE_MS = 2_000;
/** Measurements that run or wait, at most, and how long a client waits for one, milliseconds. */
const MAX_WAITING = 16;
const TIMEOUT_MS = 10_000;

/** A process of a tree: a pid alone may be another one by now. */
export interface TreeProcess {
  readonly pid: number;
  readonly startTime: string;
}

/**
 * Proportional memory of trees. The kernel walks through all pages of a process for it, which takes milliseconds for each GB and may wait for
 * the process: so on request only, not in the event loop, and for one process at a time. A process that hangs blocks one thread, not all.
 */
export class MemoryDetails {
  readonly #clock: Clock;
  readonly #treeOf: (name: string) => readonly TreeProcess[];
  readonly #queue = new SerialQueue({
    max: MAX_WAITING,
    busy: "this host is asked for the memory of too many processes at once; try again",
  });
  /** By process, those of the last MEMORY_DETAIL_MS. */
  readonly #measured = new Map<string, { readonly at: number; readonly detail: Promise<MemoryDetail> }>();

  /** `treeOf`: the tree of a process; empty: it does not run. */
  constructor(clock: Clock, treeOf: (name: string) => readonly TreeProcess[]) {
    this.#clock = clock;
    this.#treeOf = treeOf;
  }

  /** Rejects with `not_running`, `busy` and `timeout`. */
  measure(name: string): Promise<MemoryDetail> {
    const now = this.#clock.monotonic();
    for (const [each, { at }] of this.#measured) if (now - at >= MEMORY_DETAIL_MS) this.#measured.delete(each);
    const known = this.#measured.get(name);
    if (known !== undefined) return known.detail;
    const detail = withTimeout(
      this.#queue.run(() => this.#read(name)),
      TIMEOUT_MS,
      () => new MgrError("timeout", `the memory of '${name}' could not be read within ${TIMEOUT_MS / 1_000} s; try again later`),
      this.#clock,
    );
    this.#measured.set(name, { at: now, detail });
    // A failure is not kept.
    detail.catch(() => this.#measured.delete(name));
    return detail;
  }

  async #read(name: string): Promise<MemoryDetail> {
    const tree = this.#treeOf(name);
    if (tree.length === 0) throw new MgrError("not_running", `'${name}' is not running`);
    const begin = this.#clock.monotonic();
    const sums = { pss: 0, private: 0, swap: 0 };
    let [processes, unknown] = [0, 0];
    for (const [index, { pid, startTime }] of tree.entries()) {
      if (index >= MAX_PROCESSES || this.#clock.monotonic() - begin > MAX_MEASURE_MS) {
        unknown += tree.length - index;
        break;
      }
      if (readStat(pid)?.startTime !== startTime) continue;
      const text = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch((error: unknown) => absent(error));
      const memory = text === null ? null : parseRollup(text);
      if (memory === null) {
        if (readStat(pid)?.startTime === startTime) unknown++;
        continue;
      }
      processes++;
      for (const field of ["pss", "private", "swap"] as const) sums[field] += memory[field];
    }
    const time = this.#clock.now();
    return processes === 0 ? { time, pss: null, private: null, swap: null, processes, unknown } : { time, ...sums, processes, unknown };
  }
}

/** Null: it has ended, or belongs to another user. */
function absent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

/** Bytes; null: a process of the kernel, or one that has ended, has none. */
export function parseRollup(text: string): { pss: number; private: number; swap: number } | null {
  const bytes = (field: string) => 1_024 * Number(new RegExp(`^${field}: +(\\d+) kB`, "m").exec(text)?.[1] ?? Number.NaN);
  const [pss, clean, dirty, swap] = [bytes("Pss"), bytes("Private_Clean"), bytes("Private_Dirty"), bytes("SwapPss")];
  if (Number.isNaN(pss)) return null;
  return { pss, private: (clean || 0) + (dirty || 0), swap: swap || 0 };
}
