/** `mgr/client`: control a manager from another program. */
export { MgrError } from "../base/errors.ts";
export type { ClientFrame, ManagerFrame } from "../protocol/frames.ts";
export type * from "../protocol/resources.ts";
export type { Link, LinkState } from "./link.ts";
export { ManagerClient } from "./manager-client.ts";
export { type ConnectOptions, connect } from "./node.ts";
export { webSocketLink } from "./websocket-link.ts";
