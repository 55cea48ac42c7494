import { createHash, randomBytes } from "node:crypto";
import { type BrokerPermissions, type BusMember, permissionsOf } from "../../bus/broker/permissions.ts";

/** Of a token, bytes: 128 random bits. */
const TOKEN_BYTES = 16;
/** User name of programs that read `bus.url`. */
const LOCAL_CLIENT = "@local";

/** Who may connect to the broker of a host: its runs, each with a token of its own, and local programs that read `bus.url`. */
export class RunTokens {
  /** By digest of the token: a lookup does not reveal by its time how much of a guess was right. */
  readonly #members = new Map<string, BusMember>();
  readonly #digests = new Map<string, string>();

  /** `local`: the token in `bus.url`. */
  constructor(local: string) {
    this.#members.set(digestOf(local), { kind: "client", name: LOCAL_CLIENT });
  }

  /** A new token, valid until `revoke`. */
  grant(runId: string, process: string): string {
    this.revoke(runId);
    const token = newToken();
    const digest = digestOf(token);
    this.#digests.set(runId, digest);
    this.#members.set(digest, { kind: "client", name: process, process, run_id: runId });
    return token;
  }

  /** False if the run has none. */
  revoke(runId: string): boolean {
    const digest = this.#digests.get(runId);
    if (digest === undefined) return false;
    this.#digests.delete(runId);
    return this.#members.delete(digest);
  }

  /** Permissions of the token's bearer; null: the token is not valid. */
  permissionsOf(token: string): BrokerPermissions | null {
    const digest = digestOf(token);
    const member = this.#members.get(digest);
    // Made when a program connects: most never do.
    return member === undefined ? null : { ...permissionsOf(member), isValid: () => this.#members.has(digest) };
  }
}

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("hex");
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
