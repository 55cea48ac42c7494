import { dataPlaneHandlers } from "../features/data-plane/manager/handlers.ts";
import { loggerHandlers } from "../features/loggers/manager/handlers.ts";
import { networkHandlers } from "../features/network-statistics/manager/handlers.ts";
import { recordingHandlers } from "../features/recordings/manager/handlers.ts";
import type { ClientFrame, ClientFrameType } from "../protocol/frames/frames.ts";
import { configHandlers } from "./handlers/config.ts";
import type { Handler, HandlerTable } from "./handlers/handler.ts";
import { logHandlers, outputHandlers } from "./handlers/output-and-log.ts";
import { processHandlers } from "./handlers/process.ts";
import { snapshotHandlers } from "./handlers/snapshot.ts";
import { taskHandlers } from "./handlers/task-list.ts";

/** A handler for every frame type: one that is missing does not compile. */
const HANDLERS: HandlerTable<ClientFrameType> = {
  ...snapshotHandlers,
  ...processHandlers,
  ...outputHandlers,
  ...logHandlers,
  ...configHandlers,
  ...taskHandlers,
  ...dataPlaneHandlers,
  ...recordingHandlers,
  ...loggerHandlers,
  ...networkHandlers,
};

/** The handler of a decoded frame: the decoder has checked that `type` is a key. */
export function handlerOf(frame: ClientFrame): Handler<ClientFrameType> {
  // The table pairs each type with its own frame, which TypeScript cannot follow through an index.
  return HANDLERS[frame.type] as Handler<ClientFrameType>;
}

/** Frames that change nothing beyond their own connection. A type that is not listed is refused during a shutdown. */
const LOOKING: ReadonlySet<ClientFrameType> = new Set<ClientFrameType>([
  "get_snapshot",
  "get_process_output",
  "follow_terminal_size",
  "subscribe_process_output",
  "unsubscribe_process_output",
  "subscribe_topic",
  "unsubscribe_topic",
  "request_logs",
  "set_log_min_level",
  "request_process_detail",
  "dump_startup_commands",
  "request_plan",
  "request_config_file",
  "request_config_history",
  "check_config_file",
  "request_process_list",
  "request_process_loads",
  "request_clients",
  "request_parameters",
  "request_network_stats",
  "request_network_topology",
  "request_tcp_connections",
  "request_topics",
  "request_topics_stat",
  "request_topic_detail",
  "request_topic_scheduling",
  "request_services",
  "request_loggers",
  "request_recordings",
]);

/** Whether a frame of this type is answered while the manager is shutting down. */
export function onlyLooks(type: ClientFrameType): boolean {
  return LOOKING.has(type);
}
