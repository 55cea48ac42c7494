import { MgrError } from "../base/errors.ts";
import type { ClientFrame, ClientFrameType } from "../protocol/frames.ts";
import type { CommandHandler } from "./handlers/handler.ts";
import type { FrameScope } from "./view.ts";

/** Frames about one process: the only ones of this list that a focused view may send. */
const NOT_YET_OF_PROCESSES = [
  "set_process_current_alternate_command",
  "set_process_command_override",
  "set_process_alternate_command_override",
  "set_process_attribute",
  "set_process_no_skip_display",
  "set_process_low_delay_output",
  "dump_startup_commands",
  "request_process_detail",
] as const satisfies ClientFrameType[];

/** Frames whose part of the manager is not there yet. This list shrinks to nothing. */
export const NOT_YET = [
  ...NOT_YET_OF_PROCESSES,
  "reload_config",
  "request_plan",
  "request_config_file",
  "save_config_file",
  "request_clients",
  "request_process_list",
  "set_process_list_task",
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

export type NotYetType = (typeof NOT_YET)[number];

type NotYetFrame = Extract<ClientFrame, { type: NotYetType }>;
type OfProcess = (typeof NOT_YET_OF_PROCESSES)[number];

const handler: CommandHandler<NotYetFrame> = {
  kind: "command",
  scope: (frame): FrameScope => (isOfProcess(frame) ? { kind: "name", name: frame.name } : { kind: "global" }),
  run: ({ type }) => {
    throw new MgrError("not_found", `this manager has no such part yet: ${type}`);
  },
};

/** One handler for all of them. */
export const notYetHandlers = Object.fromEntries(NOT_YET.map((type) => [type, handler])) as Record<NotYetType, typeof handler>;

function isOfProcess(frame: NotYetFrame): frame is Extract<NotYetFrame, { type: OfProcess }> {
  return (NOT_YET_OF_PROCESSES as readonly string[]).includes(frame.type);
}
