/**
 * The frame that starts the samples of a topic, and the one that ends them.
 * The client library imports it, so it lies apart from the schemas: loading those costs each command 40 ms.
 */
export const TOPIC_SUBSCRIPTION = { begin: "subscribe_topic", end: "unsubscribe_topic" } as const;
