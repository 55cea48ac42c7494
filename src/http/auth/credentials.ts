import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { AuthEntry } from "./auth-entries.ts";
import { matchesPasswordHash, type PasswordHash } from "./password-hash.ts";

/**
 * 200 scrypt calls at once stall the thread pool for 3.4 s (docs/design/library-defects.md, "HTTP, TLS and WebSocket"): two run, some wait,
 * and the rest are refused.
 */
const MAX_RUNNING = 2;
const MAX_WAITING = 32;

/** Checks passwords. Takes the same time whether a user is unknown or the password wrong. */
export class Credentials {
  /** Key of this run of the manager, so that the digests are useless elsewhere. */
  readonly #key = randomBytes(32);
  /** user → digest of the password and hash that matched last. */
  readonly #known = new Map<string, Buffer>();
  readonly #inFlight = new Map<string, Promise<boolean>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** The user's entry if the password is right, null if not, "busy" if too many checks are waiting. */
  async check(entries: readonly AuthEntry[], user: string, password: string): Promise<AuthEntry | null | "busy"> {
    const entry = entries.find((candidate) => candidate.user === user);
    if (entry?.hash) return this.#checkHash(entry, entry.hash, password);
    const isRight = timingSafeEqual(this.#digest(password), this.#digest(entry?.secret ?? "")) && entry !== undefined;
    if (isRight) return entry;
    const dummy = entries.find(({ hash }) => hash !== null)?.hash;
    if (dummy && (await this.#run(dummy, password)) === "busy") return "busy";
    return null;
  }

  async #checkHash(entry: AuthEntry, hash: PasswordHash, password: string): Promise<AuthEntry | null | "busy"> {
    const digest = this.#digest(entry.user, entry.secret, password);
    const known = this.#known.get(entry.user);
    if (known && timingSafeEqual(known, digest)) return entry;
    const id = digest.toString("base64");
    // A page that loads twenty files at once causes one check.
    const shared = this.#inFlight.get(id);
    const check = shared ?? this.#run(hash, password);
    if (check === "busy") return "busy";
    if (!shared) {
      this.#inFlight.set(id, check);
      const forget = () => this.#inFlight.delete(id);
      check.then(forget, forget);
    }
    if (!(await check)) return null;
    this.#known.set(entry.user, digest);
    return entry;
  }

  #run(hash: PasswordHash, password: string): Promise<boolean> | "busy" {
    if (this.#waiting.length >= MAX_WAITING) return "busy";
    return this.#inTurn(() => matchesPasswordHash(hash, password));
  }

  async #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    if (this.#running >= MAX_RUNNING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #digest(...parts: string[]): Buffer {
    const hmac = createHmac("sha256", this.#key);
    for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:${part}`);
    return hmac.digest();
  }
}
