import { FEATURE_CONTRACTS } from "../features/contract.ts";
import { ERROR_CODES, LOG_LEVELS } from "./closed-values.ts";
import { arrayOf, either, type Fields, nullable, oneOf, optional, table } from "./field-types.ts";
import { TREE_NODE, VNC_SESSION } from "./resources.ts";
import { event, type ManagerFrameRow, merged, result } from "./rows.ts";

const name = "string";
const names = arrayOf("string");
const problems = arrayOf(table("configuration problem"));
const planned = {
  starts: names,
  stops: names,
  differences: arrayOf(table("configuration difference")),
  hosts: arrayOf(table("host change")),
  settings: names,
  manager_restart_needed: names,
};

/** docs/protocol.md, "Frames from manager to client": those of the core. */
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
    log_min_level: oneOf(...LOG_LEVELS),
    // Absent from managers without roles.
    access: optional(table("access")),
    ...merged(FEATURE_CONTRACTS.map(({ snapshot }) => snapshot)),
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
  process_attribute_set_result: result({ name, attribute: "string" }, { value: "anything" }),
  process_startup_commands: result({ name }, { commands: names }),
  process_loads: event({ loads: arrayOf(table("process load")), hosts: arrayOf(table("host load")) }),
  log_batch: event({ entries: arrayOf(table("log entry")), history: optional("boolean") }),
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
  host_remove: event({ name: "string" }),
  manager_upsert: event({ manager: table("manager") }),
  terminal_size: event({ name, rows: "integer", cols: "integer", holder: oneOf("this", "other", "none") }),
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
  process_detail: result(
    { name },
    { environment: "anything", history: "anything", changes: "anything", needed_by: "anything", definition: "anything" },
  ),
};

export const MANAGER_FRAMES = merged<ManagerFrameRow>([
  BASIC_FRAMES,
  FURTHER_FRAMES,
  ...FEATURE_CONTRACTS.map(({ managerFrames }) => managerFrames),
]);

/** Echoed by answers; an `ack` always has it (docs/design/wire-rules.md, "Conventions for every frame"). */
export const REQUEST_ID = either("string", "integer");
/** Beside `ok` and the naming fields of a result that failed. */
export const FAILED_RESULT: Fields = { message: "string", code: oneOf(...ERROR_CODES) };
/** `message` may also explain a success. */
export const SUCCEEDED_RESULT: Fields = { message: optional("string") };
