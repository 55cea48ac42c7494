/** `mgr/client`: control a manager from another program, and be a client of its bus. Browsers load `browser.ts` instead. */
export * from "./common.ts";
export * from "./data/index.ts";
export { connect, type NodeConnectOptions } from "./node.ts";
