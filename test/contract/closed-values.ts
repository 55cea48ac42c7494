/** Closed lists of values. Each says where it stands. */

/** protocol-decisions, "States". */
export const STATES = ["stopped", "waiting", "starting", "started", "ready", "stopping", "backoff", "error"];
/** docs/multi-host.md. */
export const HOST_STATES = ["absent", "greeting", "ready", "lost", "incompatible", "died"];
/** protocol-decisions, "States". */
export const REQUESTED_STATES = ["start", "stop"];
/** protocol-decisions, "Snapshot and events": the worst member first. */
export const GROUP_STATE_ORDER = ["error", "backoff", "stopping", "starting", "waiting", "started", "ready", "stopped"];
/** protocol.md, "Log entry". */
export const LOG_LEVELS = ["debug", "info", "warning", "error"];
/** protocol.md, "Process". */
export const X_DISPLAY_KINDS = ["manager", "web", "gui", "configured_vnc"];
/** protocol-decisions, "Displays". */
export const X_DISPLAY_REASONS = ["forward_x11", "forward_x11_fallback", "forward_x11_to_gui", "forward_x11_to_vnc"];
/** protocol.md, "set_process_attribute". */
export const PROCESS_ATTRIBUTES = ["start_tool", "svc_debug"];
/** protocol-decisions, "Network". */
export const LINK_CHILD_KINDS = ["topic", "service", "tcp_forward", "daemon", "client", "mgr_remote", "web"];
/** protocol-decisions, "Network". */
export const PROBLEM_SEVERITIES = ["info", "warning", "error"];
/** protocol.md, "Rules for request_network_stats". */
export const SAMPLE_MODES = ["interval", "previous"];
/** protocol-decisions, "Process list". */
export const COLUMN_TYPES = ["integer", "number", "string", "bytes", "duration", "percent", "boolean"];
/** protocol-decisions, "Process list": at least these. @public for the issue of the process list */
export const PROCESS_LIST_COLUMNS = [
  "pid",
  "tid",
  "ppid",
  "user",
  "process",
  "state",
  "policy",
  "prio",
  "nice",
  "affinity",
  "cpu_percent",
  "memory_rss",
  "memory_percent",
  "threads",
  "start_time",
  "cpu_time",
  "command",
];
/** The documents leave `align` open: as CSS calls it. */
export const ALIGNMENTS = ["left", "right"];
/** The documents leave `action` open: the verbs of the four commands. */
export const LOGGER_ACTIONS = ["configure", "start", "stop", "delete"];
/** protocol-decisions, "Process list". @public for the issue of the process list */
export const FILTER_OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "~", "!~"];
/** protocol-decisions, "Commands with fields not shown". */
export const TOPIC_ROLES = ["publisher", "subscriber"];
/** protocol-decisions, "Conventions for every frame". */
export const ERROR_CODES = [
  "bad_json",
  "bad_frame",
  "unknown_action",
  "bad_field",
  "too_large",
  "not_found",
  "conflict",
  "not_running",
  "host_unavailable",
  "out_of_scope",
  "timeout",
  "busy",
  "forbidden",
  "shutting_down",
  "internal",
];
/** protocol-decisions, "Conventions for every frame"; 1011 from runtime.md, "Actors". */
export const CLOSE_CODES = {
  "manager shutting down": 1001,
  "bad UTF-8": 1007,
  "refused or too slow": 1008,
  "frame too large": 1009,
  "the connection's actor failed": 1011,
  "manager restarting": 1012,
};
/** protocol-decisions, "Conventions for every frame". */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** protocol-decisions, "Conventions for every frame": a request_id is a string of 1..64 characters or a safe integer. */
export const MAX_REQUEST_ID_CHARACTERS = 64;
