/** `mgr/client`: control a manager from another program, and be a client of its bus. In a browser, `browser.ts` stands in its place. */
export * from "./common.ts";
export * from "./data/index.ts";
export { connect, type NodeConnectOptions } from "./node.ts";
