import type { ClientSubscription, Subscriber } from "../broker-subscriber.ts";
import type { SubscriptionTree } from "../broker-subscriptions.ts";
import type { Group } from "./bucket.ts";

export interface GroupMemberLimits {
  /** Maximum number of members of one queue group of one subject: of one connection, of all connections of one program, of all clients. */
  readonly maxGroupMembersOfClient: number;
  readonly maxGroupMembersOfProgram: number;
  readonly maxGroupMembers: number;
}

/** Number of members by client, and by the name of their program. */
type Counts = Map<Subscriber | string, number>;

/** Limits the members of queue groups. Small groups, as almost all are, are not counted. */
export class GroupLimits {
  readonly #tree: SubscriptionTree<ClientSubscription>;
  readonly #limits: GroupMemberLimits;
  readonly #counts = new WeakMap<Group<ClientSubscription>, Counts>();

  constructor(tree: SubscriptionTree<ClientSubscription>, limits: GroupMemberLimits) {
    this.#tree = tree;
    this.#limits = limits;
  }

  /** Reason why the client must not become a member, or null. */
  refusal({ client, subject, queue }: ClientSubscription): string | null {
    const { maxGroupMembersOfClient, maxGroupMembersOfProgram, maxGroupMembers } = this.#limits;
    const group = queue === null ? null : this.#tree.group(subject, queue);
    const size = group?.local?.size ?? 0;
    if (group === null || size < Math.min(maxGroupMembersOfClient, maxGroupMembersOfProgram, maxGroupMembers)) return null;
    if (size >= maxGroupMembers) return `a queue group may have at most ${maxGroupMembers} members`;
    const counts = this.#countsOf(group);
    const { program = null } = client;
    if ((counts.get(client) ?? 0) >= maxGroupMembersOfClient)
      return `one connection may be at most ${maxGroupMembersOfClient} members of a queue group`;
    return program !== null && (counts.get(program) ?? 0) >= maxGroupMembersOfProgram
      ? `one program may be at most ${maxGroupMembersOfProgram} members of a queue group`
      : null;
  }

  /** Counts a member: 1 after it was inserted, -1 before it is removed. */
  changed({ client, subject, queue }: ClientSubscription, delta: 1 | -1): void {
    const group = queue === null ? null : this.#tree.group(subject, queue);
    const counts = group === null ? undefined : this.#counts.get(group);
    if (group === null || counts === undefined) return;
    if (group.size < this.#limits.maxGroupMembersOfClient / 2) this.#counts.delete(group);
    else count(counts, client, delta);
  }

  #countsOf(group: Group<ClientSubscription>): Counts {
    const known = this.#counts.get(group);
    if (known !== undefined) return known;
    const counts: Counts = new Map();
    for (const { client } of group.local?.all() ?? []) count(counts, client, 1);
    this.#counts.set(group, counts);
    return counts;
  }
}

function count(counts: Counts, client: Subscriber, delta: 1 | -1): void {
  for (const key of typeof client.program === "string" ? [client, client.program] : [client]) {
    const left = (counts.get(key) ?? 0) + delta;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  }
}
