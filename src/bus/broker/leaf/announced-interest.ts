import { hasWildcard } from "../broker-subscriptions.ts";
import type { BrokerRouter } from "../routing/broker-router.ts";
import { FoldedInterest } from "./folded-interest.ts";
import { type Interest, type InterestListener, type InterestTable, interestKey } from "./interest-table.ts";
import { disinterestLine, interestLine, LOOP_PREFIX } from "./leaf-protocol.ts";
import { isInbox, isLoopSubject, mayWant } from "./link-filter.ts";

interface AnnouncedInterestOptions {
  /** Role of the other side. */
  readonly peer: "hub" | "leaf";
  readonly interest: InterestTable;
  readonly router: BrokerRouter;
  readonly loopId: string;
  /** Whether the other side itself is one of those that are interested. */
  readonly isFromPeer: (key: string) => boolean;
  /** Whether an interest of the other side is still held for it since its connection was lost (`LinkAccount.held`). */
  readonly isHeld: (key: string) => boolean;
  readonly send: (line: string) => void;
}

/** The interest of this broker that one link has announced to the other side: each subject and queue group once. */
export class AnnouncedInterest implements InterestListener {
  readonly #options: AnnouncedInterestOptions;
  /** Number of members of each announced interest. */
  readonly #announced = new Map<string, number>();
  /** Interests that an announced wildcard covers. */
  readonly #folded = new FoldedInterest();
  #stopListening: (() => void) | null = null;

  constructor(options: AnnouncedInterestOptions) {
    this.#options = options;
  }

  /** Number of distinct interests. */
  get size(): number {
    return this.#announced.size;
  }

  /** Announces the present interest, and its changes from now on. */
  begin(): void {
    const { interest, loopId, send } = this.#options;
    send(interestLine(LOOP_PREFIX + loopId, null, 1));
    // Wildcards first, so that they cover as much as they can.
    for (const [key, entry] of interest.entries()) if (hasWildcard(entry.subject)) this.interestChanged(key, entry);
    for (const [key, entry] of interest.entries()) if (!hasWildcard(entry.subject)) this.interestChanged(key, entry);
    this.#stopListening = interest.listen(this);
  }

  /** Announces no more changes. */
  end(): void {
    this.#stopListening?.();
  }

  interestChanged(key: string, { subject, queue, count }: Interest): void {
    const others = this.#othersOf(key, { count });
    const announced = this.#announced.get(key);
    if (others <= 0) {
      this.#folded.forget(key);
      if (announced !== undefined) this.#withdraw(key, subject, queue);
    } else if (announced === undefined) {
      if (this.#isAnnounced(subject) && !(queue === null && this.#folded.fold(subject)))
        this.#announce(key, { subject, queue, count: others });
    } else if (queue !== null && announced !== others) this.#announce(key, { subject, queue, count: others });
  }

  /** Announces the inbox of a request to a leaf, so that it can send the answer. */
  announceInbox(reply: string): void {
    const { peer, router, interest } = this.#options;
    if (peer === "hub" || !isInbox(reply)) return;
    for (const subject of router.tree.match(reply).plainSubjects()) {
      const key = interestKey(subject, null);
      const entry = interest.get(key);
      if (entry && !this.#announced.has(key) && this.#othersOf(key, entry) > 0) this.#announce(key, entry);
    }
  }

  /** Number of subscriptions behind an entry without that of the other side itself. */
  #othersOf(key: string, { count }: Pick<Interest, "count">): number {
    const { isFromPeer, isHeld } = this.#options;
    return count - (isFromPeer(key) ? 1 : 0) - (isHeld(key) ? 1 : 0);
  }

  /** Whether interest in `subject` is announced at once. Inboxes are announced to a leaf only when a request is sent there. */
  #isAnnounced(subject: string): boolean {
    const { peer } = this.#options;
    if (isLoopSubject(subject)) return peer === "hub";
    if (mayWant(subject) === false) return false;
    return peer === "hub" || !isInbox(subject);
  }

  #announce(key: string, { subject, queue, count }: Interest): void {
    this.#announced.set(key, count);
    this.#options.send(interestLine(subject, queue, count));
    if (queue === null) this.#folded.announced(subject);
  }

  #withdraw(key: string, subject: string, queue: string | null): void {
    this.#announced.delete(key);
    const { interest, send } = this.#options;
    send(disinterestLine(subject, queue));
    if (queue !== null) return;
    for (const each of this.#folded.uncover(subject)) {
      const entry = interest.get(each);
      if (entry !== undefined && this.#othersOf(each, entry) > 0) this.#announce(each, entry);
    }
  }
}
