/** Messages and payload bytes of one subject, as counted by one member of the bus. */
export interface SubjectTraffic {
  out_msgs: number;
  out_bytes: number;
  in_msgs: number;
  in_bytes: number;
}

/** Maximum number of subjects that are counted individually; later ones share one counter. */
const MAX_SUBJECTS = 1_000;
const INBOXES = "_INBOX.";
const OTHERS = ">";

/** Counts the messages that this program's own connection sends and receives: an external server does not report them. */
export class TrafficCounters {
  readonly #accounts = new Map<string, SubjectTraffic>();

  sent(subject: string, bytes: number): void {
    const account = this.#account(subject);
    account.out_msgs++;
    account.out_bytes += bytes;
  }

  received(subject: string, bytes: number): void {
    const account = this.#account(subject);
    account.in_msgs++;
    account.in_bytes += bytes;
  }

  report(): Record<string, SubjectTraffic> {
    return Object.fromEntries(this.#accounts);
  }

  #account(subject: string): SubjectTraffic {
    const own = subject.startsWith(INBOXES) ? `${INBOXES}>` : subject;
    const known = this.#accounts.get(own);
    if (known) return known;
    const name = this.#accounts.size < MAX_SUBJECTS ? own : OTHERS;
    const account = this.#accounts.get(name) ?? { out_msgs: 0, out_bytes: 0, in_msgs: 0, in_bytes: 0 };
    this.#accounts.set(name, account);
    return account;
  }
}
