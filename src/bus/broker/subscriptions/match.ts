import type { Bucket, Group, Subscribed } from "./bucket.ts";

/** A queue group of a message: with several matching subjects it has a part of each. */
export interface MatchedGroup<S> {
  readonly queue: string;
  readonly parts: readonly Group<S>[];
}

const NO_GROUPS: readonly MatchedGroup<never>[] = [];

/** The subscriptions that get messages of one subject: all plain ones, and one of each group. It is corrected while it is kept. */
export class Match<S extends Subscribed> {
  literal: Bucket<S> | null;
  wild: readonly Bucket<S>[];
  /** Number of changes of wildcards that `wild` includes. */
  at: number;
  #groups: readonly MatchedGroup<S>[] = NO_GROUPS;
  /** Number of changes of groups that `#groups` includes. */
  #groupsAt = -1;

  constructor(literal: Bucket<S> | null, wild: readonly Bucket<S>[], at: number) {
    this.literal = literal;
    this.wild = wild;
    this.at = at;
  }

  get plainSize(): number {
    let size = this.literal?.plain?.size ?? 0;
    for (const { plain } of this.wild) size += plain?.size ?? 0;
    return size;
  }

  /** Lists of the plain subscriptions; they are not modified. */
  *plainLists(): Generator<readonly S[]> {
    if (this.literal?.plain) yield this.literal.plain.all();
    for (const { plain } of this.wild) if (plain) yield plain.all();
  }

  /** Subjects to which there are plain subscriptions. */
  *plainSubjects(): Generator<string> {
    if (this.literal?.plain) yield this.literal.subject;
    for (const { plain, subject } of this.wild) if (plain) yield subject;
  }

  *plain(): Generator<S> {
    for (const list of this.plainLists()) yield* list;
  }

  /** `changes`: the tree's number of changes of groups. */
  groups(changes: number): readonly MatchedGroup<S>[] {
    if (this.#groupsAt !== changes) {
      this.#groupsAt = changes;
      this.#groups = this.#collectGroups();
    }
    return this.#groups;
  }

  #collectGroups(): readonly MatchedGroup<S>[] {
    let collected: Map<string, { queue: string; parts: Group<S>[] }> | null = null;
    for (const bucket of this.literal === null ? this.wild : [this.literal, ...this.wild]) {
      if (bucket.groups === null) continue;
      collected ??= new Map();
      for (const [queue, group] of bucket.groups) {
        const known = collected.get(queue);
        if (known) known.parts.push(group);
        else collected.set(queue, { queue, parts: [group] });
      }
    }
    return collected === null ? NO_GROUPS : [...collected.values()];
  }
}
