/** What `mgr/client` is wherever it runs. */
export { type AnyErrorCode, MgrError } from "../base/errors.ts";
export type { ClientFrame, ManagerFrame } from "../protocol/frames.ts";
export type * from "../protocol/resources.ts";
export type { ConnectOptions, FocusedView } from "./connect-options.ts";
export { exitText } from "./exit-text.ts";
export type { GroupHandle } from "./group-handle.ts";
export type { HostHandle } from "./host-handle.ts";
export type { Link, LinkState } from "./link.ts";
export type { LoggerConfiguration, LoggerHandle } from "./logger-handle.ts";
export { ManagerClient } from "./manager-client.ts";
export { OutputJoin } from "./output-join.ts";
export { isIn, isUp } from "./process-goals.ts";
export type { ProcessHandle } from "./process-handle.ts";
export type { AnswerTo, RequestOptions } from "./requests.ts";
export type { WaitOptions } from "./wait.ts";
export { webSocketLink } from "./websocket-link.ts";
