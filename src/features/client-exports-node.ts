/** What `mgr/client` exports of features in Node alone. */
export * from "./data-plane/client/index.ts";
