/** The part of `mgr/client` that is the same in Node and in browsers. */
export { type AnyErrorCode, MgrError } from "../base/errors.ts";
export type * from "../features/client-exports.ts";
export type { ClientFrame, ManagerFrame } from "../protocol/frames/frames.ts";
export type * from "../protocol/resources/resources.ts";
export { exitText } from "./handles/exit-text.ts";
export type { GroupHandle } from "./handles/group-handle.ts";
export type { HostHandle } from "./handles/host-handle.ts";
export { isIn, isUp } from "./handles/process-goals.ts";
export type { ProcessHandle } from "./handles/process-handle.ts";
export type { ConnectOptions, FocusedView } from "./link/connect-options.ts";
export type { ManagerLink, ManagerLinkState } from "./link/manager-link.ts";
export { webSocketLink } from "./link/websocket-link.ts";
export { ManagerClient } from "./manager-client.ts";
export { OutputJoin } from "./output-join.ts";
export type { AnswerTo, RequestOptions } from "./requests.ts";
export type { WaitOptions } from "./wait.ts";
