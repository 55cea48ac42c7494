import type { LogFile, StopStep } from "../contract/run.ts";
import type { Scheduling } from "../contract/run-settings.ts";
import type { Command } from "./command-line.ts";
import type { FileParts, ProcessParts } from "./features.ts";
import type { HostSetting } from "./hosts.ts";
import type { Counts, MultipliedEntry } from "./multiplied.ts";
import type { AccessKeys, InstanceKeys } from "./schema/schema.ts";
import type { DependencySettings, ProcessKeys, ProcessSection, RESTART, TERMINAL } from "./schema/schema-process.ts";

export interface Dependency extends Readonly<DependencySettings> {
  readonly name: string;
}

export type RestartPolicy = Readonly<typeof RESTART>;

/** Keys of a process whose values are as in the file. */
type AsWritten =
  | "node"
  | "pass_environment"
  | "user"
  | "umask"
  | "ready"
  | "ready_timeout"
  | "success_exit_codes"
  | "autostart"
  | "alive"
  | "essential"
  | "confirm"
  | "output_on_disk"
  | "start_tool";

/** A process of the configuration with every default applied and every reference resolved. The schema describes the keys. */
export interface ProcessDefinition extends Readonly<Pick<ProcessKeys, AsWritten>>, ProcessParts {
  readonly name: string;
  /** The host that `node` means: a key of `Config.hosts`; null: the manager's own. */
  readonly host: string | null;
  readonly command: Command;
  /** Alternate commands in configuration order, without `default`. */
  readonly alternate_commands: ReadonlyMap<string, Command>;
  readonly cwd: string;
  /** Base folder of relative paths; "" on another host, where it is the folder in which the daemon runs. */
  readonly base_dir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly terminal: Readonly<typeof TERMINAL>;
  /** Paths relative to `base_dir`, or absolute; variables of later files win. */
  readonly env_files: readonly string[];
  readonly limits: NonNullable<ProcessSection["limits"]>;
  readonly scheduling: Scheduling | null;
  readonly depends_on: readonly Dependency[];
  readonly restart: RestartPolicy;
  readonly stop: readonly StopStep[];
  /** picomatch globs, relative to `base_dir` or absolute. */
  readonly watch: readonly string[];
  readonly log_file: LogFile | null;
}

/** A tool with which a process can be started. */
export type StartToolSetting = Readonly<InstanceKeys["start_tools"][number]>;

/** Settings of the instance; their meaning is in the schema. Paths are absolute. */
export interface InstanceSettings extends Readonly<InstanceKeys> {
  readonly state_dir: string;
}

/** The entries of 'processes' that stand for several processes each. */
export interface MultipliedProcesses {
  readonly entries: ReadonlyMap<string, MultipliedEntry>;
  /** The same files with other counts. Throws ConfigError if they have problems then. */
  with(counts: Counts): Config;
}

/** A loaded, checked and resolved configuration. */
export interface Config extends FileParts {
  /** Absolute path of the main file, or null for a configuration given as an object. */
  readonly file: string | null;
  readonly base_dir: string;
  /** Absolute paths of all files, the main one first; empty for a configuration given as an object. */
  readonly files: readonly string[];
  /** Hash of each file's text as it was read, by path; `config_file` has the same hash. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The profiles with which the files were read, the strongest last. */
  readonly profiles: readonly string[];
  readonly instance: InstanceSettings;
  /** Every group that exists, also those implied by process names. */
  readonly groups: ReadonlyMap<string, { readonly opened: boolean }>;
  /** Logical node name → host, as configured. */
  readonly nodes: ReadonlyMap<string, string>;
  /** Hosts by their names in the file; one of them may be the manager's own. */
  readonly hosts: ReadonlyMap<string, HostSetting>;
  /** Who may do what. */
  readonly access: AccessKeys;
  /** Null: each entry stands for one process. */
  readonly multiplied: MultipliedProcesses | null;
  /** Processes in configuration order. */
  readonly processes: ReadonlyMap<string, ProcessDefinition>;
}
