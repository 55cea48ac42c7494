import { LOG_LEVELS, PROCESS_ATTRIBUTES, RECORDED_BESIDE, SAMPLE_MODES } from "./closed-values.ts";
import { arrayOf, type Fields, type FieldType, nullable, oneOf, optional, type Tables, table } from "./field-types.ts";

export interface ClientFrameRow {
  /** Fields besides `type`; any frame may carry a `request_id` too. */
  readonly fields: Fields;
  /** Type of the answering frame; null: none is shown, so `ack` answers a frame with a request_id. */
  readonly answer: string | null;
}

const row = (fields: Fields, answer: string | null = null): ClientFrameRow => ({ fields, answer });
const name: FieldType = "string";
const text: FieldType = "string";

/** Objects inside client frames. */
export const CLIENT_FRAME_PARTS: Tables = {
  "configured logger topic": { name: "string", log_size: "integer", divisor: "integer" },
  // policy, prio and affinity may be left out
  "task to schedule": {
    host: "string",
    pid: "integer",
    tid: "integer",
    policy: optional("integer"),
    prio: optional("integer"),
    affinity: optional("string"),
  },
};

/** docs/protocol.md, "Frames from client to manager". */
const BASIC_FRAMES: Readonly<Record<string, ClientFrameRow>> = {
  get_snapshot: row({}, "snapshot"),
  start_process: row({ name }),
  stop_process: row({ name }),
  start_group: row({ name }),
  stop_group: row({ name }),
  // `lines` and `seconds` may be left out
  get_process_output: row(
    { name, lines: optional("integer"), seconds: optional("number"), times: optional("boolean") },
    "process_output_snapshot",
  ),
  subscribe_process_output: row({ patterns: arrayOf("string") }),
  unsubscribe_process_output: row({ patterns: arrayOf("string") }),
  // `reply`: only the connection that last typed or resized may reply (docs/design/wire-rules.md, "Output")
  send_stdin: row({ name, text, reply: optional("boolean") }),
  send_winch: row({ name, rows: "integer", cols: "integer" }),
  set_process_current_alternate_command: row({ name, which: "string" }),
  // null and "" clear an override (docs/design/wire-rules.md, "Answers and errors")
  set_process_command_override: row({ name, override: nullable("string") }),
  set_process_alternate_command_override: row({ name, which: "string", override: nullable("string") }),
  set_process_attribute: row({ name, attribute: oneOf(...PROCESS_ATTRIBUTES), value: "anything" }, "process_attribute_set_result"),
  dump_startup_commands: row({ name }, "process_startup_commands"),
  request_clients: row({}, "clients_snapshot"),
  // Without `filter` all tasks; `show_*` are false by default (docs/design/wire-rules.md, "Process list")
  request_process_list: row(
    { host: "string", show_threads: optional("boolean"), show_env: optional("boolean"), filter: optional("string") },
    "process_list",
  ),
  // `nice` is beyond the table: the other half of scheduling, which a process list shows as well
  set_process_list_task: row(
    {
      host: "string",
      pid: "integer",
      tid: "integer",
      policy: "integer",
      prio: "integer",
      affinity: "string",
      nice: optional("integer"),
    },
    "process_list_task_set_result",
  ),
  request_parameters: row({ pattern: "string" }, "parameters_snapshot"),
  set_parameter_override: row(
    { service: "string", provider_id: "integer", parameter: "string", enabled: "boolean", value: "string" },
    "parameter_override_result",
  ),
  open_parameter_scope: row({ service: "string", provider_id: "integer", parameter: "string" }, "parameter_open_scope_result"),
  // Default: 2 s, interval (docs/design/wire-rules.md, "Network")
  request_network_stats: row({ sample_seconds: optional("number"), sample_mode: optional(oneOf(...SAMPLE_MODES)) }, "network_stats"),
  request_network_topology: row({}, "network_topology"),
  configure_logger: row({ name, only_ts: "boolean", topics: arrayOf(table("configured logger topic")) }, "logger_action_result"),
  start_logger: row({ name }, "logger_action_result"),
  stop_logger: row({ name }, "logger_action_result"),
};

/** Further frames of the same table. */
const FURTHER_FRAMES: Readonly<Record<string, ClientFrameRow>> = {
  reload_config: row({ dry_run: optional("boolean") }, "config_reload_result"),
  request_config_file: row({ path: optional("string"), hash: optional("string") }, "config_file"),
  request_config_history: row({ path: optional("string") }, "config_history"),
  check_config_file: row({ path: "string", content: "string" }, "config_file_checked"),
  save_config_file: row({ path: "string", content: "string", base_hash: optional("string") }, "config_file_saved"),
  set_process_no_skip_display: row({ name, enabled: "boolean" }),
  set_process_low_delay_output: row({ name, enabled: "boolean" }),
  restart_process: row({ name }),
  restart_group: row({ name }),
  send_signal: row({ name, signal: "string" }),
  request_logs: row({ level: optional(oneOf(...LOG_LEVELS)), limit: optional("integer"), before: optional("integer") }, "log_batch"),
  set_log_min_level: row({ level: oneOf(...LOG_LEVELS) }),
  request_topics_stat: row({ sample_seconds: optional("number") }, "topics_stat"),
  request_topic_detail: row({ name }, "topic_detail"),
  request_topic_scheduling: row({ name }, "topic_scheduling"),
  apply_topic_scheduling: row({ name, tasks: arrayOf(table("task to schedule")) }, "topic_scheduling_result"),
  request_loggers: row({}, "loggers_snapshot"),
  search_output: row(
    {
      search: "string",
      pattern: "string",
      regex: optional("boolean"),
      ignore_case: optional("boolean"),
      names: optional(arrayOf("string")),
      patterns: optional(arrayOf("string")),
      since: optional("number"),
      until: optional("number"),
      context: optional("integer"),
      limit: optional("integer"),
    },
    "search_output_done",
  ),
  cancel_search_output: row({ search: "string" }),
  delete_logger: row({ name }, "logger_action_result"),
  request_tcp_connections: row({ host: "string" }, "tcp_connections"),
  request_recordings: row({}, "recordings_snapshot"),
  start_recording: row(
    {
      name,
      topics: optional(arrayOf("string")),
      terminals: optional(arrayOf("string")),
      include: optional(arrayOf(oneOf(...RECORDED_BESIDE))),
      max_size: optional("integer"),
      max_duration: optional("integer"),
      max_files: optional("integer"),
      min_free_space: optional("integer"),
      delete_oldest: optional("boolean"),
    },
    "recording_action_result",
  ),
  stop_recording: row({ name }, "recording_action_result"),
  delete_recording: row({ name, host: optional("string"), file: optional("string") }, "recording_action_result"),
  request_topics: row({}, "topics_snapshot"),
  request_services: row({}, "services_snapshot"),
  // The documents give `max_rate` a maximum, but no default: it is sent.
  subscribe_topic: row({ name, max_rate: optional("number"), fields: optional(arrayOf("string")) }),
  unsubscribe_topic: row({ name }),
  publish_topic: row(
    { name, value: "anything", definition: optional("string"), definition_name: optional("string") },
    "topic_publish_result",
  ),
  call_service: row({ name, endpoint: "string", request: "anything" }, "service_call_result"),
  request_process_detail: row({ name }, "process_detail"),
  request_process_loads: row({ name: optional("string") }, "process_loads"),
  request_plan: row({}, "plan"),
  follow_terminal_size: row({ name, follow: optional("boolean") }, "terminal_size"),
};

export const CLIENT_FRAMES: Readonly<Record<string, ClientFrameRow>> = { ...BASIC_FRAMES, ...FURTHER_FRAMES };
