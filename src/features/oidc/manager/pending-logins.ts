import { timingSafeEqual } from "node:crypto";

/** Time in which a login at the provider has to be completed, ms. */
export const PENDING_MS = 10 * 60_000;
/** Maximum number of logins that are pending: of one address, and in total. The oldest is dropped first. */
const MAX_PER_ADDRESS = 32;
export const MAX_PENDING = 1_024;

interface Pending<Login> {
  readonly login: Login;
  /** Known to the browser that began the login, and to no other. */
  readonly binding: string;
  readonly address: string;
  readonly until: number;
}

/** Logins that were begun and are not completed yet, by their `state`. Each is completed once, by the browser that began it. */
export class PendingLogins<Login> {
  /** Oldest first. */
  readonly #pending = new Map<string, Pending<Login>>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** `address`: the unit in which logins are counted. */
  add(state: string, { binding, address, login }: Omit<Pending<Login>, "until">): void {
    const now = this.#monotonic();
    for (const [key, { until }] of this.#pending) if (until <= now) this.#pending.delete(key);
    const own = [...this.#pending].filter(([, pending]) => pending.address === address);
    const dropped =
      own.length >= MAX_PER_ADDRESS ? own[0]?.[0] : this.#pending.size >= MAX_PENDING ? this.#pending.keys().next().value : null;
    if (typeof dropped === "string") this.#pending.delete(dropped);
    this.#pending.set(state, { binding, address, login, until: now + PENDING_MS });
  }

  /** Removes the login of `state` and returns it; null: there is none, it took too long, or another browser began it. */
  take(state: string, binding: string): Login | null {
    const pending = this.#pending.get(state);
    if (pending === undefined || !isEqual(pending.binding, binding)) return null;
    this.#pending.delete(state);
    return this.#monotonic() < pending.until ? pending.login : null;
  }
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
