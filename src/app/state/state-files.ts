import { constants } from "node:fs";
import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull, messageOf } from "../../base/errors.ts";
import { SerialQueue } from "../../base/timing/serial-queue.ts";
import { type JsonState, readJsonState } from "../../files/json-state-file.ts";
import { writeFileAtomically } from "../../files/replace-file.ts";
import { openStateFileAsync } from "../../files/state-file.ts";

/** A JSON file of the state folder: its content at the start of the manager. */
export interface JsonFile<T> {
  readonly content: T;
  /** Resolves when the new content is on disk, or could not be saved, which is logged. */
  save(content: T): Promise<void>;
}

/** Small files of the state folder that must exist, with this content, while the manager runs. */
export class StateFiles {
  readonly dir: string;
  /**
   * Content of the written files. Changed only within `#writes`, so that `rewrite` does not mistake a file whose first write is pending for a
   * removed one.
   */
  readonly #contents = new Map<string, string>();
  /** Runs one write at a time. */
  readonly #writes = new SerialQueue();

  constructor(dir: string) {
    this.dir = dir;
  }

  /** On a full disk, an existing file is overwritten in place; a missing one is created by a later `rewrite`. */
  write(name: string, content: string): Promise<void> {
    return this.#writes.run(() => {
      this.#contents.set(name, content);
      return write(this.path(name), content);
    });
  }

  /** `unsaved`: what it means if the file cannot be written, for the warning. */
  json<T>(name: string, { unsaved, ...state }: JsonState<T> & { unsaved: string }): JsonFile<T> {
    return {
      content: readJsonState(this.path(name), state),
      save: (content) =>
        this.write(name, `${JSON.stringify(content)}\n`).catch((error: unknown) => state.warn(`${unsaved}: ${messageOf(error)}`)),
    };
  }

  remove(name: string): Promise<void> {
    return this.#writes.run(() => {
      this.#contents.delete(name);
      return rm(this.path(name), { force: true });
    });
  }

  /** Writes all files again, or the missing ones. Resolves with their names. */
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
  await using file = await openStateFileAsync(path, constants.O_RDWR);
  const bytes = Buffer.from(content);
  await file.write(bytes, 0, bytes.length, 0);
  await file.truncate(bytes.length);
}

/** A file that cannot be accessed for another reason does not count as missing. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
}
