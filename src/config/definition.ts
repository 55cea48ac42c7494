import type { LogFile, Scheduling, StopStep } from "../contract/run.ts";
import type { Command } from "./command-line.ts";
import type { FileParts, ProcessParts } from "./features.ts";
import type { HostSetting } from "./hosts.ts";
import type { InstanceKeys } from "./schema/schema.ts";
import type { DependencySettings, ProcessKeys, ProcessSection, RESTART, TERMINAL } from "./schema/schema-process.ts";

export interface Dependency extends Readonly<DependencySettings> {
  readonly name: string;
}

export type RestartPolicy = Readonly<typeof RESTART>;

/** Keys of a process that mean what stands in the file. */
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

/** A process of the configuration with every default applied and every reference resolved. What a key means stands in its schema. */
export interface ProcessDefinition extends Readonly<Pick<ProcessKeys, AsWritten>>, ProcessParts {
  readonly name: string;
  /** The host that `node` means: a key of `Config.hosts`; null: the manager's own. */
  readonly host: string | null;
  readonly command: Command;
  /** In configuration order, without `default`. */
  readonly alternate_commands: ReadonlyMap<string, Command>;
  readonly cwd: string;
  /** Folder that relative paths mean; "" on another host: there it is the folder in which its daemon runs. */
  readonly base_dir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly terminal: Readonly<typeof TERMINAL>;
  /** Relative to `base_dir`, or absolute; later ones win. */
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

/** What a process can be started with. */
export type StartToolSetting = Readonly<InstanceKeys["start_tools"][number]>;

/** Settings of the instance; their meaning is in the schema. Paths are absolute. */
export interface InstanceSettings extends Readonly<InstanceKeys> {
  readonly state_dir: string;
}

/** A loaded, checked and resolved configuration. */
export interface Config extends FileParts {
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
  /** In configuration order. */
  readonly processes: ReadonlyMap<string, ProcessDefinition>;
}
