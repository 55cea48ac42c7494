/**
 * The resources of the wire by name. Types and plain values only, so that the page can import them without the schemas; the schema is in
 * the file of its resource, under the resource's name in camel case.
 */

export type { Process, ProcessExit } from "../process/process.ts";
export type { HostLoad, ProcessLoad } from "../process/process-load.ts";
export {
  groupState,
  isRunningState,
  PROCESS_STATES,
  type ProcessState,
  REQUESTED_STATES,
  type RequestedState,
  SEVERITY,
  stateInGroup,
} from "../process/process-state.ts";
export { SIGNALS, type Signal } from "../process/signals.ts";
export type { Client } from "./client.ts";
export type { ConfigFileProblem } from "./config.ts";
export type { ManagerInfo, Snapshot } from "./connection.ts";
export type { VncSession, WebXDisplay } from "./display.ts";
export type { HostEntry, StartTool } from "./host.ts";
export type { LogEntry, StateChange, UserAction } from "./log.ts";
export { LOG_LEVELS, type LogLevel } from "./log-level.ts";
export type { GroupNode, ProcessNode, ProcessTreeNode } from "./tree.ts";
