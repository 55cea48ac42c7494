/**
 * The frame that starts the samples of a process or group, and the one that ends them.
 * The client library imports it, so it lies apart from the schemas: loading those costs each command 40 ms.
 */
export const LOAD_SUBSCRIPTION = { begin: "subscribe_load", end: "unsubscribe_load" } as const;
