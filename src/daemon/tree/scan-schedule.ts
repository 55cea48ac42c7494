import { untilBeat } from "../../base/timing/clock.ts";
import { newestPid } from "../proc/proc.ts";

/** Interval at which descendants are recorded between stops, milliseconds, and its maximum share of time: for those without marks. */
const SCAN_MS = 2_000;
const SCAN_SHARE = 1 / 1_000;
/** The same while no process is started on the machine: a program may still give up its marks by execve. */
const SCAN_QUIET_MS = 60_000;
const SCAN_QUIET_SHARE = 1 / 10_000;

/**
 * Decides when all processes are scanned between stops, to record descendants. A process that was started since the last scan may have been
 * missed by it, so one more scan follows. Then there is nothing new until the next start. `cost`: duration of a scan, milliseconds.
 */
export class ScanSchedule {
  /** Whether a run has ended since the last scan. */
  #hasRunEnded = false;
  #scannedAt = 0;
  /** The newest pid at the last check, and how often in a row it was the same. */
  #newestPid = "";
  #quietChecks = 0;

  runEnded(): void {
    this.#hasRunEnded = true;
  }

  /** Called at each full scan, whatever its reason. */
  scanned(): void {
    this.#hasRunEnded = false;
    this.#scannedAt = performance.now();
  }

  /** Whether a scan is due. */
  check(cost: number, hasRuns: boolean): boolean {
    const newest = newestPid();
    this.#quietChecks = newest === "" || newest !== this.#newestPid ? 0 : this.#quietChecks + 1;
    this.#newestPid = newest;
    const quietFor = Math.max(SCAN_QUIET_MS, cost / SCAN_QUIET_SHARE);
    const isDue = this.#quietChecks < 2 || performance.now() - this.#scannedAt > quietFor;
    return this.#hasRunEnded || (isDue && hasRuns);
  }

  /** Milliseconds until the next check. */
  static untilCheck(cost: number): number {
    return Math.max(untilBeat(SCAN_MS, performance.now()), cost / SCAN_SHARE);
  }
}
