/** `mgr/client`: control a manager from another program. In a browser, `browser.ts` stands in its place. */
export * from "./common.ts";
export { connect, type NodeConnectOptions } from "./node.ts";
