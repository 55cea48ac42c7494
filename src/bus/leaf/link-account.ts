import { type BrokerCounters, newCounters } from "../broker/broker-counters.ts";
import { type Subscribed, SubscriptionTree } from "../broker/broker-subscriptions.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import type { LinkCounts } from "./leaf-protocol.ts";

/**
 * Messages and payload bytes of one link, over all its connections. Dropped: the other side did not read fast enough, or they were larger
 * than it accepts.
 */
export interface LinkCounters extends BrokerCounters {
  /** Not sent: there was no connection, and the other side wanted them when there was one. */
  missed_msgs: number;
  missed_bytes: number;
  /** Sent, and not received by the other side, as its own count says. */
  lost_out_msgs: number;
  /** Sent by the other side, and not received. */
  lost_in_msgs: number;
  /** Sent shortly before a connection broke, to a server that does not count: some may have been lost. */
  unconfirmed_msgs: number;
  /** Received and discarded: the other side must not send them. */
  refused_msgs: number;
}

/** One link as this end has seen it: its counters outlast its connections. */
export class LinkAccount {
  readonly counters: LinkCounters = {
    ...newCounters(),
    missed_msgs: 0,
    missed_bytes: 0,
    lost_out_msgs: 0,
    lost_in_msgs: 0,
    unconfirmed_msgs: 0,
    refused_msgs: 0,
  };
  /** Connections so far. */
  connections = 0;
  /** server_id of the other end of the last connection. */
  #peer = "";
  /** Of this peer: counted since it is known. */
  #since = { in: 0, out: 0 };
  /** `out_msgs` that the peer has answered a PING after. */
  #confirmed = 0;
  #suspected = 0;
  /** What the other side wanted when the connection was lost. */
  #wanted: SubscriptionTree<Subscribed> | null = null;

  /** A connection begins. `told` is what the other side has counted of this link. */
  begin(self: string, peer: string, told: LinkCounts | undefined): void {
    this.connections++;
    const { counters } = this;
    if (peer !== this.#peer) this.#since = { in: counters.in_msgs, out: counters.out_msgs };
    else if (told?.of === self) {
      counters.unconfirmed_msgs -= this.#suspected;
      counters.lost_out_msgs += Math.max(0, counters.out_msgs - this.#since.out - told.in);
      counters.lost_in_msgs += Math.max(0, told.out - (counters.in_msgs - this.#since.in));
      // As the other side has counted them: the next difference is one of the next connection.
      this.#since.in = counters.in_msgs - told.out;
    }
    this.#suspected = 0;
    this.#confirmed = counters.out_msgs;
    this.#peer = peer;
  }

  /** For the other side. */
  get counts(): LinkCounts {
    const { in_msgs, out_msgs } = this.counters;
    return { of: this.#peer, in: in_msgs - this.#since.in, out: out_msgs - this.#since.out };
  }

  /** The other side has received what had been sent when `out_msgs` had this value. */
  confirm(sent: number): void {
    this.#confirmed = Math.max(this.#confirmed, sent);
  }

  /** The connection is lost, and `wanted` was the other side's interest. */
  end(wanted: Iterable<Subscribed>): void {
    this.#suspected = this.counters.out_msgs - this.#confirmed;
    this.counters.unconfirmed_msgs += this.#suspected;
    this.#confirmed = this.counters.out_msgs;
    this.#wanted = new SubscriptionTree();
    for (const interest of wanted) this.#wanted.insert(interest);
  }

  /** The other side has announced again what it wants. */
  restored(): void {
    this.#wanted = null;
  }

  /** While there is no connection: counts a message that the other side wanted. Of queue groups it cannot be known. */
  miss({ subject, size }: Envelope): void {
    if (this.#wanted === null || this.#wanted.match(subject).plain.length === 0) return;
    this.counters.missed_msgs++;
    this.counters.missed_bytes += size;
  }
}
