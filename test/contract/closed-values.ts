/** Closed lists of values. Each says where it stands. */

/** docs/design/wire-rules.md, "States and transitions". */
export const STATES = ["stopped", "waiting", "starting", "started", "ready", "stopping", "backoff", "error"];
/** docs/multi-host.md. */
export const HOST_STATES = ["absent", "greeting", "ready", "lost", "incompatible", "died"];
/** docs/design/wire-rules.md, "States and transitions". */
export const REQUESTED_STATES = ["start", "stop"];
/** docs/design/wire-rules.md, "Snapshot and events": the worst member first. */
export const GROUP_STATE_ORDER = ["error", "backoff", "stopping", "starting", "waiting", "started", "ready", "stopped"];
/** docs/protocol.md, "LogEntry". */
export const LOG_LEVELS = ["debug", "info", "warning", "error"];
/** docs/protocol.md, "Process". */
export const X_DISPLAY_KINDS = ["manager", "web", "gui", "configured_vnc"];
/** docs/design/wire-rules.md, "Displays". */
export const X_DISPLAY_REASONS = ["forward_x11", "forward_x11_fallback", "forward_x11_to_gui", "forward_x11_to_vnc"];
/** docs/design/wire-rules.md, "Versioning". */
export const PROCESS_ATTRIBUTES = ["start_tool", "svc_debug"];
/** docs/design/wire-rules.md, "Conventions for every frame". */
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
/** docs/design/wire-rules.md, "Conventions for every frame". */
export const CLOSE_CODES = {
  "manager shutting down": 1001,
  "bad UTF-8": 1007,
  "refused or too slow": 1008,
  "frame too large": 1009,
  "the connection's actor failed": 1011,
  "manager restarting": 1012,
};
/** docs/design/wire-rules.md, "Conventions for every frame". */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** docs/design/wire-rules.md, "Conventions for every frame": a request_id is a string of 1..64 characters or a safe integer. */
export const MAX_REQUEST_ID_CHARACTERS = 64;
