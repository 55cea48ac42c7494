import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { z } from "zod";
import { killLeftovers } from "./guard.ts";
import { bootId } from "./proc.ts";

const life = z.object({ stream_id: z.string(), boot_id: z.string(), cgroup: z.string().nullable().default(null) });

/**
 * The file in which a daemon leaves the marker of its runs, for its successor. Of a daemon that ended well there is
 * none. To be used under daemon.lock.
 */
export class PreviousLife {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Kills what the daemon before us left; resolves with its stream_id when nothing is left, null if there was nothing to do. */
  async end(): Promise<string | null> {
    const previous = this.#read();
    // A boot ends every process, and its pids mean others now.
    if (previous === null || previous.boot_id !== bootId()) return null;
    await killLeftovers(previous.stream_id, previous.cgroup);
    return previous.stream_id;
  }

  /** Before the first run: from here on our successor knows what is ours. */
  begin(streamId: string, cgroup: string | null): void {
    const temporary = `${this.#path}.new`;
    rmSync(temporary, { force: true });
    const fd = openSync(temporary, "wx", 0o600);
    try {
      writeSync(fd, `${JSON.stringify({ stream_id: streamId, boot_id: bootId(), cgroup })}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, this.#path);
  }

  /** After the last run is extinct. */
  close(): void {
    rmSync(this.#path, { force: true });
  }

  #read(): z.infer<typeof life> | null {
    try {
      return life.parse(JSON.parse(readFileSync(this.#path, "utf8")));
    } catch {
      return null; // None, or none that could be read: its guard has done the work, or nobody can.
    }
  }
}
