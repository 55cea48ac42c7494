/**
 * The resources of the wire by name. Types and plain values only, so that the page can import them without the schemas; the schema is in
 * the file of its resource, under the resource's name in camel case.
 */

export type { Client } from "../../features/data-plane/wire/client.ts";
export type { Parameter } from "../../features/data-plane/wire/parameter.ts";
export type { Service } from "../../features/data-plane/wire/service.ts";
export type { Topic } from "../../features/data-plane/wire/topic.ts";
export type { VncSession, WebXDisplay } from "../../features/displays/wire.ts";
export type { DaemonLogger, LoggerTopic } from "../../features/loggers/wire.ts";
export type {
  NetworkInterface,
  NetworkLink,
  NetworkProblem,
  NetworkStats,
  NetworkTopology,
  TcpConnection,
} from "../../features/network-statistics/wire.ts";
export type { TaskColumn, TaskRow } from "../../features/process-list/wire.ts";
export type { Recording } from "../../features/recordings/wire.ts";
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
export type { ConfigFileProblem } from "./config.ts";
export type { ManagerInfo, Snapshot } from "./connection.ts";
export type { HostEntry, StartTool } from "./host.ts";
export type { LogEntry, StateChange } from "./log.ts";
export { LOG_LEVELS, type LogLevel } from "./log-level.ts";
export type { GroupNode, ProcessNode, ProcessTreeNode } from "./tree.ts";
