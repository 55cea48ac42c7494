import type { Principal } from "../../base/principal.ts";
import { ERROR_TEXTS, readableText } from "./broker-protocol.ts";
import { isValidLiteral, isValidSubscription } from "./broker-subscriptions.ts";
import { RecentSubjects } from "./parser/recent-subjects.ts";
import type { BrokerPermissions, ClientIdentity } from "./permissions.ts";

/** The permissions of one client. Subjects that it publishes repeatedly are checked once. */
export class ClientPermissions {
  readonly #publishable = new RecentSubjects();
  #given: BrokerPermissions;

  constructor(given: BrokerPermissions) {
    this.#given = given;
  }

  replace(given: BrokerPermissions): void {
    this.#given = given;
    this.#publishable.clear();
  }

  /** Of its credentials or its principal, "" without. */
  userOf(principal: Principal | undefined): string {
    return this.#given.user ?? principal?.user ?? "";
  }

  get identity(): ClientIdentity | undefined {
    return this.#given.identity;
  }

  isValid(): boolean {
    return this.#given.isValid?.() ?? true;
  }

  /** For subscriptions that are filtered. */
  mayReceive(subject: string): boolean {
    return this.#given.deliver?.(readableText(subject)) !== false;
  }

  /** Whether the subscription is filtered, or the error text that refuses it. */
  subscription(subject: string, queue: string | null): { isFiltered: boolean } | string {
    if (!isValidSubscription(subject)) return ERROR_TEXTS.subject;
    const allowed = this.#given.subscribe?.(readableText(subject), queue === null ? null : readableText(queue)) ?? true;
    if (allowed !== false) return { isFiltered: allowed === "filtered" };
    return `Permissions Violation for Subscription to "${subject}"${queue === null ? "" : ` using queue "${queue}"`}`;
  }

  /** The error text that refuses to publish, or null. */
  publishRefusal(subject: string, isPedantic: boolean): string | null {
    if (this.#publishable.has(subject)) return null;
    if (isPedantic && !isValidLiteral(subject)) return ERROR_TEXTS.publishSubject;
    if (this.#given.publish?.(readableText(subject)) === false) return `Permissions Violation for Publish to "${subject}"`;
    this.#publishable.add(subject);
    return null;
  }
}
