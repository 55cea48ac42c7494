import { randomBytes } from "node:crypto";
import { MgrError } from "../../../../base/errors.ts";
import type { Belonging, Followers } from "../../../../http/server/open-connections.ts";

/** Time in which a browser follows the address that it was given, ms. */
export const TICKET_MS = 30_000;
const MAX_TICKETS = 256;
const MAX_TICKETS_PER_USER = 16;
const TOKEN_BYTES = 32;

/** A login: its sender is known. */
export type Owner = Belonging & { readonly principal: NonNullable<Belonging["principal"]> };

/** A port under the Host header with which a browser opens it. */
export interface WebTarget {
  readonly name: string;
  /** Canonical name of the host. */
  readonly host: string;
  readonly port: number;
}

export interface Ticket {
  readonly owner: Owner;
  readonly target: WebTarget;
  /** Adds what ends with the login. Returns the function that forgets it. */
  readonly follow: (end: () => void) => () => void;
}

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

export const isSameTarget = (one: WebTarget, other: WebTarget): boolean =>
  one.name === other.name && one.host === other.host && one.port === other.port;

/** Tickets with which a logged-in page opens a port on its own host name. Each can be used once, until its login ends. */
export class Tickets {
  readonly #now: () => number;
  readonly #open = new Map<string, Ticket & { readonly until: number; readonly forget: () => void }>();

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws `busy`. */
  issue(owner: Owner, target: WebTarget, followers: Pick<Followers, "add">): string {
    this.expire();
    const ofUser = [...this.#open.values()].filter((each) => each.owner.principal.user === owner.principal.user);
    if (this.#open.size >= MAX_TICKETS || ofUser.length >= MAX_TICKETS_PER_USER)
      throw new MgrError("busy", "too many ports are being opened; try again in 30 s");
    const token = newToken();
    const follow = (end: () => void) => followers.add(owner, end);
    this.#open.set(token, { owner, target, follow, until: this.#now() + TICKET_MS, forget: follow(() => this.#end(token)) });
    return token;
  }

  /** Uses a ticket up; null: there is none for this target, or it has expired. */
  take(token: string, target: WebTarget): Ticket | null {
    this.expire();
    const ticket = this.#open.get(token);
    this.#end(token);
    return ticket !== undefined && isSameTarget(ticket.target, target) ? ticket : null;
  }

  expire(): void {
    for (const [token, { until }] of this.#open) if (this.#now() >= until) this.#end(token);
  }

  #end(token: string): void {
    this.#open.get(token)?.forget();
    this.#open.delete(token);
  }
}
