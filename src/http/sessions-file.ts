import { renameSync } from "node:fs";
import { z } from "zod";
import { messageOf } from "../base/errors.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import type { HttpLog } from "./http-log.ts";
import { readRegularFile } from "./read-regular-file.ts";

const MAX_BYTES = 16 * 1024 * 1024;

const SESSION = z.object({
  /** SHA-256 of the token, hex. The token itself is nowhere but in the cookie. */
  id: z.string().regex(/^[0-9a-f]{64}$/),
  user: z.string(),
  /** Unix milliseconds. */
  created: z.number(),
  used: z.number(),
  /** Whether the cookie ever came back. */
  presented: z.boolean(),
  /** Fingerprint of the password (or hash) that opened it. */
  credential: z.string(),
});
const FILE = z.object({ version: z.literal(1), sessions: z.array(SESSION) });

export type StoredSession = z.infer<typeof SESSION>;

/**
 * The sessions of an earlier manager. A file that is damaged, or that somebody else could have written, is set aside
 * with a warning, and everybody logs in again.
 */
export function readSessions(path: string, log: HttpLog): StoredSession[] {
  const file = readRegularFile(path, MAX_BYTES, (stats) => {
    if ((stats.mode & 0o077n) !== 0n) return "readable or writable by group or others";
    return stats.uid === BigInt(process.geteuid?.() ?? 0) ? null : "owned by another user";
  });
  if (!file.ok && file.problem === "missing") return [];
  try {
    if (!file.ok) throw new Error(file.reason);
    return FILE.parse(JSON.parse(file.content.toString())).sessions;
  } catch (error) {
    const aside = `${path}.damaged`;
    const reason = error instanceof z.ZodError || error instanceof SyntaxError ? "damaged" : messageOf(error);
    log("warning", `the sessions file ${path} is ${reason}: ${setAside(path, aside)}; all web users have to log in again`);
    return [];
  }
}

function setAside(path: string, aside: string): string {
  try {
    renameSync(path, aside);
    return `it is kept as ${aside}`;
  } catch (error) {
    return `it could not be set aside (${messageOf(error)})`;
  }
}

/** Writes the newest sessions, one write at a time; changes meanwhile go into the next one. */
export class SessionsFile {
  readonly #path: string;
  readonly #log: HttpLog;
  readonly #current: () => StoredSession[];
  #isDirty = false;
  #writing: Promise<void> | null = null;
  #failed = false;

  constructor(path: string, current: () => StoredSession[], log: HttpLog) {
    this.#path = path;
    this.#current = current;
    this.#log = log;
  }

  save(): void {
    this.#isDirty = true;
    this.#writing ??= this.#write();
  }

  /** Resolves once everything is on disk, or was tried. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // A turn later: what one turn changes is one write.
    await Promise.resolve();
    while (this.#isDirty) {
      this.#isDirty = false;
      try {
        await writeFileAtomically(this.#path, `${JSON.stringify({ version: 1, sessions: this.#current() })}\n`);
        this.#failed = false;
      } catch (error) {
        if (!this.#failed) this.#log("warning", `sessions cannot be saved, so they end with this manager: ${messageOf(error)}`);
        this.#failed = true;
      }
    }
    this.#writing = null;
  }
}
