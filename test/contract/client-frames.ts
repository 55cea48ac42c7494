import { FEATURE_CONTRACTS } from "../features/contract.ts";
import { LOG_LEVELS, PROCESS_ATTRIBUTES } from "./closed-values.ts";
import { arrayOf, type FieldType, nullable, oneOf, optional, type Tables } from "./field-types.ts";
import { type ClientFrameRow, merged, row } from "./rows.ts";

const name: FieldType = "string";
const text: FieldType = "string";

/** Objects inside client frames. */
export const CLIENT_FRAME_PARTS: Tables = merged(FEATURE_CONTRACTS.map(({ clientFrameParts }) => clientFrameParts));

/** docs/protocol.md, "Frames from client to manager": those of the core. */
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
  request_process_detail: row({ name }, "process_detail"),
  request_process_loads: row({ name: optional("string") }, "process_loads"),
  request_plan: row({}, "plan"),
  follow_terminal_size: row({ name, follow: optional("boolean") }, "terminal_size"),
};

export const CLIENT_FRAMES = merged<ClientFrameRow>([
  BASIC_FRAMES,
  FURTHER_FRAMES,
  ...FEATURE_CONTRACTS.map(({ clientFrames }) => clientFrames),
]);
