/** Exports of features in `mgr/client` for Node alone. */
export * from "./data-plane/client/index.ts";
