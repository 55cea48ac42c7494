import { access, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull } from "../../base/errors.ts";
import { SerialQueue } from "../../base/serial-queue.ts";
import { writeFileAtomically } from "../../config/state/atomic-file.ts";

/** Small files of the state folder that are there, with this content, for as long as the manager runs. */
export class StateFiles {
  readonly dir: string;
  /** Of the files that were written. Changed within `#writes` only: `rewrite` must not take a file that is still to be written for a removed one. */
  readonly #contents = new Map<string, string>();
  /** One write at a time. */
  readonly #writes = new SerialQueue();

  constructor(dir: string) {
    this.dir = dir;
  }

  /** On a full disk it is overwritten in its place, and one that is not there yet waits for room: `rewrite` makes it. */
  write(name: string, content: string): Promise<void> {
    return this.#writes.run(() => {
      this.#contents.set(name, content);
      return write(this.path(name), content);
    });
  }

  remove(name: string): Promise<void> {
    return this.#writes.run(() => {
      this.#contents.delete(name);
      return rm(this.path(name), { force: true });
    });
  }

  /** Writes them again: all, or those that are not there. Resolves with their names. */
  rewrite(which: "all" | "missing"): Promise<string[]> {
    return this.#writes.run(async () => {
      const written: string[] = [];
      for (const [name, content] of this.#contents) {
        if (which === "missing" && (await isThere(this.path(name)))) continue;
        await writeFileAtomically(this.path(name), content);
        written.push(name);
      }
      return written;
    });
  }

  path(name: string): string {
    return join(this.dir, name);
  }
}

async function write(path: string, content: string): Promise<void> {
  try {
    await writeFileAtomically(path, content);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await writeInPlace(path, content).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT" && !isDiskFull(cause)) throw cause;
    });
  }
}

async function writeInPlace(path: string, content: string): Promise<void> {
  await using file = await open(path, "r+");
  const bytes = Buffer.from(content);
  await file.write(bytes, 0, bytes.length, 0);
  await file.truncate(bytes.length);
}

/** A file that cannot be looked at is not taken for missing. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
}
