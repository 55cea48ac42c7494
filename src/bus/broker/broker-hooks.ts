import type { BorrowedMessage } from "./borrowed-message.ts";
import type { BrokerRouter } from "./broker-router.ts";
import type { ClientSubscription, Subscriber } from "./broker-subscriber.ts";
import type { Envelope } from "./parser/broker-operations.ts";
import type { AcceptOptions, ClientIdentity } from "./permissions.ts";
import type { MemoryBudget } from "./queues/memory-budget.ts";
import type { TopicPolicy } from "./queues/topic-policy.ts";

/** A client of the broker, as its table sees it. */
export interface HookedClient extends Subscriber {
  /** From its CONNECT. */
  readonly name: string;
  readonly address: string;
  /** For whom it uses memory. */
  readonly owner: string;
  /** The program behind the connection; undefined: it is a host or part of the manager. */
  readonly identity: ClientIdentity | undefined;
  readonly accepted: AcceptOptions;
  readonly subscriptions: ReadonlyMap<string, ClientSubscription>;
  /** Answers a request of this client; no other client sees it. */
  answerRequest(reply: string, body: string): void;
}

/** Access for a table that itself publishes and subscribes. */
export interface BrokerAccess {
  /** Of its connections. */
  readonly id: number;
  readonly router: BrokerRouter;
  readonly memory: MemoryBudget;
  /** Counts work of the current operation, in units of a delivery. */
  spend(units: number): void;
}

/**
 * The interface between a broker and its table of clients, topics and services (bus/registry). Hooks are called within the operation; an
 * error ends the connection. Without a table, they cost one comparison per message.
 */
export interface BrokerHooks {
  /** Once, when the broker is made. */
  opened(access: BrokerAccess): void;
  /** The client has sent CONNECT, perhaps again. */
  connected(client: HookedClient): void;
  closed(client: HookedClient): void;
  /** Called after the subscription was added. */
  subscribed(client: HookedClient, subscription: ClientSubscription): void;
  /** Another broker has subscribed, and does not request newest messages itself. Called after the subscription was added. */
  interested(subscription: ClientSubscription): void;
  /** This broker has been linked to a hub, perhaps again. */
  linked(): void;
  /**
   * A message of this subject arrived over a link; called before it is routed. `isChecked`: the other broker lets only the publisher of a
   * topic send it.
   */
  arrived(subject: string, isChecked: boolean): void;
  unsubscribed(client: HookedClient, subscription: ClientSubscription): void;
  /**
   * Called before permissions are checked and the message is routed. "taken": it is not routed; a Refusal: it is refused; null: it is
   * routed.
   */
  publishing(client: HookedClient, envelope: Envelope, message: BorrowedMessage): "taken" | Refusal | null;
  /** A subscriber lost messages because it does not read fast enough, or because memory was used up. */
  dropped(subject: string, msgs: number): void;
  /** How messages of the subject wait for slow receivers; null: the default. */
  policyOf(subject: string): TopicPolicy | null;
  /** The broker is closed. */
  ended(): void;
}

export interface Refusal {
  readonly text: string;
}
