/** `mgr/client`: control a manager from another program, and be a client of its bus. Browsers load `browser.ts` instead. */

export * from "../features/client-exports-node.ts";
export * from "./common.ts";
export type { NodeConnectOptions } from "./link/node-options.ts";
export { connect } from "./node.ts";
