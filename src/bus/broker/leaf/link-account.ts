import { z } from "zod";
import { type BrokerCounters, type MessageCount, newCounters } from "../broker-counters.ts";
import { SubscriptionTree } from "../broker-subscriptions.ts";
import { handedCounters } from "../handover/handed-client.ts";
import type { Envelope } from "../parser/broker-operations.ts";
import type { Subscribed } from "../subscriptions/bucket.ts";
import { SubjectTally } from "../trace/subject-tally.ts";
import type { LinkCounts } from "./leaf-protocol.ts";

/**
 * Messages and payload bytes of one link, over all its connections. Dropped: the other side did not read fast enough, or they were larger
 * than it accepts.
 */
export interface LinkCounters extends BrokerCounters {
  /** Number of messages not sent because there was no connection; the other side had subscribed while there was one. */
  missed_msgs: number;
  missed_bytes: number;
  /** Topics that this side had subscribed to and that the other side could not send because there was no connection. */
  missed_in_msgs: number;
  /** Sent but not received by the other side, according to its own count. */
  lost_out_msgs: number;
  /** Sent by the other side but not received. */
  lost_in_msgs: number;
  /** Sent shortly before a connection broke, to a server that does not count: some may have been lost. */
  unconfirmed_msgs: number;
  /** Received and discarded: the other side must not send them. */
  refused_msgs: number;
}

const count = z.number();

/** The account of a link for the next program. */
export const linkState = z.object({
  counters: handedCounters.extend({
    missed_msgs: count,
    missed_bytes: count,
    missed_in_msgs: count,
    lost_out_msgs: count,
    lost_in_msgs: count,
    unconfirmed_msgs: count,
    refused_msgs: count,
  }),
  connections: count,
  peer: z.string(),
  since: z.object({ in: count, out: count }),
  suspected: count,
  missedBefore: count,
  wanted: z.array(z.object({ subject: z.string(), queue: z.string().nullable() })),
});
type LinkState = z.infer<typeof linkState>;

/** Counters of one link at this end. They are kept across its connections. */
export class LinkAccount {
  readonly counters: LinkCounters = {
    ...newCounters(),
    missed_msgs: 0,
    missed_bytes: 0,
    missed_in_msgs: 0,
    lost_out_msgs: 0,
    lost_in_msgs: 0,
    unconfirmed_msgs: 0,
    refused_msgs: 0,
  };
  /** Dropped messages by subject. */
  readonly dropped = new SubjectTally();
  /** Number of connections so far. */
  connections = 0;
  /** server_id of the other end of the last connection. */
  #peer = "";
  /** Values of the counters when the current peer was first connected. */
  #since = { in: 0, out: 0 };
  /** `out_msgs` at the newest PING that the peer has answered. */
  #confirmed = 0;
  #suspected = 0;
  /** Interest of the other side when the connection was lost. */
  #remoteInterest: SubscriptionTree<Subscribed> | null = null;
  #wanted: readonly Subscribed[] = [];
  /** Keys of the other side's interest that stays announced to others meanwhile (`AbsentInterest`). */
  held: ReadonlySet<string> = new Set();
  /** Messages that the other side had missed when it was connected last. */
  #missedBefore = 0;

  /** Begins a connection. `told` has the other side's counters of this link. */
  begin(self: string, peer: string, told: LinkCounts | undefined): void {
    this.connections++;
    const { counters } = this;
    if (peer !== this.#peer) {
      this.#since = { in: counters.in_msgs, out: counters.out_msgs };
      this.#missedBefore = told?.missed ?? 0;
    } else if (told?.of === self) {
      counters.unconfirmed_msgs -= this.#suspected;
      counters.lost_out_msgs += Math.max(0, counters.out_msgs - this.#since.out - told.in);
      counters.lost_in_msgs += Math.max(0, told.out - (counters.in_msgs - this.#since.in));
      // Adjusted to the other side's count, so that the next difference belongs to the next connection.
      this.#since.in = counters.in_msgs - told.out;
      counters.missed_in_msgs += Math.max(0, told.missed - this.#missedBefore);
      this.#missedBefore = told.missed;
    }
    this.#suspected = 0;
    this.#confirmed = counters.out_msgs;
    this.#peer = peer;
  }

  /** The counters that are sent to the other side. */
  get counts(): LinkCounts {
    const { in_msgs, out_msgs, missed_msgs: missed } = this.counters;
    return { of: this.#peer, in: in_msgs - this.#since.in, out: out_msgs - this.#since.out, missed };
  }

  /** Called when the other side has received all that had been sent when `out_msgs` had this value. */
  confirm(sent: number): void {
    this.#confirmed = Math.max(this.#confirmed, sent);
  }

  /** Ends the connection. `wanted` is the other side's interest; null: it had not announced all of it, and the earlier interest stays. */
  end(wanted: readonly Subscribed[] | null): void {
    this.#suspected = this.counters.out_msgs - this.#confirmed;
    this.counters.unconfirmed_msgs += this.#suspected;
    this.#confirmed = this.counters.out_msgs;
    if (wanted !== null) this.#lose(wanted);
  }

  /**
   * What the next program continues with, as if the connection had ended: `wanted` is the other side's interest, null: it has not announced
   * all of it. `waiting` are the messages that wait for the connection, which the exec closes.
   */
  handOver(wanted: readonly Subscribed[] | null, waiting: MessageCount): LinkState {
    const { counters, connections } = this;
    const suspected = Math.max(0, counters.out_msgs - this.#confirmed);
    const missed = { missed_msgs: counters.missed_msgs + waiting.msgs, missed_bytes: counters.missed_bytes + waiting.bytes };
    return {
      counters: { ...counters, ...missed, unconfirmed_msgs: counters.unconfirmed_msgs + suspected },
      ...{ connections, suspected: this.#suspected + suspected, since: this.#since, peer: this.#peer, missedBefore: this.#missedBefore },
      wanted: (wanted ?? this.#wanted).map(({ subject, queue }) => ({ subject, queue })),
    };
  }

  /** Continues the link of an earlier program. */
  adopt({ counters, connections, suspected, since, peer, missedBefore, wanted }: LinkState): void {
    Object.assign(this.counters, counters);
    this.connections = connections;
    this.#suspected = suspected;
    this.#confirmed = counters.out_msgs;
    this.#since = since;
    this.#peer = peer;
    this.#missedBefore = missedBefore;
    this.#lose(wanted);
  }

  #lose(wanted: readonly Subscribed[]): void {
    this.#wanted = wanted;
    this.#remoteInterest = new SubscriptionTree();
    for (const interest of wanted) this.#remoteInterest.insert(interest);
  }

  /** Called when the other side has announced its interest again. */
  restored(): void {
    this.#remoteInterest = null;
    this.#wanted = [];
  }

  /**
   * Counts a message that matches the other side's last interest while there is no connection. Queue groups are not counted, because
   * another member may have received it.
   */
  miss({ subject, size }: Envelope): void {
    if (this.#remoteInterest === null || this.#remoteInterest.match(subject).plainSize === 0) return;
    this.missed(1, size);
  }

  missed(msgs: number, bytes: number): void {
    this.counters.missed_msgs += msgs;
    this.counters.missed_bytes += bytes;
  }
}
