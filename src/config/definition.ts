import type { Limit, LimitName, Liveness, LogFile, Program, ReadyCondition, Scheduling, StopStep } from "../contract/run.ts";
import type { LoggerTopicSpec } from "../features/loggers/contract.ts";
import type { RecordingSpec } from "../features/recordings/contract.ts";
import type { HostSetting } from "./hosts.ts";

/** A command as configured or overridden: what a person reads, and what the host executes. */
export interface Command {
  /** One line; array commands are shell-quoted (docs/design/wire-rules.md, "Processes"). */
  readonly text: string;
  readonly program: Program;
}

export type DependencyCondition = "started" | "ready" | "completed";

export interface Dependency {
  readonly name: string;
  readonly condition: DependencyCondition;
  /** What happens to the dependent when this dependency is stopped by request. */
  readonly on_stop: "stop" | "restart" | "keep";
}

/** Milliseconds throughout. */
export interface RestartPolicy {
  readonly policy: "never" | "on-failure" | "always";
  /** First delay; multiplied by `factor` after each failure, up to `max_delay`. */
  readonly delay: number;
  readonly factor: number;
  readonly max_delay: number;
  /** More restarts than this within `window`, or in a row without a run of `reset_after`, are a crash loop: state `error`. */
  readonly max_restarts: number;
  readonly window: number;
  /** A run that lived this long sets the delay back to `delay`. */
  readonly reset_after: number;
  /** After a failure a process counts as restarting until a run has lived this long. */
  readonly stable_after: number;
}

/** A process of the configuration with every default applied and every reference resolved. */
export interface ProcessDefinition {
  readonly name: string;
  /** Logical node: a name of `Config.nodes`, or of a host. */
  readonly node: string;
  /** The host that `node` means: a key of `Config.hosts`; null: the manager's own. */
  readonly host: string | null;
  readonly command: Command;
  /** In configuration order, without `default`. */
  readonly alternate_commands: ReadonlyMap<string, Command>;
  readonly cwd: string;
  /** Folder that relative paths mean; "" on another host: there it is the folder in which its daemon runs. */
  readonly base_dir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly pass_environment: readonly string[];
  readonly terminal: { readonly rows: number; readonly cols: number; readonly backlog: number };
  /** Relative to `base_dir`, or absolute; later ones win. */
  readonly env_files: readonly string[];
  /** Name or number; null: the daemon's own. */
  readonly user: string | null;
  readonly umask: number | null;
  readonly limits: Readonly<Partial<Record<LimitName, Limit>>>;
  readonly scheduling: Scheduling | null;
  readonly ready: ReadyCondition | null;
  readonly ready_timeout: number | null;
  readonly depends_on: readonly Dependency[];
  readonly restart: RestartPolicy;
  readonly stop: readonly StopStep[];
  readonly success_exit_codes: readonly number[];
  readonly autostart: boolean;
  readonly alive: Liveness | null;
  /** Its failure ends a `mgr up` in the foreground with its exit code. */
  readonly essential: boolean;
  /** The page asks before it stops or restarts it. */
  readonly confirm: boolean;
  /** picomatch globs, relative to `base_dir` or absolute. */
  readonly watch: readonly string[];
  readonly log_file: LogFile | null;
  /** The newest output is also kept on the host's disk. */
  readonly output_on_disk: boolean;
  /** Where its X clients show; null: its own affair. */
  readonly forward_x11: X11Forwarding | null;
  /** It is a VNC server: number of its X display, and its TCP port on localhost. */
  readonly vnc: { readonly display: number; readonly port: number } | null;
  /** The default tool: a value of `InstanceSettings.start_tools`, or "none"; null: not configured. */
  readonly start_tool: string | null;
}

/**
 * `display`: the manager's own, else the private one of the web user who starts it; `gui`: the desktop of the user who starts it, if `mgr gui`
 * has connected it, else the user's private display; `vnc`: that of another process.
 */
export type X11Forwarding = { readonly to: "display" } | { readonly to: "gui" } | { readonly to: "vnc"; readonly process: string };

/** What a process can be started with. */
export interface StartToolSetting {
  readonly value: string;
  readonly label: string;
  /** Holds `{command}`, which stands for the process's own command. */
  readonly command: string;
}

export interface InstanceSettings {
  readonly name: string;
  /** Where the one port listens: host "" is every interface; port 0 picks a free one. */
  readonly manager: { readonly host: string; readonly port: number };
  /** Absolute, or null when not configured. */
  readonly webui_auth_file: string | null;
  /** PEM file with the certificate chain; absolute, or null: no HTTPS. */
  readonly webui_https_cert_file: string | null;
  /** PEM file with the private key; absolute, or null: it stands in the certificate's file. */
  readonly webui_https_key_file: string | null;
  /** Plain HTTP is answered by a redirect. */
  readonly https_only: boolean;
  /** Host names to answer to beside those of this machine and of the configured hosts. */
  readonly allowed_hosts: readonly string[];
  /** Origins of pages of other sites that may use this manager, as browsers write them. */
  readonly allowed_origins: readonly string[];
  /** Where the embedded broker takes clients. */
  readonly bus_listen: { readonly host: string; readonly port: number } | null;
  /** URLs of the servers that carry remote hosts and clients; none: the embedded broker does. */
  readonly bus: readonly string[];
  /** Absolute, or null when not configured; so the next three. */
  readonly bus_credentials_file: string | null;
  readonly bus_ca_file: string | null;
  readonly bus_cert_file: string | null;
  readonly bus_key_file: string | null;
  /** Leaf-node listener of the server in `bus`, which links the brokers of all hosts. */
  readonly bus_leafnode_url: string | null;
  /** Bytes. */
  readonly bus_max_payload: number;
  /** Bytes; null: a share of each machine's memory. */
  readonly bus_memory: number | null;
  /** Absolute. */
  readonly state_dir: string;
  /** Name of the process that shows traces. */
  readonly scope_process: string | null;
  readonly retained_log_entries: number;
  /** What daemons do that have heard no manager for `manager_lost_after` milliseconds. */
  readonly on_manager_lost: "keep" | "stop";
  readonly manager_lost_after: number;
  readonly start_tools: readonly StartToolSetting[];
}

/** What is recorded, unless a recording that is started says otherwise. */
export interface RecordSettings {
  /** Recorded while the manager runs. False without `record` in the file. */
  readonly autostart: boolean;
  readonly topics: readonly string[];
  readonly terminals: readonly string[];
  readonly include: RecordingSpec["include"];
  /** As it is written, or null: in the daemon's state folder. */
  readonly path: string | null;
  /** Bytes. */
  readonly max_size: number;
  /** Milliseconds; null: no limit. */
  readonly max_duration: number | null;
  readonly max_files: number;
  /** Bytes. */
  readonly min_free_space: number;
  readonly on_full: "stop" | "delete_oldest";
}

/** What a logger keeps of each topic. */
export interface LoggerDefinition {
  readonly only_ts: boolean;
  readonly topics: readonly LoggerTopicSpec[];
}

export interface LoggerSettings {
  /** Bytes, for the samples of all loggers on a host. */
  readonly max_memory: number;
  readonly named: ReadonlyMap<string, LoggerDefinition & { readonly autostart: boolean }>;
}

/** Private displays of web users. */
export interface DisplaySettings {
  /** Such as 1600x900. */
  readonly geometry: string;
  /** A line for /bin/sh; null: none. */
  readonly window_manager: string | null;
  /** Milliseconds; null: never. */
  readonly stop_after_disconnect: number | null;
  readonly stop_after_idle: number | null;
}

/** A loaded, checked and resolved configuration. */
export interface Config {
  /** Absolute path of the main file, or null for a configuration given as an object. */
  readonly file: string | null;
  readonly base_dir: string;
  /** Absolute paths of all files, the main one first; empty for a configuration given as an object. */
  readonly files: readonly string[];
  /** Of each file the hash of the text that was read, as `config_file` has it. */
  readonly hashes: ReadonlyMap<string, string>;
  readonly instance: InstanceSettings;
  /** Every group that exists, also those implied by process names. */
  readonly groups: ReadonlyMap<string, { readonly opened: boolean }>;
  /** Logical node name → host, as configured. */
  readonly nodes: ReadonlyMap<string, string>;
  /** By the names that stand in the file; one of them may be the manager's own. */
  readonly hosts: ReadonlyMap<string, HostSetting>;
  readonly record: RecordSettings;
  readonly loggers: LoggerSettings;
  readonly displays: DisplaySettings;
  /** Names of networks, and what addresses are in them. */
  readonly networks: ReadonlyMap<string, { readonly netmasks: readonly string[] }>;
  /** In configuration order. */
  readonly processes: ReadonlyMap<string, ProcessDefinition>;
}

/** One problem of a configuration; `line` and `column` are 1-based, 0 when unknown. */
export interface ConfigProblem {
  /** As it was named by the caller, "" for a configuration given as an object. */
  file: string;
  /** The key's path, "" for the whole file. */
  path: string;
  line: number;
  column: number;
  message: string;
  /** The line itself, "" when unknown. */
  excerpt: string;
}
