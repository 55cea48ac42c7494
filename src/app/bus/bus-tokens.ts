import { createHash, timingSafeEqual } from "node:crypto";
import { type BrokerPermissions, permissionsOf } from "../../bus/broker/permissions.ts";
import type { HostSetting } from "../../config/hosts.ts";
import { hostOfConnection } from "../../contract/subjects.ts";
import { identityOf, readRegularFile } from "../../http/auth/read-regular-file.ts";

/** Shorter tokens can be guessed; other characters do not fit into an HTTP header. */
const HOST_TOKEN = /^[A-Za-z0-9+/._~=-]{20,1000}$/;
const MAX_BYTES = 4_096;
/** Time for which the content of a token file stays cached without checking the file, milliseconds. */
const FRESH_MS = 500;

export interface BusTokensOptions {
  readonly hosts: () => ReadonlyMap<string, HostSetting>;
  /** Whether the manager still manages this host, which the configuration may no longer name. */
  readonly isManaged: (host: string) => boolean;
  /** Reports a token file that cannot be used, when a client presents a token. */
  readonly warn: (msg: string) => void;
  readonly onRefused?: ((daemon: RefusedDaemon) => void) | undefined;
}

/** A daemon that connected with the token of another host. */
export interface RefusedDaemon {
  /** The host that it names. */
  readonly claimed: string;
  /** The host that the token belongs to. */
  readonly owner: string;
  /** `<ip>:<port>` of the daemon. */
  readonly address: string;
}

/** Maps tokens of hosts to permissions. A host's token is in a file that the configuration names, read when needed. */
export class BusTokens {
  readonly #options: BusTokensOptions;
  /** Digests of the tokens of hosts as of the last reload; null: no token. */
  readonly #accepted = new Map<string, string | null>();
  /** Digests of recently read tokens, by path. */
  readonly #known = new Map<string, { at: number; identity: string | null; digest: Buffer | null }>();

  constructor(options: BusTokensOptions) {
    this.#options = options;
  }

  /** Permissions of the token's bearer; null: the token is not valid. */
  permissionsOf(token: string): BrokerPermissions | null {
    const digest = digestOf(token);
    for (const name of this.#options.hosts().keys()) {
      if (!this.#isTokenOf(name, digest)) continue;
      // A host that was removed from the configuration is kept while a process on it still has to be stopped.
      const isValid = () => (this.#options.hosts().has(name) ? this.#isTokenOf(name, digest) : this.#options.isManaged(name));
      return { ...permissionsOf({ kind: "host", name }), isValid, refusalOf: (client, address) => this.#refusal(name, client, address) };
    }
    return null;
  }

  /** Accepts the current tokens; returns the hosts whose token differs from the one that was accepted before. */
  renew(): string[] {
    const changed = this.changed();
    for (const name of this.#options.hosts().keys()) this.#accepted.set(name, this.#digest(name));
    return changed;
  }

  /** Returns the same hosts as `renew`, but accepts nothing. */
  changed(): string[] {
    return [...this.#options.hosts().keys()].filter((name) => {
      const accepted = this.#accepted.get(name);
      return accepted !== undefined && this.#digest(name) !== accepted;
    });
  }

  #refusal(owner: string, client: string, address: string): string | null {
    const claimed = hostOfConnection(client);
    if (claimed === null || claimed === owner) return null;
    this.#options.onRefused?.({ claimed, owner, address });
    return `this token belongs to ${owner}`;
  }

  #digest(host: string): string | null {
    const path = this.#options.hosts().get(host)?.token_file ?? null;
    return path === null ? null : (this.#readAgain(host, path)?.toString("hex") ?? null);
  }

  #isTokenOf(host: string, digest: Buffer): boolean {
    const path = this.#options.hosts().get(host)?.token_file ?? null;
    const known = path === null ? null : this.#read(host, path);
    return known !== null && timingSafeEqual(digest, known);
  }

  /** Reads the cached digest: each of many connections is checked against the token files of all hosts. */
  #read(host: string, path: string): Buffer | null {
    const now = performance.now();
    const known = this.#known.get(path);
    if (known !== undefined && now - known.at < FRESH_MS) return known.digest;
    // The identity is read before the content, so that a file that changes in between is read again the next time.
    const identity = identityOf(path);
    const isSame = known !== undefined && identity !== null && identity === known.identity && known.digest !== null;
    const digest = isSame ? known.digest : this.#readAgain(host, path);
    this.#known.set(path, { at: now, identity, digest });
    return digest;
  }

  #readAgain(host: string, path: string): Buffer | null {
    const file = readRegularFile(path, MAX_BYTES, ({ mode }) => ((mode & 0o004n) === 0n ? null : "all users can read it; run: chmod 600"));
    const problem = file.ok ? null : `${file.problem.replaceAll("_", " ")}: ${file.reason}`;
    const text = file.ok ? file.content.toString("latin1").trim() : "";
    if (problem === null && HOST_TOKEN.test(text)) return digestOf(text);
    const why = problem ?? "it must contain one token of 20 characters or more A-Z a-z 0-9 + / . _ ~ = -";
    this.#options.warn(`the token of host '${host}' cannot be read from ${path}: ${why}`);
    return null;
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
