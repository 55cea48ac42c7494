import { rmSync } from "node:fs";
import { z } from "zod";
import { replaceFileSync } from "../../files/replace-file.ts";
import { readStateText, type StateFileOptions } from "../../files/state-file.ts";
import { bootId, isAlive, startTimeOf } from "../proc/proc.ts";
import { killLeftovers } from "./guard.ts";
import { createReaper } from "./reaper.ts";

const life = z.object({
  stream_id: z.string(),
  boot_id: z.string(),
  cgroup: z.string().nullable(),
  daemon: z.object({ pid: z.number(), start_time: z.string() }).nullable(),
});
type Life = z.infer<typeof life>;

/**
 * The file in which a daemon records the marker of its runs for its successor. A daemon that ended properly leaves none. Use only while
 * holding daemon.lock.
 */
export class StaleRunCleanup {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Kills the processes of the previous daemon; resolves with its stream_id when none is left, null if there was nothing to do. `log`
   * receives messages about processes that the first sweep has missed.
   */
  async end(log: (msg: string) => void): Promise<string | null> {
    const previous = this.read();
    if (previous === null || isStillAlive(previous)) return null;
    await killLeftovers(previous.stream_id, previous.cgroup);
    await killMarked(previous, log);
    return previous.stream_id;
  }

  /** Writes the file before the first run: from then on a successor can identify the runs. */
  begin(streamId: string, cgroup: string | null): void {
    const daemon = { pid: process.pid, start_time: startTimeOf(process.pid) ?? "" };
    const own = { stream_id: streamId, boot_id: bootId(), cgroup, daemon } satisfies Life;
    replaceFileSync(this.#path, `${JSON.stringify(own)}\n`, { isDurable: true });
  }

  /** Removes the file after the last run is extinct. */
  close(): void {
    rmSync(this.#path, { force: true });
  }

  /** End of the previous daemon; null: it ended properly, or is still alive. Call before `begin`. */
  lastEnd(): "killed" | "restarted" | null {
    const found = this.#readAny();
    if (found === null || isStillAlive(found)) return null;
    return found.boot_id === bootId() ? "killed" : "restarted";
  }

  /**
   * Reads the file; null: there is none, or it is of an earlier boot, which ended every process. Throws for a file that another user may
   * have written.
   */
  read(options: StateFileOptions = {}): Life | null {
    const found = this.#readAny(options);
    return found?.boot_id === bootId() ? found : null;
  }

  #readAny(options: StateFileOptions = {}): Life | null {
    const text = readStateText(this.#path, options);
    try {
      return life.parse(JSON.parse(text ?? ""));
    } catch {
      return null; // No file, or an unreadable one: its guard has killed the processes, or they cannot be identified.
    }
  }
}

/** Kills the remaining processes of a daemon that has ended, and resolves when a complete scan finds none. */
export async function killMarked(previous: Life, log: (msg: string) => void): Promise<void> {
  if (isStillAlive(previous)) return;
  await createReaper({ subreaper: false, marker: previous.stream_id, log, since: 0 }).close();
}

/** Whether the daemon is still alive: for example, in a copy of the folder of a running daemon. */
function isStillAlive({ daemon }: Life): boolean {
  return daemon !== null && isAlive(daemon.pid, daemon.start_time);
}
