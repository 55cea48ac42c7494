import type { ClientSubscription } from "../broker-subscriber.ts";

/** Approximate memory of a subscription besides its texts, bytes (bench/subscriptions.ts: 850 bytes in all for a short subject). */
const SUBSCRIPTION_BYTES = 768;

/** Cost of a subscription, bytes. */
export function costOf({ subject, queue, sid, isRemote }: ClientSubscription): number {
  // A link's interest costs no more than the subscription behind it, so that what fits at one end fits at the other.
  return SUBSCRIPTION_BYTES + subject.length + (queue?.length ?? 0) + (isRemote ? 0 : sid.length);
}

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/** A connection or link that holds subscriptions. */
export interface SubscriptionHolder {
  /** Returns the holder's subscriptions, oldest first. */
  held(): Iterable<ClientSubscription>;
}

interface Share {
  count: number;
  bytes: number;
  readonly holders: Set<SubscriptionHolder>;
  /** Subscriptions, oldest first, with some that have ended; null: not needed so far. */
  newest: ClientSubscription[] | null;
}

interface SubscriptionBudgetOptions {
  readonly total: Amount;
  readonly share: Amount;
  /** Name of the owner of a share, for messages: "one program". */
  readonly owner: string;
  /** Name of all owners together: "this broker's clients". */
  readonly owners: string;
}

/**
 * The subscriptions of many owners together. An owner may be several connections. If all of them together have too many, the newest
 * subscription of the owner that has most is ended.
 */
export class SubscriptionBudget {
  readonly #options: SubscriptionBudgetOptions;
  readonly #shares = new Map<string, Share>();
  #count = 0;
  #bytes = 0;

  constructor(options: SubscriptionBudgetOptions) {
    this.#options = options;
  }

  /** Counts a subscription that the holder is about to hold; returns a reason if it must not. */
  claim(owner: string, holder: SubscriptionHolder, subscription: ClientSubscription): string | null {
    const { total, share: limit } = this.#options;
    const share = this.#shares.get(owner) ?? { count: 0, bytes: 0, holders: new Set(), newest: null };
    const bytes = costOf(subscription);
    const refusal = overLimit(limit, { count: share.count + 1, bytes: share.bytes + bytes }, this.#options.owner);
    if (refusal !== null) return refusal;
    for (;;) {
      const reason = overLimit(total, { count: this.#count + 1, bytes: this.#bytes + bytes }, this.#options.owners);
      if (reason === null) break;
      const greediest = this.#greediest();
      const isOwn = greediest === null || this.#used(greediest) <= this.#used({ count: share.count + 1, bytes: share.bytes + bytes });
      if (isOwn || !evictNewest(greediest, reason)) return reason;
    }
    share.holders.add(holder);
    share.newest?.push(subscription);
    this.#shares.set(owner, share);
    this.#add(share, 1, bytes);
    return null;
  }

  /** Called when a counted subscription has ended. */
  release(owner: string, subscription: ClientSubscription): void {
    const share = this.#shares.get(owner);
    if (share === undefined) return;
    this.#add(share, -1, -costOf(subscription));
    if (share.count === 0) this.#shares.delete(owner);
  }

  /** Called when the holder is closed and holds nothing any more. */
  closed(owner: string, holder: SubscriptionHolder): void {
    this.#shares.get(owner)?.holders.delete(holder);
  }

  #add(share: Share, count: number, bytes: number): void {
    share.count += count;
    share.bytes += bytes;
    this.#count += count;
    this.#bytes += bytes;
  }

  #greediest(): Share | null {
    let most: Share | null = null;
    for (const share of this.#shares.values()) if (most === null || this.#used(share) > this.#used(most)) most = share;
    return most;
  }

  #used({ count, bytes }: Amount): number {
    const { total } = this.#options;
    return Math.max(count / total.count, bytes / total.bytes);
  }
}

/** Ends the newest subscription of a share; false: it has none. */
function evictNewest(share: Share, reason: string): boolean {
  // Ended subscriptions are not removed from the list; it is created again before they are too many.
  if (share.newest === null || share.newest.length > 2 * share.count) share.newest = [...share.holders].flatMap((each) => [...each.held()]);
  for (let newest = share.newest.pop(); newest !== undefined; newest = share.newest.pop()) {
    if (newest.isEnded) continue;
    newest.client.evict?.(newest, reason);
    return true;
  }
  return false;
}

/** Reason why `wanted` is too much, or null. */
export function overLimit(limit: Amount, wanted: Amount, owner: string): string | null {
  if (wanted.count > limit.count) return `${owner} may have at most ${limit.count} subscriptions`;
  return wanted.bytes > limit.bytes ? `the subscriptions of ${owner} may take at most ${limit.bytes} bytes` : null;
}
