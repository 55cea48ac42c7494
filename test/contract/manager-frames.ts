import { ERROR_CODES, LOG_LEVELS, LOGGER_ACTIONS } from "./closed-values.ts";
import { arrayOf, either, type Fields, nullable, oneOf, optional, table } from "./field-types.ts";
import { TREE_NODE, VNC_SESSION } from "./resources.ts";

export interface ManagerFrameRow {
  /** Fields besides `type`; an answer also echoes `request_id`. */
  readonly fields: Fields;
  /**
   * For result frames, the fields that name what was asked: with `ok: false` these are there beside `code` and
   * `message`, and the others need not be.
   */
  readonly naming?: Fields;
}

const event = (fields: Fields): ManagerFrameRow => ({ fields });
const result = (naming: Fields, fields: Fields = {}): ManagerFrameRow => ({
  fields: { ok: "boolean", ...naming, ...fields },
  naming,
});
const name = "string";
const names = arrayOf("string");
const problems = arrayOf(table("configuration problem"));
const planned = {
  starts: names,
  stops: names,
  differences: arrayOf(table("configuration difference")),
  hosts: arrayOf(table("host change")),
  manager_restart_needed: names,
};

/** docs/protocol.md, "Frames from manager to client". */
const BASIC_FRAMES: Readonly<Record<string, ManagerFrameRow>> = {
  snapshot: event({
    webui_asset_hash: "string",
    manager: table("manager"),
    hosts: names,
    host_list: arrayOf(table("host")),
    start_tools: arrayOf(table("start tool")),
    process_tree: arrayOf(TREE_NODE),
    processes: arrayOf(table("process")),
    clients: arrayOf(table("client")),
    // Always there on full connections (docs/design/wire-rules.md, "Displays").
    web_x_display: optional(table("web X display")),
    vnc_sessions: arrayOf(VNC_SESSION),
    topics: arrayOf(table("topic")),
    services: arrayOf(table("service")),
    loggers: arrayOf(table("logger")),
    log_min_level: oneOf(...LOG_LEVELS),
  }),
  process_tree: event({ process_tree: arrayOf(TREE_NODE) }),
  process_upsert: event({ process: table("process") }),
  process_remove: event({ name }),
  process_output: event({ name, output: "string", offset: "integer", stream_id: "string", skipped: optional("integer") }),
  process_output_snapshot: event({
    name,
    pid: "integer",
    output: "string",
    truncated: "boolean",
    offset: "integer",
    stream_id: "string",
    times: optional(arrayOf(table("output time"))),
    resized: optional("integer"),
  }),
  clients_snapshot: event({ clients: arrayOf(table("client")) }),
  client_upsert: event({ client: table("client") }),
  client_remove: event({ id: "integer" }),
  process_list: result(
    { host: "string" },
    {
      show_threads: "boolean",
      show_env: "boolean",
      filter: "string",
      time: "timestamp",
      columns: arrayOf(table("column")),
      rows: arrayOf(table("row")),
    },
  ),
  process_list_task_set_result: result(
    { host: "string", pid: "integer", tid: "integer" },
    { policy: "integer", prio: "integer", affinity: "string" },
  ),
  process_attribute_set_result: result({ name, attribute: "string" }, { value: "anything" }),
  process_startup_commands: result({ name }, { commands: names }),
  topic_upsert: event({ topic: table("topic") }),
  topic_remove: event({ name }),
  service_upsert: event({ service: table("service") }),
  service_remove: event({ name }),
  services_snapshot: event({ services: arrayOf(table("service")) }),
  parameters_snapshot: event({
    pattern: "string",
    parameters: arrayOf(table("parameter")),
    errors: arrayOf(table("parameter error")),
  }),
  parameter_override_result: result(
    { service: "string", provider_id: "integer", parameter: "string" },
    { enabled: "boolean", value: "string" },
  ),
  parameter_open_scope_result: result(
    { service: "string", provider_id: "integer", parameter: "string" },
    { topic: "string", process: "string" },
  ),
  process_loads: event({ loads: arrayOf(table("process load")), hosts: arrayOf(table("host load")) }),
  log_batch: event({ entries: arrayOf(table("log entry")), history: optional("boolean") }),
  search_output_hits: event({ search: "string", hits: arrayOf(table("output hit")) }),
  search_output_progress: event({ search: "string", searched: "integer", hosts: "integer", hosts_done: "integer" }),
  search_output_done: event({
    search: "string",
    hits: "integer",
    searched: "integer",
    cancelled: "boolean",
    truncated: arrayOf(table("truncated search")),
    unanswered: arrayOf(table("unanswered search")),
    problems: arrayOf(table("search problem")),
  }),
  loggers_snapshot: event({ loggers: arrayOf(table("logger")) }),
  logger_upsert: event({ logger: table("logger") }),
  logger_remove: event({ name }),
  logger_action_result: result({ action: oneOf(...LOGGER_ACTIONS), name }),
  network_stats: result({}, { stats: table("network stats") }),
  network_topology: result({}, { topology: table("network topology") }),
  web_x_display_used: event({
    process: "string",
    kind: oneOf("private"),
    display: "string",
    username: "string",
    reason: "string",
  }),
  error: event({
    message: "string",
    code: oneOf(...ERROR_CODES),
    request_type: optional("string"),
  }),
};

/** Further frames of the same table. */
const FURTHER_FRAMES: Readonly<Record<string, ManagerFrameRow>> = {
  ack: event({ request_type: "string" }),
  host_upsert: event({ host: table("host") }),
  tcp_connections: result({ host: "string" }, { connections: arrayOf(table("TCP connection")) }),
  host_remove: event({ name: "string" }),
  manager_upsert: event({ manager: table("manager") }),
  recordings_snapshot: event({ recordings: arrayOf(table("recording")) }),
  recording_upsert: event({ recording: table("recording") }),
  recording_remove: event({ name }),
  recording_action_result: result({ action: oneOf("start", "stop", "delete"), name }),
  topics_snapshot: event({ topics: arrayOf(table("topic")) }),
  terminal_size: event({ name, rows: "integer", cols: "integer", holder: oneOf("this", "other", "none") }),
  topic_sample: event({ name, ts: "timestamp", value: "anything", undecoded: "integer", batch: optional(table("sample batch")) }),
  config_reload_result: result(
    {},
    { added: names, removed: names, changed: names, ...planned, unchanged: names, restart_needed: names, problems },
  ),
  config_file: result(
    { path: optional("string") },
    { path: "string", content: "string", hash: "string", effective_hash: nullable("string"), files: arrayOf(table("configuration file")) },
  ),
  config_file_checked: result({ path: "string" }, { problems }),
  config_file_saved: result({ path: "string" }, { hash: "string", problems }),
  plan: result({}, { added: names, removed: names, changed: names, ...planned, problems }),
  config_history: result(
    { path: optional("string") },
    { path: "string", hash: "string", effective_hash: nullable("string"), versions: arrayOf(table("configuration version")) },
  ),
  topics_stat: result({}, { sample_seconds: "number", topics: arrayOf(table("topic statistics")) }),
  topic_detail: result(
    { name },
    {
      topic: table("topic"),
      publisher: "anything",
      subscribers: "anything",
      definition: "anything",
      encoding: "string",
      keep_last: "boolean",
      priority: "integer",
      max_age_ms: nullable("integer"),
      reliable_within: nullable("integer"),
      kept_dropped: "integer",
      last_sample: "anything",
    },
  ),
  topic_scheduling: result({ name }, { tasks: arrayOf(table("topic task")) }),
  topic_scheduling_result: result({ name }, { tasks: arrayOf(table("applied topic task")) }),
  topic_publish_result: result({ name }, { subscribers: "integer" }),
  service_call_result: result({ name, endpoint: "string" }, { response: "anything" }),
  process_detail: result(
    { name },
    { environment: "anything", history: "anything", changes: "anything", needed_by: "anything", definition: "anything" },
  ),
};

export const MANAGER_FRAMES: Readonly<Record<string, ManagerFrameRow>> = { ...BASIC_FRAMES, ...FURTHER_FRAMES };

/** Echoed by answers; an `ack` always has it (docs/design/wire-rules.md, "Conventions for every frame"). */
export const REQUEST_ID = either("string", "integer");
/** Beside `ok` and the naming fields of a result that failed. */
export const FAILED_RESULT: Fields = { message: "string", code: oneOf(...ERROR_CODES) };
/** `message` may also explain a success. */
export const SUCCEEDED_RESULT: Fields = { message: optional("string") };
