import type { BorrowedMessage } from "./borrowed-message.ts";
import type { BrokerRouter } from "./broker-router.ts";
import type { ClientSubscription, Subscriber } from "./broker-subscriber.ts";
import type { Envelope } from "./parser/broker-operations.ts";
import type { AcceptOptions, ClientIdentity } from "./permissions.ts";

/** A client of the broker, as its table sees it. */
export interface HookedClient extends Subscriber {
  /** Of its CONNECT. */
  readonly name: string;
  readonly address: string;
  /** The program behind the connection; undefined: it is a host or part of the manager. */
  readonly identity: ClientIdentity | undefined;
  readonly accepted: AcceptOptions;
  readonly subscriptions: ReadonlyMap<string, ClientSubscription>;
  /** Answers a request of this client; no other client sees it. */
  answerRequest(reply: string, body: string): void;
}

/** For a table that is itself a publisher and subscriber of its broker. */
export interface BrokerAccess {
  /** Of its connections. */
  readonly id: number;
  readonly router: BrokerRouter;
}

/**
 * What the table of clients, topics and services (bus/registry) sees of a broker, and what it decides. Called within the operation;
 * what it throws ends the connection. A broker without a table pays one comparison for each message.
 */
export interface BrokerHooks {
  /** Once, when the broker is made. */
  opened(access: BrokerAccess): void;
  /** The client has introduced itself, perhaps anew. */
  connected(client: HookedClient): void;
  closed(client: HookedClient): void;
  /** After the subscription is in place. */
  subscribed(client: HookedClient, subscription: ClientSubscription): void;
  /** Another broker wants it and does not ask for newest messages itself, after that is in place. */
  interested(subscription: ClientSubscription): void;
  /** This broker has been linked to a hub, perhaps again. */
  linked(): void;
  /** A link brought a message of this subject; before it is routed. `isChecked`: only the publisher of a topic can have sent it. */
  arrived(subject: string, isChecked: boolean): void;
  unsubscribed(client: HookedClient, subscription: ClientSubscription): void;
  /** Before permissions are asked and before it is routed. "taken": it is not routed; any other text is the refusal; null: go on. */
  publishing(client: HookedClient, envelope: Envelope, message: BorrowedMessage): "taken" | Refusal | null;
  /** A subscriber lost a message because it does not read fast enough. */
  dropped(subject: string): void;
  /** The broker is closed. */
  ended(): void;
}

export interface Refusal {
  readonly text: string;
}
