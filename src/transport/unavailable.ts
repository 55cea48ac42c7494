import type { ClientFrameType } from "../protocol/frames/frames.ts";
import type { Unavailable } from "./handlers/handler.ts";

/** Frames whose part of the manager is not there yet. This list shrinks to nothing. */
export const NOT_YET = [
  "request_clients",
  "request_parameters",
  "set_parameter_override",
  "open_parameter_scope",
  "request_network_stats",
  "request_network_topology",
  "request_topics",
  "request_topics_stat",
  "request_topic_detail",
  "request_topic_scheduling",
  "apply_topic_scheduling",
  "subscribe_topic",
  "unsubscribe_topic",
  "request_services",
  "call_service",
  "request_loggers",
  "configure_logger",
  "start_logger",
  "stop_logger",
  "delete_logger",
] as const satisfies ClientFrameType[];

type NotYetType = (typeof NOT_YET)[number];

const unavailable: Unavailable = { kind: "unavailable" };

export const notYetHandlers = Object.fromEntries(NOT_YET.map((type) => [type, unavailable])) as Record<NotYetType, Unavailable>;
