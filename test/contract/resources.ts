import { FEATURE_CONTRACTS } from "../features/contract.ts";
import { HOST_STATES, LOG_LEVELS, REQUESTED_STATES, STATES, X_DISPLAY_KINDS, X_DISPLAY_REASONS } from "./closed-values.ts";
import { arrayOf, byField, type Fields, mapOf, nullable, oneOf, optional, type Tables, table, tuple } from "./field-types.ts";
import { merged } from "./rows.ts";

const anyOne = (values: readonly string[]) => oneOf(...values);

/** Tree nodes are told apart by `type`. */
export const TREE_NODE = byField("type", { group: "tree group", process: "tree process" });
/** VNC sessions are told apart by `kind`. */
export const VNC_SESSION = byField("kind", { private: "private VNC session", configured: "configured VNC session" });

/** Every resource of the core with all its fields (docs/protocol.md, "Resources"). */
const CORE_RESOURCES: Tables = {
  "output time": { offset: "integer", time: "timestamp" },
  access: { user: "string", grants: arrayOf(table("grant")) },
  grant: { role: oneOf("viewer", "operator", "admin"), on: nullable(arrayOf("string")), may_download: "boolean", may_type: "boolean" },
  process: {
    name: "string",
    display_name: "string",
    state: anyOne(STATES),
    requested_state: anyOne(REQUESTED_STATES),
    pid: nullable("integer"),
    host: "string",
    node: "string",
    command: "string",
    command_override: nullable("string"),
    alternate_commands: arrayOf(tuple("string", "string")),
    alternate_command_overrides: mapOf("string"),
    current_alternate_command: "string",
    current_command: "string",
    start_tool: nullable("string"),
    svc_debug: "boolean",
    x_display_kind: nullable(anyOne(X_DISPLAY_KINDS)),
    x_display: nullable("string"),
    x_display_username: nullable("string"),
    x_display_peer: nullable("string"),
    x_display_reason: nullable(anyOne(X_DISPLAY_REASONS)),
    has_ready_state: "boolean",
    start_time: nullable("timestamp"),
    stop_time: nullable("timestamp"),
    // docs/design/wire-rules.md, "States and transitions"
    exit: nullable(table("exit")),
    restarts: "integer",
    next_start_time: nullable("timestamp"),
    waiting_for: arrayOf("string"),
    depends_on: arrayOf("string"),
    autostart: "boolean",
    confirm: "boolean",
    low_delay_output: "boolean",
    no_skip_display: "boolean",
    host_ready: "boolean",
    // docs/design/wire-rules.md, "What a process tells of itself"
    requested_by: nullable("string"),
    requested_time: nullable("timestamp"),
    stopped_with: nullable("string"),
    stops_with: arrayOf("string"),
    running_command: nullable("string"),
    needs_restart: "boolean",
    restarting: "boolean",
  },
  exit: { code: nullable("integer"), signal: nullable("string"), reason: nullable("string"), time: "timestamp" },

  "tree group": {
    type: oneOf("group"),
    name: "string",
    display_name: "string",
    opened: "boolean",
    children: arrayOf(TREE_NODE),
    // docs/design/wire-rules.md, "Snapshot and events"
    state: anyOne(STATES),
  },
  "tree process": { type: oneOf("process"), name: "string" },

  host: {
    name: "string",
    aliases: arrayOf("string"),
    node_aliases: arrayOf("string"),
    all_names: arrayOf("string"),
    daemon_ready: "boolean",
    // Beyond the documents: docs/multi-host.md
    state: anyOne(HOST_STATES),
    problem: nullable("string"),
    lost_time: nullable("timestamp"),
    alone: optional(table("time without a manager")),
    version: nullable("string"),
    clock_offset: nullable("number"),
  },
  "time without a manager": { from: "timestamp", until: "timestamp", restarts: "integer", resumed: optional(table("resumed processes")) },
  "resumed processes": { time: "timestamp", processes: "integer", after: oneOf("boot", "daemon") },
  "start tool": { value: nullable("string"), label: "string" },

  client: {
    id: "integer",
    name: "string",
    pid: "integer",
    host: "string",
    address: "string",
    library_version: "integer",
    svn_revision: "integer",
    modified: "boolean",
    svc_debug: "boolean",
    process_name: "string",
    published_topics: arrayOf("string"),
    subscribed_topics: arrayOf("string"),
    // docs/design/wire-rules.md, "Clients, topics, services, parameters and loggers": names of services
    provided_services: arrayOf("string"),
  },
  "process load": { name: "string", cpu_percent: "number", memory_rss: "integer", processes: "integer" },
  "host load": { host: "string", cpu_percent: "number", cpus: "integer" },
  "log entry": {
    id: "integer",
    ts: "timestamp",
    level: anyOne(LOG_LEVELS),
    source: "string",
    msg: "string",
    // docs/design/wire-rules.md, "Snapshot and events"
    change: optional(table("state change")),
    action: optional(table("user action")),
    // docs/access.md, "What is hidden"
    about: optional(arrayOf("string")),
  },
  "user action": { kind: oneOf("command", "configuration"), by: "string", name: nullable("string") },
  "state change": {
    process: "string",
    from: nullable(anyOne(STATES)),
    to: anyOne(STATES),
    by: nullable("string"),
    reason: nullable("string"),
  },

  "private VNC session": {
    kind: oneOf("private"),
    session_id: oneOf(""),
    session_name: "string",
    display_name: "string",
    vnc_port: "integer",
    process: "string",
  },
  "configured VNC session": {
    kind: oneOf("configured"),
    session_id: "string",
    session_name: "string",
    node: "string",
    vnc_port: "integer",
    vnc_display: "integer",
    process: "string",
  },
  "web X display": {
    known: "boolean",
    running: "boolean",
    ready: "boolean",
    username: "string",
    display_name: "string",
    process: "string",
  },
  manager: { name: "string", host: "string", save_problem: nullable("string") },

  // docs/design/wire-rules.md, "Commands"
  "configuration problem": { path: "string", line: "integer", column: "integer", message: "string" },
  "host change": { name: "string", change: anyOne(["added", "removed", "changed"]), keys: arrayOf("string") },
  "configuration difference": { name: "string", key: "string", from: nullable("string"), to: nullable("string") },
  "configuration version": { hash: "string", time: "timestamp", by: nullable("string"), size: "integer" },
  "configuration file": { path: "string", size: "integer", writable: "boolean" },
};

export const RESOURCES: Tables = merged<Fields>([CORE_RESOURCES, ...FEATURE_CONTRACTS.map(({ resources }) => resources)]);
