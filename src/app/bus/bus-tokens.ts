import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { type BrokerPermissions, permissionsOf } from "../../bus/broker/permissions.ts";
import type { HostSetting } from "../../config/hosts.ts";
import { readRegularFile } from "../../http/auth/read-regular-file.ts";

/** Shorter ones can be guessed; others do not fit into a header of HTTP. */
const HOST_TOKEN = /^[A-Za-z0-9+/._~=-]{20,1000}$/;
const MAX_BYTES = 4_096;
/** What was read of a token file counts for so long, milliseconds. */
const FRESH_MS = 500;

export interface BusTokensOptions {
  /** Of this instance, and of nobody else. */
  readonly secret: Buffer;
  readonly hosts: () => ReadonlyMap<string, HostSetting>;
  /** Whether the manager still has to do with a host that the configuration may not name any more. */
  readonly isLed: (host: string) => boolean;
  /** A token file that cannot be used; told when somebody comes with a token. */
  readonly warn: (msg: string) => void;
}

/**
 * Who comes with which token. Those of clients are signed names, so that they hold for as long as the instance does and
 * nothing has to be remembered; those of hosts stand in files that the configuration names, read when they are needed.
 */
export class BusTokens {
  readonly #options: BusTokensOptions;
  /** What was read a moment ago, by path. */
  readonly #known = new Map<string, { at: number; token: string | null }>();

  constructor(options: BusTokensOptions) {
    this.#options = options;
  }

  clientToken(name: string): string {
    return `${Buffer.from(name).toString("base64url")}.${this.#sign(name)}`;
  }

  /** What its bearer may do; null: it is nobody's. */
  permissionsOf(token: string): BrokerPermissions | null {
    const client = this.#clientOf(token);
    if (client !== null) return permissionsOf({ kind: "client", name: client });
    for (const name of this.#options.hosts().keys()) {
      if (!this.#isTokenOf(name, token)) continue;
      // A host that was taken out of the configuration stays for as long as something that runs there has to be stopped.
      const isValid = () => (this.#options.hosts().has(name) ? this.#isTokenOf(name, token) : this.#options.isLed(name));
      return { ...permissionsOf({ kind: "host", name }), isValid };
    }
    return null;
  }

  #clientOf(token: string): string | null {
    const dot = token.indexOf(".");
    if (dot < 0) return null;
    const name = Buffer.from(token.slice(0, dot), "base64url").toString();
    return isEqual(token.slice(dot + 1), this.#sign(name)) ? name : null;
  }

  #isTokenOf(host: string, token: string): boolean {
    const path = this.#options.hosts().get(host)?.token_file ?? null;
    const known = path === null ? null : this.#read(host, path);
    return known !== null && isEqual(token, known);
  }

  /** Each of many connections is looked at against all of the hosts' files. */
  #read(host: string, path: string): string | null {
    const now = performance.now();
    const known = this.#known.get(path);
    if (known !== undefined && now - known.at < FRESH_MS) return known.token;
    const token = this.#readAgain(host, path);
    this.#known.set(path, { at: now, token });
    return token;
  }

  #readAgain(host: string, path: string): string | null {
    const file = readRegularFile(path, MAX_BYTES, ({ mode }) =>
      (mode & 0o004n) === 0n ? null : "everybody can read it; close it with chmod 600",
    );
    const problem = file.ok ? null : `${file.problem.replaceAll("_", " ")}: ${file.reason}`;
    const text = file.ok ? file.content.toString("latin1").trim() : "";
    if (problem === null && HOST_TOKEN.test(text)) return text;
    const why = problem ?? "it has to hold one token of 20 characters or more A-Z a-z 0-9 + / . _ ~ = -";
    this.#options.warn(`the token of host '${host}' cannot be read from ${path}: ${why}`);
    return null;
  }

  #sign(name: string): string {
    return createHmac("sha256", this.#options.secret).update(`client:${name}`).digest("base64url");
  }
}

function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
