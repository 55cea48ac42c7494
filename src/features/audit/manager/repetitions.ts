import type { ObservedCommand } from "../../../base/command-observer.ts";
import type { Clock } from "../../../base/timing/clock.ts";

/** A user who logs in again from the same address within this time is not recorded again, milliseconds: scripts log in with each request. */
const SAME_LOGIN_MS = 10 * 60_000;
/** Recorded refusals of one user and command in a minute; the others are counted. */
const MAX_REFUSALS = 30;
const MINUTE_MS = 60_000;
/** Users and addresses that are remembered at most. */
const MAX_KNOWN = 1_000;

interface Refusals {
  readonly user: string;
  readonly command: string;
  count: number;
}

interface RepetitionsOptions {
  readonly clock: Clock;
  /** Called with the number of refusals of a minute that were not recorded one by one. */
  readonly omitted: (user: string, command: string, count: number) => void;
}

/** Keeps what a client repeats from pushing everything else out of the trail. */
export class Repetitions {
  readonly #options: RepetitionsOptions;
  readonly #logins = new Map<string, number>();
  readonly #refusals = new Map<string, Refusals>();
  #timer: unknown = null;

  constructor(options: RepetitionsOptions) {
    this.#options = options;
  }

  isNewLogin(command: ObservedCommand): boolean {
    const key = loginKey(command);
    const now = this.#options.clock.monotonic();
    const before = this.#logins.get(key);
    if (before !== undefined && now - before < SAME_LOGIN_MS) return false;
    this.#logins.delete(key);
    const [oldest] = this.#logins.keys();
    if (oldest !== undefined && this.#logins.size >= MAX_KNOWN) this.#logins.delete(oldest);
    this.#logins.set(key, now);
    return true;
  }

  /** The log-in was refused, because it could not be recorded. */
  forgetLogin(command: ObservedCommand): void {
    this.#logins.delete(loginKey(command));
  }

  mayRecordRefusal({ name, sender }: ObservedCommand): boolean {
    // Names of users who are not known are chosen by the client: they share one allowance for each address.
    const user = name === "log_in" ? sender.address.replace(/:\d+$/, "") : sender.user;
    const key = JSON.stringify([name, user]);
    const refusals = this.#refusals.get(key) ?? { user, command: name, count: 0 };
    if (!this.#refusals.has(key) && this.#refusals.size >= MAX_KNOWN) this.flush();
    this.#refusals.set(key, refusals);
    this.#timer ??= this.#options.clock.setTimeout(() => this.flush(), MINUTE_MS);
    return ++refusals.count <= MAX_REFUSALS;
  }

  /** Reports the refusals of the minute. */
  flush(): void {
    const { clock, omitted } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#timer = null;
    for (const { user, command, count } of this.#refusals.values()) if (count > MAX_REFUSALS) omitted(user, command, count - MAX_REFUSALS);
    this.#refusals.clear();
  }
}

/** User, program and address without its port. */
function loginKey({ sender, client }: ObservedCommand): string {
  return JSON.stringify([sender.user, sender.address.replace(/:\d+$/, ""), client]);
}
