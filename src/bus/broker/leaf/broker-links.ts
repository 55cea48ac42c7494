import { randomBytes } from "node:crypto";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";
import type { BrokerCounters } from "../broker-counters.ts";
import type { BrokerHooks } from "../broker-hooks.ts";
import type { BrokerParts } from "../broker-parts.ts";
import { type BrokerLimits, ProtocolViolation } from "../broker-protocol.ts";
import type { BrokerTurns } from "../broker-turns.ts";
import type { Waiting } from "../queues/fair-queue.ts";
import type { MemoryBudget } from "../queues/memory-budget.ts";
import type { BrokerRouter } from "../routing/broker-router.ts";
import type { SubjectTrace } from "../trace/subject-trace.ts";
import { AbsentInterest } from "./absent-interest.ts";
import { AnswerBook } from "./answer-book.ts";
import { DialedLink, type DialedLinkOptions } from "./dialed-link.ts";
import { InboxOwners } from "./inbox-owners.ts";
import { InterestTable } from "./interest-table.ts";
import { LeafLink, type LinkEnvironment, type LinkWire } from "./leaf-link.ts";
import { type LeafConnect, type LinkCounts, LOOP_ERROR } from "./leaf-protocol.ts";
import { LinkAccount, type LinkCounters } from "./link-account.ts";
import { inboxName, isInbox } from "./link-filter.ts";
import { LinkLimits } from "./link-limits.ts";

/** Owner of the inboxes of this broker's own clients. */
const OWN = "";
/** Maximum number of disconnected leaves that are remembered, each with its interest. */
const MAX_LEAVES = 1_000;

export interface LinkStats extends LinkCounters {
  /** Name of the other side: "hub", or the user name of the leaf. */
  name: string;
  is_up: boolean;
  /** Number of distinct interests of the other side, and of this one as announced to it. */
  theirs: number;
  ours: number;
  /** Number of connections so far. */
  connections: number;
  /** Number of bytes that the other side has not read yet. */
  pending_bytes: number;
}

/** The connection of a leaf that has dialed this broker. */
interface Caller {
  readonly id: number;
  readonly user: string;
  readonly connection: LinkWire;
  fail(text: string): void;
  destroy(): void;
}

interface Leaf {
  readonly user: string;
  readonly account: LinkAccount;
  serverId: string;
  linkId: string | undefined;
  live: { caller: Caller; link: LeafLink } | null;
}

/** All links of one broker: those of leaves that dialed it, and its own to a hub. */
export class BrokerLinks implements LinkEnvironment {
  readonly id: string;
  readonly limits: BrokerLimits;
  readonly turns: BrokerTurns;
  readonly counters: BrokerCounters;
  readonly router: BrokerRouter;
  readonly hooks: BrokerHooks | null;
  readonly memory: MemoryBudget;
  readonly interest = new InterestTable();
  readonly inboxes = new InboxOwners();
  readonly absent = new AbsentInterest(this.interest);
  readonly answers = new AnswerBook();
  readonly linkLimits: LinkLimits;
  readonly loopId = randomBytes(16).toString("hex");
  readonly refusals: ThrottledWarning;
  readonly losses: ThrottledWarning;
  readonly #dialed = new Map<LinkAccount, DialedLink | null>();
  readonly #leaves = new Set<Leaf>();

  constructor(parts: BrokerParts, log: WarningLog) {
    this.id = parts.id;
    this.limits = parts.limits;
    this.turns = parts.turns;
    this.counters = parts.counters;
    this.router = parts.router;
    this.hooks = parts.hooks;
    this.memory = parts.memory;
    this.linkLimits = new LinkLimits(parts.limits);
    this.refusals = new ThrottledWarning(log);
    this.losses = new ThrottledWarning(log);
    this.router.tree.watch = (subscription, delta) => {
      const { client, subject } = subscription;
      if (delta === 1 && client.link === null && isInbox(subject)) this.inboxes.claim(inboxName(subject), OWN);
      this.interest.change(subscription, delta);
    };
  }

  /**
   * Makes a client a leaf. An earlier connection of the leaf, whose end may not have been noticed yet, is closed. Throws if the same broker
   * is already linked over another path.
   */
  accept(caller: Caller, connect: LeafConnect): { link: LeafLink; counts: LinkCounts } {
    const { server_id: serverId, max_payload: maxPayload = this.limits.maxPayload, mgr_counts } = connect;
    const leaf = this.#leafOf(caller.user, serverId);
    if (leaf.live !== null && leaf.linkId !== connect.mgr_link) throw new ProtocolViolation(LOOP_ERROR);
    leaf.live?.link.close();
    leaf.live?.caller.destroy();
    leaf.serverId = serverId;
    leaf.linkId = connect.mgr_link;
    const { account } = leaf;
    const { counts } = account;
    account.begin(this.id, serverId, mgr_counts);
    const link: LeafLink = new LeafLink({
      id: caller.id,
      name: `the leaf ${caller.user === "" ? "of this machine" : caller.user}`,
      peer: "leaf",
      isOwnKind: mgr_counts !== undefined,
      owner: `leaf ${caller.user}`,
      maxPayload,
      account,
      wire: caller.connection,
      fail: (text) => caller.fail(text),
      environment: this,
      onComplete: () => {
        this.router.absent.delete(account);
        this.absent.release(account);
      },
      onEnding: (wanted) => wanted !== null && this.absent.hold(account, wanted),
      onClosed: () => {
        if (leaf.live?.link === link) leaf.live = null;
        this.router.absent.add(account);
      },
    });
    leaf.live = { caller, link };
    return { link, counts };
  }

  /** Links to the hub at the other end of `options.stream`. All connections to this hub share the account. */
  dial(id: number, options: DialedLinkOptions): DialedLink {
    const { account } = options;
    const link = new DialedLink(id, options, this);
    this.#dialed.set(account, link);
    link.open();
    return link;
  }

  closed(account: LinkAccount): void {
    this.#dialed.set(account, null);
  }

  /** Called once per ping interval; `isLocalTurn`: also for links within this machine. */
  tick(isLocalTurn: boolean): void {
    for (const link of this.#dialed.values()) if (link !== null && (isLocalTurn || !link.isLocal)) link.tick();
  }

  stats(): LinkStats[] {
    const hubs = [...this.#dialed].map(([account, link]) => {
      const { is_up = false, theirs = 0, ours = 0, pending_bytes = 0 } = link?.stats ?? {};
      return { name: "hub", is_up, theirs, ours, pending_bytes, connections: account.connections, ...account.counters };
    });
    const leaves = [...this.#leaves].map(({ user, account, live }) => ({
      name: user,
      is_up: live !== null,
      ...(live?.link.interests ?? { theirs: 0, ours: 0 }),
      pending_bytes: live?.link.pending ?? 0,
      connections: account.connections,
      ...account.counters,
    }));
    return [...hubs, ...leaves];
  }

  /** The links as one subject uses them. */
  trace(subject: string): SubjectTrace["links"] {
    const traced = (name: string, account: LinkAccount, link: LeafLink | null, is_up = link !== null) => ({
      name,
      is_up,
      waiting: link?.connection.waiting().get(subject)?.msgs ?? 0,
      dropped: account.dropped.of(subject),
    });
    const hubs = [...this.#dialed].map(([account, dialed]) => traced("hub", account, dialed?.leaf ?? null, dialed?.stats.is_up));
    return [...hubs, ...[...this.#leaves].map(({ user, account, live }) => traced(user, account, live?.link ?? null))];
  }

  /** Messages that wait for links, by subject: the maximum of all links. They are neither sent nor lost yet. */
  waiting(): Map<string, Waiting> {
    const most = new Map<string, Waiting>();
    const links = [
      ...[...this.#dialed.values()].map((dialed) => dialed?.leaf ?? null),
      ...[...this.#leaves].map(({ live }) => live?.link ?? null),
    ];
    for (const link of links)
      for (const [subject, waiting] of link?.connection.waiting() ?? [])
        if (waiting.msgs > (most.get(subject)?.msgs ?? 0)) most.set(subject, waiting);
    return most;
  }

  async close(): Promise<void> {
    this.absent.close();
    await Promise.all([...this.#dialed.values()].map((link) => link?.drainAndClose()));
  }

  #leafOf(user: string, serverId: string): Leaf {
    const own = [...this.#leaves].filter((leaf) => leaf.user === user);
    const known = own.find((leaf) => leaf.serverId === serverId) ?? own.find(({ live }) => live === null);
    if (known) return known;
    const leaf: Leaf = { user, account: new LinkAccount(), serverId, linkId: undefined, live: null };
    this.#leaves.add(leaf);
    for (const old of this.#leaves) {
      if (this.#leaves.size <= MAX_LEAVES) break;
      if (old.live !== null || old === leaf) continue;
      this.#leaves.delete(old);
      this.router.absent.delete(old.account);
      this.absent.release(old.account);
    }
    return leaf;
  }
}
