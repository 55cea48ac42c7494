import type { SubjectState } from "./handover/subject-state.ts";

/** Messages and payload bytes, as a server counts them: `in` counts what clients published. */
export interface BrokerCounters {
  in_msgs: number;
  in_bytes: number;
  out_msgs: number;
  out_bytes: number;
  /** Lost by subscribers that did not read fast enough. */
  dropped_msgs: number;
  dropped_bytes: number;
}

export function newCounters(): BrokerCounters {
  return { in_msgs: 0, in_bytes: 0, out_msgs: 0, out_bytes: 0, dropped_msgs: 0, dropped_bytes: 0 };
}

export function countIn(counters: BrokerCounters, bytes: number): void {
  counters.in_msgs++;
  counters.in_bytes += bytes;
}

export function countOut(counters: BrokerCounters, msgs: number, bytes: number): void {
  counters.out_msgs += msgs;
  counters.out_bytes += bytes;
}

export function countDropped(counters: BrokerCounters, msgs: number, bytes: number): void {
  counters.dropped_msgs += msgs;
  counters.dropped_bytes += bytes;
}

/** Messages of one subject, as they were published. */
export interface SubjectCounters {
  msgs: number;
  bytes: number;
  /** Size of the newest message, bytes. */
  last_bytes: number;
  /** Ids of the connected clients that have published it. */
  readonly publishers: Set<number>;
  /** The part of these messages that other brokers sent. */
  readonly foreign: MessageCount;
  /** Messages from other brokers, delivered to all of this broker's subscribers. */
  readonly arrived: MessageCount;
  /** Messages for other brokers, including those that the link could not accept. */
  readonly crossing: MessageCount;
}

/** Messages with their headers and payload, bytes. */
export interface MessageCount {
  msgs: number;
  bytes: number;
}

export function addMessage(count: MessageCount, bytes: number): void {
  count.msgs++;
  count.bytes += bytes;
}

function newSubjectCounters(): SubjectCounters {
  const none = () => ({ msgs: 0, bytes: 0 });
  return { msgs: 0, bytes: 0, last_bytes: 0, publishers: new Set(), foreign: none(), arrived: none(), crossing: none() };
}

/** Maximum number of subjects with an account of their own; further ones share one. */
const MAX_SUBJECTS = 10_000;
/** Inboxes are used for one answer, so they share one account. */
const INBOXES = "_INBOX.";
const OTHERS = ">";

/** Counters of published messages by subject. */
export class SubjectBook {
  readonly #accounts = new Map<string, SubjectCounters>();
  #mayClose = false;

  account(subject: string): SubjectCounters {
    const own = subject.startsWith(INBOXES) ? `${INBOXES}>` : subject;
    const known = this.#accounts.get(own);
    if (known) return known;
    if (this.#accounts.size >= MAX_SUBJECTS) this.#closeAbandoned();
    const name = this.#accounts.size < MAX_SUBJECTS ? own : OTHERS;
    const account = this.#accounts.get(name) ?? newSubjectCounters();
    this.#accounts.set(name, account);
    return account;
  }

  handOver(): SubjectState[] {
    return [...this.#accounts].map(([subject, { publishers, ...counts }]) => ({ subject, ...counts, publishers: [...publishers] }));
  }

  /** Continues the counters of an earlier broker, whose clients of these ids were adopted. */
  adopt(subjects: readonly SubjectState[], clients: ReadonlyMap<number, { readonly published: SubjectCounters[] }>): void {
    for (const { subject, publishers, ...counts } of subjects) {
      const account: SubjectCounters = { ...counts, publishers: new Set(publishers.filter((id) => clients.has(id))) };
      this.#accounts.set(subject, account);
      for (const id of account.publishers) clients.get(id)?.published.push(account);
    }
    this.#mayClose = true;
  }

  get accounts(): ReadonlyMap<string, SubjectCounters> {
    return this.#accounts;
  }

  /** Removes a closed connection from its accounts. The messages that it published stay counted. */
  forget(publisher: number, accounts: readonly SubjectCounters[]): void {
    for (const { publishers } of accounts) publishers.delete(publisher);
    if (accounts.length > 0) this.#mayClose = true;
  }

  #closeAbandoned(): void {
    if (!this.#mayClose) return;
    this.#mayClose = false;
    for (const [subject, { publishers }] of this.#accounts) if (publishers.size === 0) this.#accounts.delete(subject);
  }
}
