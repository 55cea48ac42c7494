/** Topics, services and parameters for programs (docs/clients.md). Needs Node: the page does not import this folder. */

export type { ClientParameter, ParameterSpec } from "./client-parameter.ts";
export { type ConnectClientOptions, connectClient } from "./connect-client.ts";
export type { ClientCounters, DataClient, Parameters } from "./data-client.ts";
export type { ServiceHandler, ServiceInterface } from "./micro-service.ts";
export type { CallOptions } from "./service-call.ts";
export { ServiceError } from "./service-error.ts";
export {
  ProtobufDefinition,
  type PublisherOptions,
  type PublishOptions,
  type TopicDefinition,
  type TopicPublisher,
} from "./topic-publisher.ts";
export type { SubscribeOptions, TopicMessage, TopicSubscription } from "./topic-subscription.ts";
