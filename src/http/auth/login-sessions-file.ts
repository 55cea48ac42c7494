import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import { setAside } from "../../files/damaged-file.ts";
import { writeFileAtomically } from "../../files/replace-file.ts";
import type { HttpLog } from "../log/http-log.ts";
import { type FileLock, notPrivate, whileLocked } from "./file-lock.ts";
import { identityOf, readRegularFile } from "./read-regular-file.ts";

const MAX_BYTES = 16 * 1024 * 1024;

const SESSION = z.object({
  /** SHA-256 of the token, hex. The token itself is only in the cookie. */
  id: z.string().regex(/^[0-9a-f]{64}$/),
  user: z.string(),
  /** Unix milliseconds. */
  created: z.number(),
  used: z.number(),
  /** Whether the browser has ever sent the cookie back. */
  presented: z.boolean(),
  /** Fingerprint of the secret of its user (the password, or its hash) when it was opened. */
  credential: z.string(),
  /** Unix milliseconds at which it ends at the latest, if that is before the limits of all sessions. */
  until: z.number().exactOptional(),
});
const FILE = z.object({ version: z.literal(1), sessions: z.array(SESSION) });

export type StoredLoginSession = z.infer<typeof SESSION>;

export interface LoginSessionsFileOptions {
  readonly path: string;
  readonly lock: FileLock;
  /** Returns the new content of the file, given its current content. */
  readonly merge: (stored: readonly StoredLoginSession[]) => readonly StoredLoginSession[];
  /** Called when the merged content is on disk. */
  readonly saved: (merged: readonly StoredLoginSession[]) => void;
  readonly log: HttpLog;
}

/** Pause after a failed write, ms. */
const RETRY_MS = 1_000;

/** The file in which managers with the same auth file keep their sessions: one write at a time, later changes go into the next one. */
export class LoginSessionsFile {
  readonly #options: LoginSessionsFileOptions;
  /** Identity of the file as last read or written; null: it was missing, or had changed just before. */
  #identity: string | null = null;
  #isDirty = false;
  #writing: Promise<void> | null = null;
  #failed = false;
  #retryAt = 0;

  constructor(options: LoginSessionsFileOptions) {
    this.#options = options;
  }

  /** Reads the sessions of an earlier manager. */
  readFirst(): StoredLoginSession[] {
    this.#identity = identityOf(this.#options.path);
    return this.#read() ?? [];
  }

  /** Reads the file if another process changed it, else returns null. */
  readIfChanged(): StoredLoginSession[] | null {
    // The last write failed: the disk was full, or descriptors ran out.
    if (this.#isDirty && performance.now() > this.#retryAt) this.save();
    const identity = identityOf(this.#options.path);
    if (identity !== null && identity === this.#identity) return null;
    const stored = this.#read();
    if (stored !== null) this.#identity = identity;
    return stored;
  }

  save(): void {
    this.#isDirty = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** Resolves once everything is on disk, or a write was attempted. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // Waits one turn, so that all changes of a turn go into one write.
    await Promise.resolve();
    while (this.#isDirty) {
      try {
        await this.#writeOnce();
        this.#failed = false;
      } catch (error) {
        if (!this.#failed) this.#options.log("warning", `cannot save sessions, so they end with this manager: ${messageOf(error)}`);
        this.#failed = true;
        this.#isDirty = true;
        this.#retryAt = performance.now() + RETRY_MS;
        return;
      }
    }
  }

  async #writeOnce(): Promise<void> {
    const { path, lock, merge, saved } = this.#options;
    await whileLocked(path, lock, async () => {
      this.#isDirty = false;
      const stored = this.#read();
      if (stored === null) throw new Error(`${path} cannot be read`);
      const merged = merge(stored);
      const text = `${JSON.stringify({ version: 1, sessions: merged })}\n`;
      await writeFileAtomically(path, text);
      this.#identity = identityOf(path);
      saved(merged);
    });
  }

  /**
   * Reads the file. One that is damaged, or that another user could have written, is set aside with a warning, and all users have to log in again.
   * Null: it could not be read this time.
   */
  #read(): StoredLoginSession[] | null {
    const { path, log } = this.#options;
    const file = readRegularFile(path, MAX_BYTES, notPrivate);
    if (!file.ok && file.problem === "missing") return [];
    if (!file.ok && file.problem === "unreadable") return null;
    try {
      if (!file.ok) throw new Error(file.reason);
      return FILE.parse(JSON.parse(file.content.toString())).sessions;
    } catch (error) {
      const reason = error instanceof z.ZodError || error instanceof SyntaxError ? "damaged" : messageOf(error);
      log("warning", `the sessions file ${path} is ${reason}: ${moveAway(path)}; all web users must log in again`);
      return [];
    }
  }
}

function moveAway(path: string): string {
  try {
    return `it was renamed to ${setAside(path)}`;
  } catch (error) {
    return `it could not be renamed (${messageOf(error)})`;
  }
}
