import { z } from "zod";
import { MgrError, messageOf } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import { writeFileAtomically } from "../../files/replace-file.ts";
import { type FileLock, notPrivate, whileLocked } from "./file-lock.ts";
import { identityOf, readRegularFile } from "./read-regular-file.ts";

/** Larger than each of these files becomes by the limits of its entries, bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

export interface SharedFileOptions<Entry> {
  readonly path: string;
  /** Key of the list in the file. */
  readonly list: string;
  readonly entry: z.ZodType<Entry>;
  /** The entries in words: "access tokens". */
  readonly what: string;
  /** The result of removing a damaged file, as the end of a sentence. */
  readonly removal: string;
  readonly lock: FileLock;
  readonly warn: (msg: string) => void;
}

/**
 * A file of one list beside the auth file, which managers with the same auth file share. It is checked on each use, and read again after each change.
 * A file that others could have written, or that is damaged, has no valid entries, and is not changed.
 */
export class SharedFile<Entry> {
  readonly #options: SharedFileOptions<Entry>;
  readonly #schema: z.ZodType<{ [list: string]: unknown }>;
  #identity: string | null = null;
  #entries: readonly Entry[] = [];
  #problem: string | null = null;

  constructor(options: SharedFileOptions<Entry>) {
    this.#options = options;
    this.#schema = z.object({ version: z.literal(1), [options.list]: z.array(options.entry) });
  }

  /** The entries, expired ones included; none while the file is refused. */
  read(): readonly Entry[] {
    const { path, what, warn } = this.#options;
    const identity = identityOf(path);
    if (identity !== null && identity === this.#identity) return this.#entries;
    const before = this.#problem;
    this.#load();
    // A file that could not be read may become readable without having changed.
    this.#identity = this.#problem === null ? identity : null;
    if (this.#problem !== null && this.#problem !== before) warn(`the ${what} are not valid: ${this.#problem}`);
    return this.#entries;
  }

  /** Replaces the entries, while no other manager does. Rejects with `conflict` if the file is refused, and with what `change` throws. */
  async update(change: (entries: readonly Entry[]) => readonly Entry[]): Promise<void> {
    const { path, list, what, lock } = this.#options;
    try {
      await whileLocked(path, lock, async () => {
        this.#load();
        if (this.#problem !== null) throw new MgrError("conflict", `The ${what} were not changed. ${this.#problem}`);
        await writeFileAtomically(path, `${JSON.stringify({ version: 1, [list]: change(this.#entries) })}\n`);
      });
    } catch (error) {
      if (error instanceof MgrError) throw error;
      throw new MgrError("conflict", `The ${what} could not be saved in ${path}: ${messageOf(error)}.`, { cause: error });
    } finally {
      this.#identity = null;
    }
  }

  #load(): void {
    const { path, list, removal } = this.#options;
    const file = readRegularFile(path, MAX_BYTES, notPrivate);
    this.#entries = [];
    this.#problem = null;
    if (file.ok) {
      const { data } = this.#schema.safeParse(parseJson(file.content.toString()));
      if (data === undefined) this.#problem = `The file ${path} is damaged. Remove it ${removal}.`;
      else this.#entries = data[list] as Entry[];
    } else if (file.problem === "refused") {
      this.#problem = `The file ${path} is ${file.reason}. It must belong to the user of the manager and have mode 0600.`;
    } else if (file.problem !== "missing") this.#problem = `The file ${path} cannot be read: ${file.reason}.`;
  }
}
