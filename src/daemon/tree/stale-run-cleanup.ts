import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { z } from "zod";
import { killLeftovers } from "./guard.ts";
import { bootId, isAlive, startTimeOf } from "./proc.ts";
import { createReaper } from "./reaper.ts";

const life = z.object({
  stream_id: z.string(),
  boot_id: z.string(),
  cgroup: z.string().nullable().default(null),
  daemon: z.object({ pid: z.number(), start_time: z.string() }).nullable().default(null),
});
type Life = z.infer<typeof life>;

/**
 * The file in which a daemon leaves the marker of its runs, for its successor. Of a daemon that ended well there is
 * none. To be used under daemon.lock.
 */
export class StaleRunCleanup {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Kills what the daemon before us left; resolves with its stream_id when nothing is left, null if there was nothing to do.
   * `log` is told of what the first sweep has missed.
   */
  async end(log: (msg: string) => void): Promise<string | null> {
    const previous = this.read();
    if (previous === null || isStillAlive(previous)) return null;
    await killLeftovers(previous.stream_id, previous.cgroup);
    await killMarked(previous, log);
    return previous.stream_id;
  }

  /** Before the first run: from here on our successor knows what is ours. */
  begin(streamId: string, cgroup: string | null): void {
    const temporary = `${this.#path}.new`;
    rmSync(temporary, { force: true });
    const daemon = { pid: process.pid, start_time: startTimeOf(process.pid) ?? "" };
    const fd = openSync(temporary, "wx", 0o600);
    try {
      writeSync(fd, `${JSON.stringify({ stream_id: streamId, boot_id: bootId(), cgroup, daemon } satisfies Life)}\n`);
      fsyncSync(fd);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, this.#path);
  }

  /** After the last run is extinct. */
  close(): void {
    rmSync(this.#path, { force: true });
  }

  /** null: there is none, or of an earlier boot, which ended every process. */
  read(): Life | null {
    try {
      const found = life.parse(JSON.parse(readFileSync(this.#path, "utf8")));
      return found.boot_id === bootId() ? found : null;
    } catch {
      return null; // None, or none that could be read: its guard has done the work, or nobody can.
    }
  }
}

/** Kills what still runs of a daemon that has ended, and resolves when a complete look finds nothing more. */
export async function killMarked(previous: Life, log: (msg: string) => void): Promise<void> {
  if (isStillAlive(previous)) return;
  await createReaper({ subreaper: false, marker: previous.stream_id, log, since: 0 }).close();
}

/** As in a copy of the folder of a daemon that goes on. */
function isStillAlive({ daemon }: Life): boolean {
  return daemon !== null && isAlive(daemon.pid, daemon.start_time);
}
