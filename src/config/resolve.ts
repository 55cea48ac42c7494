import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { ancestorNames } from "../base/names.ts";
import { toCommand } from "./command-line.ts";
import type { Config, Dependency, InstanceSettings, ProcessDefinition, RestartPolicy } from "./definition.ts";
import type { KeyPath } from "./problems.ts";
import { type ConfigFile, type DefaultsSection, type ProcessSection, readyCondition } from "./schema.ts";

const RESTART: RestartPolicy = {
  policy: "never",
  delay: 1_000,
  factor: 2,
  max_delay: 60_000,
  max_restarts: 10,
  window: 300_000,
  reset_after: 60_000,
};
const STOP = { signal: "SIGTERM", timeout: 10_000 };
/** After it, the host goes on killing and reports what is left. Milliseconds. */
const KILL_TIMEOUT_MS = 10_000;
const TERMINAL = { rows: 24, cols: 80, backlog: 4 * 1_048_576 };

export interface ResolveOptions {
  file: string | null;
  base_dir: string;
  /** What stands in for an instance that is not, or not wholly, configured. */
  fallback: { name: string; manager: { host: string; port: number }; state_dir: string | null };
  /** How a scalar is written in the file, where that is known. */
  writtenAt: (path: KeyPath) => string | undefined;
}

/** Applies the defaults to a checked configuration. */
export function resolveConfig(config: ConfigFile, options: ResolveOptions): Config {
  const processes = new Map<string, ProcessDefinition>();
  const groups = new Map<string, { opened: boolean }>();
  for (const [name, group] of config.groups ?? []) {
    openGroups(groups, ancestorNames(name));
    groups.set(name, { opened: group.opened ?? true });
  }
  for (const [name, section] of config.processes ?? []) {
    openGroups(groups, ancestorNames(name));
    processes.set(name, resolveProcess(name, section, config.defaults ?? {}, options));
  }
  return { file: options.file, base_dir: options.base_dir, instance: resolveInstance(config.instance ?? {}, options), groups, processes };
}

function openGroups(groups: Map<string, { opened: boolean }>, names: readonly string[]): void {
  for (const name of names) if (!groups.has(name)) groups.set(name, { opened: true });
}

function resolveInstance(section: NonNullable<ConfigFile["instance"]>, { base_dir, fallback }: ResolveOptions): InstanceSettings {
  const name = section.name ?? fallback.name;
  return {
    name,
    manager: section.manager ?? fallback.manager,
    webui_auth_file: section.webui_auth_file === undefined ? null : resolve(base_dir, section.webui_auth_file),
    webui_https_cert_file: section.webui_https_cert_file === undefined ? null : resolve(base_dir, section.webui_https_cert_file),
    webui_https_key_file: section.webui_https_key_file === undefined ? null : resolve(base_dir, section.webui_https_key_file),
    https_only: section.https_only ?? false,
    allowed_hosts: section.allowed_hosts ?? [],
    state_dir: section.state_dir === undefined ? (fallback.state_dir ?? defaultStateDir(name)) : resolve(base_dir, section.state_dir),
    retained_log_entries: section.retained_log_entries ?? 10_000,
  };
}

/** The XDG base directory specification: a relative $XDG_STATE_HOME is to be ignored. */
function defaultStateDir(name: string): string {
  const configured = process.env.XDG_STATE_HOME;
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".local", "state");
  return join(base, "mgr", name);
}

function resolveProcess(name: string, section: ProcessSection, defaults: DefaultsSection, options: ResolveOptions): ProcessDefinition {
  const shell = section.shell ?? false;
  const stop = { ...STOP, ...defaults.stop, ...section.stop };
  const readyTimeout = section.ready_timeout ?? defaults.ready_timeout ?? "none";
  return {
    name,
    node: "localhost",
    command: toCommand(section.command, shell),
    alternate_commands: new Map([...(section.alternate_commands ?? [])].map(([label, command]) => [label, toCommand(command, shell)])),
    cwd: section.cwd ?? defaults.cwd ?? ".",
    base_dir: options.base_dir,
    environment: environmentOf(
      [
        [defaults.environment, ["defaults", "environment"]],
        [section.environment, ["processes", name, "environment"]],
      ],
      options.writtenAt,
    ),
    pass_environment: section.pass_environment ?? defaults.pass_environment ?? [],
    terminal: { ...TERMINAL, ...defaults.terminal, ...section.terminal },
    ready: section.ready === undefined ? null : readyCondition(section.ready),
    ready_timeout: readyTimeout === "none" ? null : readyTimeout,
    depends_on: dependenciesOf(section.depends_on),
    restart: restartOf({ ...defaults.restart, ...section.restart }),
    stop: [
      { signal: stop.signal, timeout_ms: stop.timeout },
      { signal: "SIGKILL", timeout_ms: KILL_TIMEOUT_MS },
    ],
    success_exit_codes: section.success_exit_codes ?? defaults.success_exit_codes ?? [0],
    autostart: section.autostart ?? defaults.autostart ?? false,
  };
}

type EnvironmentLayer = [values: DefaultsSection["environment"], path: KeyPath];

/** Later layers win. Numbers and booleans become what is written in the file: 1.10 stays "1.10". */
function environmentOf(layers: EnvironmentLayer[], writtenAt: ResolveOptions["writtenAt"]): Readonly<Record<string, string>> {
  const environment: Record<string, string> = Object.create(null);
  for (const [values, path] of layers) {
    for (const [name, value] of values ?? []) {
      environment[name] = typeof value === "string" ? value : (writtenAt([...path, name]) ?? String(value));
    }
  }
  return environment;
}

function dependenciesOf(section: ProcessSection["depends_on"]): Dependency[] {
  if (section === undefined) return [];
  const entries = Array.isArray(section) ? section.map((name) => [name, {}] as const) : [...section];
  return entries.map(([name, settings]) => ({ name, condition: "ready", on_stop: "stop", ...settings }));
}

/** A delay longer than the default's maximum is meant: the maximum follows it. */
function restartOf(section: NonNullable<ProcessSection["restart"]>): RestartPolicy {
  const policy = { ...RESTART, ...section };
  return { ...policy, max_delay: Math.max(policy.max_delay, policy.delay) };
}
