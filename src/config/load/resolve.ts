import { join, resolve } from "node:path";
import { POLICIES } from "../../base/scheduling-policies.ts";
import { ancestorNames } from "../../base/text/names.ts";
import type { StopStep } from "../../contract/run.ts";
import type { Scheduling } from "../../contract/run-settings.ts";
import { toCommand } from "../command-line.ts";
import { stateHome } from "../default-paths.ts";
import type { Config, InstanceSettings, MultipliedProcesses, ProcessDefinition, RestartPolicy } from "../definition.ts";
import { fileParts, resolveProcessParts } from "../features.ts";
import { type HostSetting, hostOfNode } from "../hosts.ts";
import type { KeyPath } from "../schema/problems.ts";
import type { ConfigFile, IncludedFile } from "../schema/schema.ts";
import { PROCESS_DEFAULTS, type ProcessSection, RESTART, STOP, TERMINAL } from "../schema/schema-process.ts";
import { type Layer, Layers } from "./layers.ts";
import { lineage } from "./templates.ts";

/** Timeout of the last stop step, milliseconds; after it, the host continues to kill, and reports what is left. */
const KILL_TIMEOUT_MS = 10_000;

/** A checked file of a configuration. */
export interface ConfigPart<File = IncludedFile> {
  readonly config: File;
  /** Absolute base folder of its relative paths. */
  readonly dir: string;
  /** Returns a scalar as it is written in the file, where that is known. */
  readonly writtenAt: (path: KeyPath) => string | undefined;
}

export interface ResolveOptions {
  /** Hashes of the files by path, the main one first; empty for a configuration given as an object. */
  hashes: ReadonlyMap<string, string>;
  profiles: readonly string[];
  /** Values for settings of the instance that are not configured. */
  fallback: { name: string; manager: { host: string; port: number }; state_dir: string | null };
  multiplied: MultipliedProcesses | null;
}

/** Applies templates and defaults to a checked configuration: the main part, and those that it includes. */
export function resolveConfig(main: ConfigPart<ConfigFile>, included: readonly ConfigPart[], options: ResolveOptions): Config {
  const parts = [main, ...included];
  const templates = new Map<string, Layer>();
  for (const { config, dir, writtenAt } of parts) {
    for (const [name, values] of config.templates) templates.set(name, { values, path: ["templates", name], dir, writtenAt });
  }
  const defaults: Layer = { values: main.config.defaults, path: ["defaults"], dir: main.dir, writtenAt: main.writtenAt };
  const { nodes } = main.config;
  const hosts = resolveHosts(main);
  const groups = new Map<string, { opened: boolean }>();
  // Processes that are alike are shown as one row until the user opens it.
  for (const name of options.multiplied?.entries.keys() ?? []) {
    openGroups(groups, ancestorNames(name));
    groups.set(name, { opened: false });
  }
  const processes = new Map<string, ProcessDefinition>();
  const equals = new EqualValues();
  for (const { config, dir, writtenAt } of parts) {
    for (const [name, group] of config.groups) {
      openGroups(groups, ancestorNames(name));
      groups.set(name, group);
    }
    for (const [name, values] of config.processes) {
      openGroups(groups, ancestorNames(name));
      const own: Layer = { values, path: ["processes", name], dir, writtenAt };
      const above = lineage(values, (template) => templates.get(template)?.values).flatMap((template) => templates.get(template) ?? []);
      const node = [...above, own].findLast((layer) => layer.values.node !== undefined)?.values.node ?? PROCESS_DEFAULTS.node;
      const host = hostOfNode(node, { hosts, nodes }) ?? null;
      // Another machine has other folders: there, paths stay as they are written.
      const folder = host === null ? dir : null;
      const layers = new Layers([defaults, ...above, own], folder);
      processes.set(name, resolveProcess({ name, node, host, base_dir: folder ?? "" }, layers, equals));
    }
  }
  const files = [...options.hashes.keys()];
  return {
    file: files[0] ?? null,
    base_dir: main.dir,
    files,
    hashes: options.hashes,
    profiles: options.profiles,
    instance: resolveInstance(main.config.instance, main.dir, options),
    nodes,
    hosts,
    groups,
    multiplied: options.multiplied,
    processes,
    access: main.config.access,
    ...fileParts(main.config),
  };
}

function resolveHosts({ config, dir }: ConfigPart<ConfigFile>): Map<string, HostSetting> {
  return new Map([...config.hosts].map(([name, host]) => [name, { ...host, token_file: fromFolder(dir, host.token_file) }]));
}

function fromFolder(dir: string, path: string | null): string | null {
  return path === null ? null : resolve(dir, path);
}

/** Adds missing groups; groups of the file keep their own setting, wherever they are in the file. */
function openGroups(groups: Map<string, { opened: boolean }>, names: readonly string[]): void {
  for (const name of names) if (!groups.has(name)) groups.set(name, { opened: true });
}

function resolveInstance(section: ConfigFile["instance"], dir: string, { fallback }: ResolveOptions): InstanceSettings {
  const name = section.name ?? fallback.name;
  return {
    ...section,
    name,
    manager: section.manager ?? fallback.manager,
    webui_auth_file: fromFolder(dir, section.webui_auth_file),
    webui_https_cert_file: fromFolder(dir, section.webui_https_cert_file),
    webui_https_key_file: fromFolder(dir, section.webui_https_key_file),
    bus_credentials_file: fromFolder(dir, section.bus_credentials_file),
    bus_ca_file: fromFolder(dir, section.bus_ca_file),
    bus_cert_file: fromFolder(dir, section.bus_cert_file),
    bus_key_file: fromFolder(dir, section.bus_key_file),
    state_dir: fromFolder(dir, section.state_dir) ?? fallback.state_dir ?? join(stateHome(), name),
  };
}

/** One map for all: most of thousands of processes have no alternate commands. */
const NO_ALTERNATES: ProcessDefinition["alternate_commands"] = new Map();

/** Values that many processes have alike, as most have the same terminal and stop steps: one object for all, which are 0.7 KB a process. */
class EqualValues {
  readonly #values = new Map<string, unknown>();

  /** The first value of this field that was equal to this one. Values are data as JSON has it, and are never modified. */
  first<Field extends keyof ProcessDefinition>(field: Field, value: ProcessDefinition[Field]): ProcessDefinition[Field] {
    // An environment has no prototype, unlike other objects.
    const text = `${field} ${JSON.stringify(value)}`;
    const known = this.#values.get(text);
    if (known !== undefined) return known as ProcessDefinition[Field];
    this.#values.set(text, value);
    return value;
  }
}

type Place = Pick<ProcessDefinition, "name" | "node" | "host" | "base_dir">;

function resolveProcess({ name, node, host, base_dir }: Place, layers: Layers, equals: EqualValues): ProcessDefinition {
  const shell = layers.last("shell");
  const alternates = layers.union((values) => values.alternate_commands);
  return {
    // The fields are listed one by one, and the spread is last: docs/design/library-defects.md, "V8".
    name,
    node,
    host,
    base_dir,
    command: equals.first("command", toCommand(layers.last("command") ?? "", shell)),
    alternate_commands:
      alternates.size === 0 ? NO_ALTERNATES : new Map([...alternates].map(([label, command]) => [label, toCommand(command, shell)])),
    cwd: layers.path("cwd"),
    environment: equals.first("environment", layers.environment()),
    pass_environment: layers.last("pass_environment"),
    env_files: equals.first("env_files", layers.paths("env_file")),
    user: layers.last("user"),
    umask: layers.last("umask"),
    limits: equals.first("limits", layers.merged("limits", {})),
    scheduling: schedulingOf(layers.merged("scheduling", {})),
    terminal: equals.first("terminal", layers.merged("terminal", TERMINAL)),
    ready: layers.last("ready"),
    ready_timeout: layers.last("ready_timeout"),
    depends_on: equals.first(
      "depends_on",
      [...layers.union((values) => values.depends_on)].map(([process, how]) => ({ name: process, ...how })),
    ),
    restart: equals.first("restart", restartOf(layers.merged("restart", RESTART))),
    stop: equals.first("stop", stopOf(layers)),
    success_exit_codes: layers.last("success_exit_codes"),
    autostart: layers.last("autostart"),
    alive: layers.last("alive"),
    essential: layers.last("essential"),
    confirm: layers.last("confirm"),
    watch: equals.first("watch", layers.paths("watch")),
    log_file: layers.logFile(),
    output_on_disk: layers.last("output_on_disk"),
    start_tool: layers.last("start_tool"),
    ...resolveProcessParts((key) => layers.last(key)),
  };
}

/** A configured delay that is longer than the maximum raises the maximum. */
function restartOf(policy: typeof RESTART): RestartPolicy {
  return { ...policy, max_delay: Math.max(policy.max_delay, policy.delay) };
}

/** The stop steps: method and timeout, each from the strongest section that has it. */
function stopOf(layers: Layers): StopStep[] {
  const timeout_ms = layers.merged("stop", STOP).timeout;
  const { command, send, signal = STOP.signal } = layers.stopSettings() ?? {};
  const kill = { signal: "SIGKILL", timeout_ms: KILL_TIMEOUT_MS };
  if (command !== undefined) return [{ program: toCommand(command).program, timeout_ms }, kill];
  return send === undefined ? [{ signal, timeout_ms }, kill] : [{ send, timeout_ms }, kill];
}

function schedulingOf(section: NonNullable<ProcessSection["scheduling"]>): Scheduling | null {
  if (Object.keys(section).length === 0) return null;
  const { policy, prio = null, affinity = null, nice = null } = section;
  return { policy: policy === undefined ? null : POLICIES[policy], prio, affinity: affinity && [...affinity], nice };
}
