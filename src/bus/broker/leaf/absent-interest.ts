import { TOPIC_PREFIX } from "../../../base/topics/topic-subject.ts";
import type { Subscribed } from "../subscriptions/bucket.ts";
import { type InterestTable, interestKey } from "./interest-table.ts";
import type { LinkAccount } from "./link-account.ts";

/** Time for which the interest of a leaf without a connection stays announced, milliseconds. */
const MAX_ABSENT_MS = 600_000;

/**
 * The topics that leaves without a connection have subscribed to. They stay announced to the other brokers, so that messages come here and
 * are counted as missed. Other subjects do not stay announced: requests to a host without a connection fail at once.
 */
export class AbsentInterest {
  readonly #interest: InterestTable;
  readonly #held = new Map<LinkAccount, { readonly subscriptions: readonly Subscribed[]; readonly timer: NodeJS.Timeout }>();

  constructor(interest: InterestTable) {
    this.#interest = interest;
  }

  /** Called before the link removes its own interest. */
  hold(account: LinkAccount, wanted: Iterable<Subscribed>): void {
    this.release(account);
    const subscriptions = [...wanted].filter(({ subject, queue }) => queue === null && subject.startsWith(TOPIC_PREFIX));
    if (subscriptions.length === 0) return;
    const timer = setTimeout(() => this.release(account), MAX_ABSENT_MS).unref();
    this.#held.set(account, { subscriptions, timer });
    account.held = new Set(subscriptions.map(({ subject }) => interestKey(subject, null)));
    for (const subscription of subscriptions) this.#interest.change(subscription, 1);
  }

  /** Withdraws held interest: the leaf has announced its interest again, or is forgotten. */
  release(account: LinkAccount): void {
    const held = this.#held.get(account);
    if (held === undefined) return;
    clearTimeout(held.timer);
    this.#held.delete(account);
    account.held = new Set();
    for (const subscription of held.subscriptions) this.#interest.change(subscription, -1);
  }

  close(): void {
    for (const { timer } of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
  }
}
