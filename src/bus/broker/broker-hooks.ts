import type { HandedOver } from "../../base/handed-over.ts";
import type { BorrowedMessage } from "./borrowed-message.ts";
import type { ClientSubscription, Subscriber } from "./broker-subscriber.ts";
import type { Envelope } from "./parser/broker-operations.ts";
import type { AcceptOptions, ClientIdentity } from "./permissions.ts";
import type { MemoryBudget } from "./queues/memory-budget.ts";
import type { TopicPolicy } from "./queues/topic-policy.ts";
import type { BrokerRouter } from "./routing/broker-router.ts";

/** A client of the broker, as its table sees it. */
export interface HookedClient extends Subscriber {
  /** Name from its CONNECT. */
  readonly name: string;
  readonly address: string;
  /** Owner of the memory that it uses, for messages. */
  readonly owner: string;
  /** The program behind the connection; undefined: it is a host or part of the manager. */
  readonly identity: ClientIdentity | undefined;
  readonly accepted: AcceptOptions;
  readonly subscriptions: ReadonlyMap<string, ClientSubscription>;
  /** Whether its permissions allow it to publish to this subject. */
  mayPublish(subject: string): boolean;
  /** Answers a request of this client; no other client sees it. */
  answerRequest(reply: string, body: string): void;
}

/** Access for a table that itself publishes and subscribes. */
export interface BrokerAccess {
  /** Id among the broker's connections. */
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
  /** Called once, when the broker is created. */
  opened(access: BrokerAccess): void;
  /** Called when the client has sent CONNECT, perhaps again. */
  connected(client: HookedClient): void;
  closed(client: HookedClient): void;
  /** Called after the subscription was added. */
  subscribed(client: HookedClient, subscription: ClientSubscription): void;
  /** Called when another broker has subscribed that does not request newest messages itself, after the subscription was added. */
  interested(subscription: ClientSubscription): void;
  /** Called when this broker has been linked to a hub, perhaps again. */
  linked(): void;
  /**
   * Called when a message of this subject has arrived over a link, before it is routed. `isChecked`: the other broker lets only the
   * publisher of a topic send it.
   */
  arrived(subject: string, isChecked: boolean): void;
  unsubscribed(client: HookedClient, subscription: ClientSubscription): void;
  /**
   * Called before the message is routed. `isAllowed`: the client's permissions allow it to publish to the subject; else only the subjects of
   * the table itself are handled. "taken": it is not routed; a Refusal: it is refused; null: it is routed, if it is allowed.
   */
  publishing(client: HookedClient, envelope: Envelope, message: BorrowedMessage, isAllowed: boolean): "taken" | Refusal | null;
  /** Called when a subscriber lost messages because it does not read fast enough, or because memory was used up. */
  dropped(subject: string, msgs: number): void;
  /** Policy for messages of the subject that wait for slow receivers; null: the default. */
  policyOf(subject: string): TopicPolicy | null;
  /** Returns what the table of the next program continues with. It stays as it is. */
  handOver(): HandedOver;
  /**
   * Continues the table of an earlier broker, whose clients of these ids were adopted. Sends nothing to them until the returned function is
   * called.
   */
  adopt(taken: HandedOver, clients: ReadonlyMap<number, HookedClient>): () => void;
  /** Called when the broker is closed. */
  ended(): void;
}

export interface Refusal {
  readonly text: string;
}
