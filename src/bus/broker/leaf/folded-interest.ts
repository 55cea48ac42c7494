import { hasWildcard, SubscriptionTree } from "../broker-subscriptions.ts";
import type { Subscribed } from "../subscriptions/bucket.ts";
import { mayMatchWildcard, mayWant } from "./link-filter.ts";

/**
 * Interest that need not be announced, because a wildcard that was announced covers it. Members of queue groups are always announced. A
 * wildcard that is announced later does not withdraw earlier interest, so that a client cannot cause thousands of lines at will.
 */
export class FoldedInterest {
  /** The wildcards that were announced. */
  readonly #wildcards = new SubscriptionTree<Subscribed>();
  readonly #entries = new Map<string, Subscribed>();
  /** Subjects that each wildcard covers, and the wildcard that covers each subject. */
  readonly #covered = new Map<string, Set<string>>();
  readonly #coverOf = new Map<string, string>();

  /** Returns true if a wildcard covers `subject`, which then need not be announced until `uncover` returns it. */
  fold(subject: string): boolean {
    if (this.#wildcards.size === 0) return false;
    if (this.#coverOf.has(subject)) return true;
    const cover = this.#findCover(subject);
    if (cover === null) return false;
    const covered = this.#covered.get(cover) ?? new Set();
    this.#covered.set(cover, covered.add(subject));
    this.#coverOf.set(subject, cover);
    return true;
  }

  /** Forgets a subject without interest. */
  forget(subject: string): void {
    const cover = this.#coverOf.get(subject);
    if (cover === undefined) return;
    this.#coverOf.delete(subject);
    const covered = this.#covered.get(cover);
    covered?.delete(subject);
    if (covered?.size === 0) this.#covered.delete(cover);
  }

  /** Called when `subject` was announced. */
  announced(subject: string): void {
    if (!hasWildcard(subject) || this.#entries.has(subject)) return;
    const entry = { subject, queue: null };
    this.#entries.set(subject, entry);
    this.#wildcards.insert(entry);
  }

  /** Called when `subject` was withdrawn. Returns the subjects that it covered, which have to be announced now. */
  uncover(subject: string): Iterable<string> {
    const entry = this.#entries.get(subject);
    if (entry === undefined) return [];
    this.#entries.delete(subject);
    this.#wildcards.remove(entry);
    const covered = this.#covered.get(subject) ?? [];
    this.#covered.delete(subject);
    for (const each of covered) this.#coverOf.delete(each);
    return covered;
  }

  #findCover(subject: string): string | null {
    const endsOpen = subject.endsWith(".>");
    for (const { subject: cover } of this.#wildcards.match(subject).plain()) {
      // `a.*` matches the text `a.>`, but does not cover it.
      if (cover === subject || (endsOpen && !cover.endsWith(">"))) continue;
      if (mayWant(cover) !== "filtered" || mayMatchWildcard(subject)) return cover;
    }
    return null;
  }
}
