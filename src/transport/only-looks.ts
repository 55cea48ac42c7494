import type { ClientFrameType } from "../protocol/frames/frames.ts";

/** Frames that change nothing beyond their own connection. A type that is not listed is refused during a shutdown. */
const LOOKING: ReadonlySet<ClientFrameType> = new Set<ClientFrameType>([
  "get_snapshot",
  "get_process_output",
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
  "request_process_list",
  "request_clients",
  "request_parameters",
  "request_network_stats",
  "request_network_topology",
  "request_topics",
  "request_topics_stat",
  "request_topic_detail",
  "request_topic_scheduling",
  "request_services",
  "request_loggers",
]);

/** Whether a frame of this type is answered while the manager is shutting down. */
export function onlyLooks(type: ClientFrameType): boolean {
  return LOOKING.has(type);
}
