import type { Principal } from "../../../base/access/principal.ts";
import { MAX_SUBJECT_BYTES, subjectProblem } from "../../../base/topics/subject-limits.ts";
import { ERROR_TEXTS, readableText } from "../broker-protocol.ts";
import { isValidLiteral, isValidSubscription } from "../broker-subscriptions.ts";
import type { Envelope } from "../parser/broker-operations.ts";
import { RecentSubjects } from "../parser/recent-subjects.ts";
import type { BrokerPermissions, ClientIdentity } from "../permissions.ts";

/** The permissions of one client. Subjects that it publishes repeatedly are checked once. */
export class ClientPermissions {
  readonly #publishable = new RecentSubjects();
  #given: BrokerPermissions;
  #program: string | null | undefined = undefined;

  constructor(given: BrokerPermissions) {
    this.#given = given;
  }

  replace(given: BrokerPermissions): void {
    this.#given = given;
    this.#publishable.clear();
  }

  /** User name of the credentials or the principal, "" without. */
  userOf(principal: Principal | undefined): string {
    return this.#given.user ?? principal?.user ?? "";
  }

  get key(): string | null {
    return this.#given.key ?? null;
  }

  get identity(): ClientIdentity | undefined {
    return this.#given.identity;
  }

  /** The program whose connections share limits; null: the manager or a host. Fixed at the first call: a client may present other credentials later. */
  program(principal: Principal | undefined): string | null {
    if (this.#program === undefined) {
      const { identity } = this.#given;
      this.#program = identity === undefined ? null : `${identity.run_id ?? ""} ${this.userOf(principal)}`;
    }
    return this.#program;
  }

  /** The program behind the client, for messages; null: the manager or a host. */
  programOf(): string | null {
    const { identity } = this.#given;
    if (identity === undefined) return null;
    return identity.process === "" ? `client '${identity.name}'` : `process '${identity.process}'`;
  }

  isValid(): boolean {
    return this.#given.isValid?.() ?? true;
  }

  /** Whether a filtered subscription may receive messages of this subject. */
  mayReceive(subject: string): boolean {
    return this.#given.deliver?.(readableText(subject)) !== false;
  }

  /** Whether the subscription is filtered, or the error text that refuses it. */
  subscription(subject: string, queue: string | null): { isFiltered: boolean } | string {
    const reason = subscriptionProblem(subject, queue);
    if (reason !== null) return subscriptionRefusal(subject, queue, reason);
    if (!isValidSubscription(subject)) return ERROR_TEXTS.subject;
    const allowed = this.#given.subscribe?.(readableText(subject), queue === null ? null : readableText(queue)) ?? true;
    if (allowed !== false) return { isFiltered: allowed === "filtered" };
    return subscriptionRefusal(subject, queue);
  }

  /** Whether messages are delivered without their reply subjects. */
  get hidesReplies(): boolean {
    return this.#given.hidesReplies === true;
  }

  mayPublish(subject: string): boolean {
    return this.#publishable.has(subject) || this.#given.publish?.(readableText(subject)) !== false;
  }

  /** The error text that refuses to publish, or null. */
  publishRefusal({ subject, reply }: Pick<Envelope, "subject" | "reply">, isPedantic: boolean): string | null {
    if (reply !== null && this.#given.reply?.(readableText(reply)) === false)
      return `Permissions Violation for Publish with Reply of "${shownSubject(reply)}"`;
    if (this.#publishable.has(subject)) return null;
    if (isPedantic && !isValidLiteral(subject)) return ERROR_TEXTS.publishSubject;
    if (!this.mayPublish(subject)) return `Permissions Violation for Publish to "${subject}"`;
    if (this.#given.mayChange !== true) this.#publishable.add(subject);
    return null;
  }
}

/** Number of characters that a refusal shows of a subject that is too long. */
const MAX_CUT_CHARS = 64;

export function subscriptionRefusal(subject: string, queue: string | null, reason: string | null = null): string {
  const group = queue === null ? "" : ` using queue "${shownSubject(queue)}"`;
  return `Permissions Violation for Subscription to "${shownSubject(subject)}"${group}${reason === null ? "" : `: ${reason}`}`;
}

/** The error text that refuses to publish to a subject, or with a reply subject, that is too long; or null. */
export function publishLengthRefusal({ subject, reply }: Pick<Envelope, "subject" | "reply">): string | null {
  const problem = subjectProblem(subject);
  if (problem !== null) return `Permissions Violation for Publish to "${shownSubject(subject)}": ${problem}`;
  const ofReply = reply === null ? null : subjectProblem(reply);
  return reply === null || ofReply === null ? null : `Permissions Violation for Publish with Reply of "${shownSubject(reply)}": ${ofReply}`;
}

/** Reason why a subscription is too long, or null. */
export function subscriptionProblem(subject: string, queue: string | null): string | null {
  const { length } = queue ?? "";
  const ofQueue = `the name of the queue group has ${length} bytes; at most ${MAX_SUBJECT_BYTES} are allowed`;
  return subjectProblem(subject) ?? (length > MAX_SUBJECT_BYTES ? ofQueue : null);
}

/** The beginning of a subject that is too long; else the subject. */
export function shownSubject(subject: string): string {
  return subject.length <= MAX_SUBJECT_BYTES ? subject : `${subject.slice(0, MAX_CUT_CHARS)}...`;
}
