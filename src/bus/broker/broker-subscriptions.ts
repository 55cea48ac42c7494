import { Bucket, type Group, type Subscribed } from "./subscriptions/bucket.ts";
import { Match } from "./subscriptions/match.ts";
import { WildcardTrie } from "./subscriptions/wildcard-trie.ts";

/**
 * Maximum number of recent subjects whose matches are kept. Without them, a message takes three times as much processor time
 * (bench/bus-throughput.ts, 128 bytes: 1.78 instead of 0.45 µs).
 */
const MAX_CACHED_SUBJECTS = 4_096;
/** Maximum number of buckets that the kept matches hold together. */
const MAX_CACHED_BUCKETS = 100_000;
/** Maximum number of new and removed wildcards by which a kept match is corrected. With more since its last use, it is made again. */
const MAX_CHANGES = 256;

interface WildcardChange<S extends Subscribed> {
  readonly bucket: Bucket<S>;
  readonly isNew: boolean;
}

/**
 * Subscriptions by subject: those without wildcards in a table, which costs least, those with wildcards in a tree of tokens. A new or
 * removed subscription does not affect the kept matches of other subjects.
 */
export class SubscriptionTree<S extends Subscribed> {
  readonly #literals = new Map<string, Bucket<S>>();
  readonly #wildcards = new WildcardTrie<S>();
  #cache = new Map<string, Match<S>>();
  #cachedBuckets = 0;
  /** The last changes of wildcards, each at its number modulo MAX_CHANGES. */
  readonly #changes: WildcardChange<S>[] = [];
  #changeCount = 0;
  /** New and removed groups so far. */
  #groupChanges = 0;
  /** Called for each subscription that is added (1) or removed (-1). */
  watch: ((subscription: S, delta: 1 | -1) => void) | null = null;
  size = 0;

  insert(subscription: S): void {
    const { subject } = subscription;
    const isWild = hasWildcard(subject);
    const known = this.#bucketOf(subject, isWild);
    const bucket = known ?? new Bucket<S>(subject);
    const added = bucket.add(subscription);
    if (added === false) return;
    if (added === "group") this.#groupChanges++;
    if (known === null) this.#open(bucket, isWild);
    this.size++;
    this.watch?.(subscription, 1);
  }

  remove(subscription: S): void {
    const { subject } = subscription;
    const isWild = hasWildcard(subject);
    const bucket = this.#bucketOf(subject, isWild);
    const removed = bucket?.delete(subscription) ?? false;
    if (bucket === null || removed === false) return;
    if (removed === "group") this.#groupChanges++;
    if (bucket.isEmpty) this.#close(bucket, isWild);
    this.size--;
    this.watch?.(subscription, -1);
  }

  /** Returns a match, valid until a subscription is added or removed. */
  match(subject: string): Match<S> {
    const known = this.#cache.get(subject);
    if (known !== undefined) {
      if (known.at !== this.#changeCount) this.#correct(known, subject);
      return known;
    }
    const literal = this.#literals.get(subject) ?? null;
    const found = new Match<S>(literal, this.#matchWildcards(subject), this.#changeCount);
    this.#cachedBuckets += found.wild.length;
    if (this.#cache.size >= MAX_CACHED_SUBJECTS || this.#cachedBuckets > MAX_CACHED_BUCKETS) {
      this.#cache = new Map();
      this.#cachedBuckets = found.wild.length;
    }
    this.#cache.set(subject, found);
    return found;
  }

  /** The queue groups of a match. */
  groupsOf(match: Match<S>) {
    return match.groups(this.#groupChanges);
  }

  /** Returns the group of exactly this subject, which may be a wildcard. */
  group(subject: string, queue: string): Group<S> | null {
    return this.#bucketOf(subject, hasWildcard(subject))?.groups?.get(queue) ?? null;
  }

  #bucketOf(subject: string, isWild: boolean): Bucket<S> | null {
    return isWild ? this.#wildcards.get(subject) : (this.#literals.get(subject) ?? null);
  }

  #open(bucket: Bucket<S>, isWild: boolean): void {
    if (isWild) {
      this.#wildcards.add(bucket);
      this.#note(bucket, true);
      return;
    }
    this.#literals.set(bucket.subject, bucket);
    this.#correctLiteral(bucket.subject, bucket);
  }

  #close(bucket: Bucket<S>, isWild: boolean): void {
    if (isWild) {
      this.#wildcards.delete(bucket);
      this.#note(bucket, false);
      return;
    }
    this.#literals.delete(bucket.subject);
    this.#correctLiteral(bucket.subject, null);
  }

  #correctLiteral(subject: string, bucket: Bucket<S> | null): void {
    const known = this.#cache.get(subject);
    if (known !== undefined) known.literal = bucket;
  }

  #note(bucket: Bucket<S>, isNew: boolean): void {
    this.#changes[this.#changeCount++ % MAX_CHANGES] = { bucket, isNew };
  }

  #correct(match: Match<S>, subject: string): void {
    const { length } = match.wild;
    if (this.#changeCount - match.at > MAX_CHANGES) match.wild = this.#matchWildcards(subject);
    else
      for (let at = match.at; at < this.#changeCount; at++) {
        const { bucket, isNew } = this.#changes[at % MAX_CHANGES] as WildcardChange<S>;
        if (subjectMatches(bucket.subject, subject))
          match.wild = isNew ? [...match.wild, bucket] : match.wild.filter((each) => each !== bucket);
      }
    match.at = this.#changeCount;
    this.#cachedBuckets += match.wild.length - length;
  }

  #matchWildcards(subject: string): readonly Bucket<S>[] {
    const wild: Bucket<S>[] = [];
    if (!hasEmptyToken(subject)) this.#wildcards.match(subject, (bucket) => wild.push(bucket));
    return wild.length === 0 ? NOTHING : wild;
  }
}

const NOTHING: readonly never[] = [];

/** Whether a subject has a wildcard. Also true for some subjects without one, which are found nevertheless: a token may hold these characters. */
export function hasWildcard(subject: string): boolean {
  return subject.includes("*") || subject.includes(">");
}

function hasEmptyToken(subject: string): boolean {
  return subject === "" || subject.startsWith(".") || subject.endsWith(".") || subject.includes("..");
}

/** Whether `subject` can be subscribed to: no empty token, `>` only as the last one. */
export function isValidSubscription(subject: string): boolean {
  const tokens = subject.split(".");
  return tokens.every((token, index) => token !== "" && (token !== ">" || index === tokens.length - 1));
}

/** Whether `subject` names exactly one subject. */
export function isValidLiteral(subject: string): boolean {
  return subject.split(".").every((token) => token !== "" && token !== "*" && token !== ">");
}

/** Whether a subscription to `pattern` gets messages of `subject`. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const patternTokens = pattern.split(".");
  const tokens = subject.split(".");
  for (const [index, token] of patternTokens.entries()) {
    if (token === ">") return tokens.length > index;
    if (token !== "*" && token !== tokens[index]) return false;
  }
  return patternTokens.length === tokens.length;
}
