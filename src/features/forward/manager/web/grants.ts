import { isDeepStrictEqual } from "node:util";
import { MgrError } from "../../../../base/errors.ts";
import type { ManagerForwards } from "../manager-forwards.ts";
import type { OpenForward } from "../open-forward.ts";
import { isSameTarget, newToken, type Owner, type Ticket, type WebTarget } from "./tickets.ts";

/** Time without a connection after which a port is closed, ms. */
const IDLE_MS = 3_600_000;
/** Maximum time for which a port is open, ms: a login may end in files that another manager has written, long after its last use here. */
const LIFETIME_MS = 24 * 3_600_000;

/** A port that a browser has opened. */
export interface Grant {
  readonly token: string;
  readonly owner: Owner;
  readonly target: WebTarget;
  readonly forward: OpenForward;
  /** Monotonic milliseconds. */
  readonly opened: number;
  used: number;
  /** Whether the program has asked for a user and password (HTTP Basic). */
  wantsBasic: boolean;
}

/** The ports that browsers have opened. Each is a forward, which ends with the login. */
export class Grants {
  readonly #forwards: Pick<ManagerForwards, "open">;
  readonly #now: () => number;
  readonly #open = new Map<string, Grant>();

  /** `now`: monotonic milliseconds. */
  constructor(forwards: Pick<ManagerForwards, "open">, now: () => number) {
    this.#forwards = forwards;
    this.#now = now;
  }

  /** Opens the port of a ticket, or finds it open for the same login. Rejects as `ManagerForwards.open` does, and with `conflict`. */
  async open({ owner, target, follow }: Ticket): Promise<Grant> {
    this.expire();
    const same = [...this.#open.values()].find(
      (each) => isSameTarget(each.target, target) && each.owner.sessionId === owner.sessionId && isSameUser(each.owner, owner),
    );
    if (same !== undefined) return this.#use(same);
    const token = newToken();
    let isOver = false;
    let close = () => {
      isOver = true;
    };
    const forget = follow(() => close());
    const { host, port } = target;
    const forward = await this.#forwards
      .open(owner.principal, { host, port }, () => {
        this.#open.delete(token);
        forget();
      })
      .catch((error: unknown) => {
        forget();
        throw error;
      });
    close = () => forward.close("the login or the manager has ended");
    if (isOver) {
      close();
      throw new MgrError("conflict", "the login or the manager has ended");
    }
    const grant: Grant = { token, owner, target, forward, opened: this.#now(), used: this.#now(), wantsBasic: false };
    this.#open.set(token, grant);
    return grant;
  }

  /** The port that one of the tokens has opened; null: none has. */
  find(tokens: readonly string[], target: WebTarget): Grant | null {
    this.expire();
    for (const token of tokens) {
      const grant = this.#open.get(token);
      if (grant !== undefined && isSameTarget(grant.target, target)) return this.#use(grant);
    }
    return null;
  }

  /** Closes ports that were not used for a while. */
  expire(): void {
    const now = this.#now();
    for (const { forward, used, opened } of this.#open.values()) {
      if (now - opened >= LIFETIME_MS) forward.close("it was open for a day; open it again from the page");
      else if (forward.size === 0 && now - used >= IDLE_MS) forward.close("it was not used for an hour");
    }
  }

  #use(grant: Grant): Grant {
    grant.used = this.#now();
    return grant;
  }
}

/** A user with other roles gets another grant. */
function isSameUser({ principal: one }: Owner, { principal: other }: Owner): boolean {
  return one.user === other.user && isDeepStrictEqual(one.grants, other.grants);
}
