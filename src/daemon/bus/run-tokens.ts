import { hash, randomBytes } from "node:crypto";
import { z } from "zod";
import { type BrokerPermissions, type BusMember, permissionsOf } from "../../bus/broker/permissions.ts";

/** Size of a token, bytes: 128 random bits. */
const TOKEN_BYTES = 16;
/** Number of tokens whose random bytes are requested together. */
const TOKENS_TOGETHER = 64;
/** User name of programs that read `bus.url`. */
const LOCAL_CLIENT = "@local";

/** The tokens of runs for the next program, by digest: the tokens themselves are in the environments of the runs. */
export const tokensState = z.array(z.object({ digest: z.string(), run_id: z.string(), process: z.string() }));

/** Credentials for the broker of a host: a token for each run, and one for local programs that read `bus.url`. */
export class RunTokens {
  /** Members by digest of their token: the time of a lookup does not reveal how much of a guess was right. */
  readonly #members = new Map<string, BusMember>();
  readonly #digests = new Map<string, string>();
  /** Tokens by run that have no digest yet: most programs never connect. */
  readonly #unused = new Map<string, { readonly token: string; readonly process: string }>();

  /** `local`: the token in `bus.url`. */
  constructor(local: string) {
    this.#members.set(digestOf(local), { kind: "client", name: LOCAL_CLIENT });
  }

  /** Creates a token for a run, valid until `revoke`. */
  grant(runId: string, process: string): string {
    this.revoke(runId);
    const token = newToken();
    this.#unused.set(runId, { token, process });
    return token;
  }

  handOver(): z.infer<typeof tokensState> {
    this.#digestAll();
    return [...this.#digests].map(([run_id, digest]) => ({ digest, run_id, process: this.#members.get(digest)?.name ?? "" }));
  }

  /** Continues the tokens of an earlier program. */
  adopt(tokens: z.infer<typeof tokensState>): void {
    for (const { digest, run_id, process } of tokens) this.#add(run_id, process, digest);
  }

  #add(runId: string, process: string, digest: string): void {
    this.#digests.set(runId, digest);
    this.#members.set(digest, { kind: "client", name: process, process, run_id: runId });
  }

  #digestAll(): void {
    for (const [runId, { token, process }] of this.#unused) this.#add(runId, process, digestOf(token));
    this.#unused.clear();
  }

  /** Returns false if the run has no token, or its token was never used. */
  revoke(runId: string): boolean {
    this.#unused.delete(runId);
    const digest = this.#digests.get(runId);
    if (digest === undefined) return false;
    this.#digests.delete(runId);
    return this.#members.delete(digest);
  }

  /** Permissions of the token's bearer; null: the token is not valid. */
  permissionsOf(token: string): BrokerPermissions | null {
    this.#digestAll();
    return this.permissionsOfKey(digestOf(token));
  }

  /** As `permissionsOf`, by the `key` of the permissions. */
  permissionsOfKey(digest: string): BrokerPermissions | null {
    const member = this.#members.get(digest);
    // Permissions are created when a program connects: most runs never do.
    return member === undefined ? null : { ...permissionsOf(member), key: digest, isValid: () => this.#members.has(digest) };
  }
}

/** Random bytes of the next tokens: a call for each token alone takes 30 µs in a burst of starts. */
let random = Buffer.alloc(0);

export function newToken(): string {
  if (random.length < TOKEN_BYTES) random = randomBytes(TOKENS_TOGETHER * TOKEN_BYTES);
  const token = random.toString("hex", 0, TOKEN_BYTES);
  random = random.subarray(TOKEN_BYTES);
  return token;
}

function digestOf(token: string): string {
  return hash("sha256", token, "base64");
}
