import { Members } from "./members.ts";

/** The properties of a subscription that the tree uses. */
export interface Subscribed {
  /** Subject; it may hold the wildcards `*` (one token) and `>` (the rest, at least one token). */
  readonly subject: string;
  /** Members of a queue group share the messages: each goes to one of them. */
  readonly queue: string | null;
  /** Whether the subscription stands for members behind another broker, which are chosen only if no other member can accept the message. */
  readonly isRemote?: boolean;
}

/** A queue group of one subject. */
export class Group<S> {
  local: Members<S> | null = null;
  remote: Members<S> | null = null;

  get size(): number {
    return (this.local?.size ?? 0) + (this.remote?.size ?? 0);
  }

  *members(): Generator<S> {
    if (this.local !== null) yield* this.local.all();
    if (this.remote !== null) yield* this.remote.all();
  }
}

/** The subscriptions to one subject, which may be a wildcard. */
export class Bucket<S extends Subscribed> {
  readonly subject: string;
  plain: Members<S> | null = null;
  groups: Map<string, Group<S>> | null = null;

  constructor(subject: string) {
    this.subject = subject;
  }

  get isEmpty(): boolean {
    return this.plain === null && this.groups === null;
  }

  /** Adds a subscription. "group": it is the first one of its group. False: it was added before. */
  add(subscription: S): boolean | "group" {
    const { queue } = subscription;
    if (queue === null) {
      if (this.plain !== null) return this.plain.add(subscription);
      this.plain = new Members(subscription);
      return true;
    }
    this.groups ??= new Map();
    const known = this.groups.get(queue);
    const group = known ?? new Group<S>();
    if (!known) this.groups.set(queue, group);
    const place = placeOf(subscription);
    const members = group[place];
    if (members !== null) return members.add(subscription);
    group[place] = new Members(subscription);
    return known ? true : "group";
  }

  /** Removes a subscription. "group": it was the last one of its group. False: it was not found. */
  delete(subscription: S): boolean | "group" {
    const { queue } = subscription;
    if (queue === null) {
      if (!this.plain?.delete(subscription)) return false;
      if (this.plain.size === 0) this.plain = null;
      return true;
    }
    const group = this.groups?.get(queue);
    const place = placeOf(subscription);
    const members = group?.[place];
    if (!group || !members?.delete(subscription)) return false;
    if (members.size === 0) group[place] = null;
    if (group.size > 0) return true;
    this.groups?.delete(queue);
    if (this.groups?.size === 0) this.groups = null;
    return "group";
  }
}

function placeOf({ isRemote }: Subscribed): "local" | "remote" {
  return isRemote === true ? "remote" : "local";
}
