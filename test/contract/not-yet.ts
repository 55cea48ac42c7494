/**
 * Rows of the tables that this manager has no part for yet. The list shrinks to nothing: the end-to-end contract test
 * fails when a row stands here and works, and when a row works not and does not stand here.
 */
export interface NotYetRow {
  readonly kind: "client frame" | "manager frame" | "resource" | "route";
  readonly name: string;
}

const rows = (kind: NotYetRow["kind"], names: readonly string[]): NotYetRow[] => names.map((name) => ({ kind, name }));

export const NOT_YET: readonly NotYetRow[] = [
  // Answered by `error` with code `not_found`.
  ...rows("client frame", [
    "request_parameters",
    "set_parameter_override",
    "open_parameter_scope",
    "request_network_stats",
    "request_network_topology",
    "request_topics_stat",
    "request_topic_detail",
    "request_topic_scheduling",
    "apply_topic_scheduling",
    "subscribe_topic",
    "unsubscribe_topic",
    "call_service",
    "request_loggers",
    "configure_logger",
    "start_logger",
    "stop_logger",
    "delete_logger",
  ]),
  // Never sent.
  ...rows("manager frame", [
    "parameters_snapshot",
    "parameter_override_result",
    "parameter_open_scope_result",
    "logger_upsert",
    "logger_remove",
    "logger_action_result",
    "network_stats",
    "network_topology",
    "web_x_display_used",
    "topic_sample",
    "topics_stat",
    "topic_detail",
    "topic_scheduling",
    "topic_scheduling_result",
    "service_call_result",
  ]),
  // Never seen inside a frame.
  ...rows("resource", [
    "logger",
    "logger topic",
    "parameter",
    "parameter error",
    "private VNC session",
    "configured VNC session",
    "network stats",
    "link",
    "link child",
    "compatibility link",
    "compatibility link child",
    "interface traffic",
    "network problem",
    "network topology",
    "network",
    "network interface",
    "gateway",
    "topic statistics",
    "topic task",
    "applied topic task",
  ]),
  // Answered by 404.
  ...rows("route", ["GET /mgr/vnc/info", "GET /mgr/vnc/ws", "GET /mgr/logger-download"]),
];

export const isNotYet = (kind: NotYetRow["kind"], name: string): boolean => NOT_YET.some((row) => row.kind === kind && row.name === name);

/** What a frame without a part is answered: issue "The main job", Protocol. */
export const NO_SUCH_PART = /is not implemented in this version/;
