import { z } from "zod";
import { ROLES } from "../../../base/access.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { writeFileAtomically } from "../../../files/replace-file.ts";
import { type FileLock, notPrivate, whileLocked } from "../../../http/auth/file-lock.ts";
import { identityOf, readRegularFile } from "../../../http/auth/read-regular-file.ts";

/** Larger than 256 tokens with all their patterns, bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

const STORED = z.object({
  name: z.string(),
  /** SHA-256 of the token, hex: the token has 256 random bits, so it cannot be guessed from a fast hash. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  role: z.enum(ROLES),
  on: z.array(z.string()).nullable(),
  /** Unix milliseconds. */
  created: z.number(),
  expires: z.number(),
  by: z.string(),
});
const FILE = z.object({ version: z.literal(1), tokens: z.array(STORED) });

export type StoredToken = z.infer<typeof STORED>;

interface TokenFileOptions {
  readonly path: string;
  readonly lock: FileLock;
  readonly warn: (msg: string) => void;
}

/**
 * The file of the access tokens, which managers with the same auth file share. It is checked on each use, and read again after each change.
 * A file that others could have written, or that is damaged, has no valid tokens, and is not changed.
 */
export class TokenFile {
  readonly #options: TokenFileOptions;
  #identity: string | null = null;
  #tokens: readonly StoredToken[] = [];
  #problem: string | null = null;

  constructor(options: TokenFileOptions) {
    this.#options = options;
  }

  /** The tokens, expired ones included; none while the file is refused. */
  read(): readonly StoredToken[] {
    const identity = identityOf(this.#options.path);
    if (identity !== null && identity === this.#identity) return this.#tokens;
    const before = this.#problem;
    this.#load();
    // A file that could not be read may become readable without having changed.
    this.#identity = this.#problem === null ? identity : null;
    if (this.#problem !== null && this.#problem !== before) this.#options.warn(`no access token is valid: ${this.#problem}`);
    return this.#tokens;
  }

  /** Replaces the tokens, while no other manager does. Rejects with `conflict` if the file is refused, and with what `change` throws. */
  async update(change: (tokens: readonly StoredToken[]) => readonly StoredToken[]): Promise<void> {
    const { path, lock } = this.#options;
    try {
      await whileLocked(path, lock, async () => {
        this.#load();
        if (this.#problem !== null) throw new MgrError("conflict", `The access tokens were not changed. ${this.#problem}`);
        await writeFileAtomically(path, `${JSON.stringify({ version: 1, tokens: change(this.#tokens) })}\n`);
      });
    } catch (error) {
      if (error instanceof MgrError) throw error;
      throw new MgrError("conflict", `The access tokens could not be saved in ${path}: ${messageOf(error)}.`, { cause: error });
    } finally {
      this.#identity = null;
    }
  }

  #load(): void {
    const { path } = this.#options;
    const file = readRegularFile(path, MAX_BYTES, notPrivate);
    this.#tokens = [];
    this.#problem = null;
    if (file.ok) {
      const { data } = FILE.safeParse(parseJson(file.content.toString()));
      if (data === undefined) this.#problem = `The file ${path} is damaged. Remove it to revoke all access tokens and begin anew.`;
      else this.#tokens = data.tokens;
    } else if (file.problem === "refused") {
      this.#problem = `The file ${path} is ${file.reason}. It must belong to the user of the manager and have mode 0600.`;
    } else if (file.problem !== "missing") this.#problem = `The file ${path} cannot be read: ${file.reason}.`;
  }
}
