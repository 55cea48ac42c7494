import { join, resolve } from "node:path";
import { ancestorNames } from "../../base/names.ts";
import { DEFAULT_MAX_PAYLOAD_BYTES } from "../../contract/messages.ts";
import { LIMIT_NAMES, type Limit, type LimitName, type Scheduling, type StopStep } from "../../contract/run.ts";
import { toCommand } from "../command-line.ts";
import { stateHome } from "../default-paths.ts";
import type {
  Config,
  Dependency,
  DisplaySettings,
  InstanceSettings,
  LoggerSettings,
  ProcessDefinition,
  RecordSettings,
  RestartPolicy,
  X11Forwarding,
} from "../definition.ts";
import { type HostSetting, hostOfNode } from "../hosts.ts";
import type { ConfigFile } from "../schema/schema.ts";
import { liveness, readyCondition } from "../schema/schema-probes.ts";
import type { ProcessSection } from "../schema/schema-process.ts";
import { type Layer, Layers } from "./layers.ts";
import type { KeyPath } from "./problems.ts";
import { lineage } from "./templates.ts";

const RESTART: RestartPolicy = {
  policy: "never",
  delay: 1_000,
  factor: 2,
  max_delay: 60_000,
  max_restarts: 10,
  window: 300_000,
  reset_after: 60_000,
  stable_after: 10_000,
};
const STOP = { signal: "SIGTERM", timeout: 10_000 };
/** After it, the host goes on killing and reports what is left. Milliseconds. */
const KILL_TIMEOUT_MS = 10_000;
const TERMINAL = { rows: 24, cols: 80, backlog: 4 * 1_048_576 };
/** How long a daemon waits for its manager before `on_manager_lost: stop` acts, milliseconds. */
const MANAGER_LOST_AFTER_MS = 60_000;
const LOG_FILE = { max_size: 10 * 1_048_576, max_files: 5 };
/** Linux numbers. */
const POLICIES = { other: 0, fifo: 1, rr: 2, batch: 3, idle: 5 } as const;

/** A checked file of a configuration. */
export interface ConfigPart {
  readonly config: ConfigFile;
  /** Absolute folder that its relative paths mean. */
  readonly dir: string;
  /** How a scalar is written in the file, where that is known. */
  readonly writtenAt: (path: KeyPath) => string | undefined;
}

export interface ResolveOptions {
  /** Absolute paths, the main one first; none for a configuration given as an object. */
  /** Of the files, the main one first. */
  hashes: ReadonlyMap<string, string>;
  /** What stands in for an instance that is not, or not wholly, configured. */
  fallback: { name: string; manager: { host: string; port: number }; state_dir: string | null };
}

/** Applies templates and defaults to a checked configuration: the main part, and those that it includes. */
export function resolveConfig(main: ConfigPart, included: readonly ConfigPart[], options: ResolveOptions): Config {
  const parts = [main, ...included];
  const templates = new Map<string, Layer>();
  for (const { config, dir, writtenAt } of parts) {
    for (const [name, values] of config.templates ?? []) templates.set(name, { values, path: ["templates", name], dir, writtenAt });
  }
  const defaults: Layer = { values: main.config.defaults ?? {}, path: ["defaults"], dir: main.dir, writtenAt: main.writtenAt };
  const nodes = main.config.nodes ?? new Map<string, string>();
  const hosts = resolveHosts(main);
  const groups = new Map<string, { opened: boolean }>();
  const processes = new Map<string, ProcessDefinition>();
  for (const { config, dir, writtenAt } of parts) {
    for (const [name, group] of config.groups ?? []) {
      openGroups(groups, ancestorNames(name));
      groups.set(name, { opened: group.opened ?? true });
    }
    for (const [name, values] of config.processes ?? []) {
      openGroups(groups, ancestorNames(name));
      const own: Layer = { values, path: ["processes", name], dir, writtenAt };
      const above = lineage(values, (template) => templates.get(template)?.values).flatMap((template) => templates.get(template) ?? []);
      const node = [...above, own].findLast((layer) => layer.values.node !== undefined)?.values.node ?? "localhost";
      const host = hostOfNode(node, { hosts, nodes }) ?? null;
      // The folders of this machine are not those of another one: there, paths stay as they are written.
      const folder = host === null ? dir : null;
      processes.set(name, resolveProcess({ name, node, host, base_dir: folder ?? "" }, new Layers([defaults, ...above, own], folder)));
    }
  }
  const files = [...options.hashes.keys()];
  return {
    file: files[0] ?? null,
    base_dir: main.dir,
    files,
    hashes: options.hashes,
    instance: resolveInstance(main.config.instance ?? {}, main.dir, options),
    nodes,
    hosts,
    networks: new Map([...(main.config.networks ?? [])].map(([name, { netmasks = [] }]) => [name, { netmasks }])),
    groups,
    record: resolveRecord(main.config.record),
    loggers: resolveLoggers(main.config.loggers),
    displays: resolveDisplays(main.config.displays),
    processes,
  };
}

function resolveRecord(section: ConfigFile["record"]): RecordSettings {
  const {
    autostart = section !== undefined,
    topics = ["*"],
    terminals = [],
    include = [],
    path = null,
    max_size = 1_073_741_824,
    max_duration = null,
    max_files = 10,
    min_free_space = 1_073_741_824,
    on_full = "stop",
  } = section ?? {};
  return { autostart, topics, terminals, include: [...include], path, max_size, max_duration, max_files, min_free_space, on_full };
}

function resolveLoggers(section: ConfigFile["loggers"]): LoggerSettings {
  const { max_memory = 268_435_456, named } = section ?? {};
  const loggers = [...(named ?? [])].map(([name, { autostart = true, only_ts = false, topics = [] }]) => {
    const specs = topics.map(({ name: topic, log_size = 10_000, divisor = 1 }) => ({ name: topic, log_size, divisor }));
    return [name, { autostart, only_ts, topics: specs }] as const;
  });
  return { max_memory, named: new Map(loggers) };
}

function resolveDisplays({
  geometry = "1600x900",
  window_manager = "openbox",
  stop_after_disconnect = "none",
  stop_after_idle = "none",
}: ConfigFile["displays"] = {}): DisplaySettings {
  return {
    geometry,
    window_manager: window_manager === "none" ? null : window_manager,
    stop_after_disconnect: stop_after_disconnect === "none" ? null : stop_after_disconnect,
    stop_after_idle: stop_after_idle === "none" ? null : stop_after_idle,
  };
}

function resolveHosts({ config, dir }: ConfigPart): Map<string, HostSetting> {
  return new Map(
    [...(config.hosts ?? [])].map(([name, { aliases = [], token_file, start_rate = null }]) => [
      name,
      { aliases, token_file: token_file === undefined ? null : resolve(dir, token_file), start_rate },
    ]),
  );
}

/** Groups of the file keep their own setting, wherever in the file they stand. */
function openGroups(groups: Map<string, { opened: boolean }>, names: readonly string[]): void {
  for (const name of names) if (!groups.has(name)) groups.set(name, { opened: true });
}

function resolveInstance(section: NonNullable<ConfigFile["instance"]>, dir: string, { fallback }: ResolveOptions): InstanceSettings {
  const name = section.name ?? fallback.name;
  const fromHere = (path: string | undefined) => (path === undefined ? null : resolve(dir, path));
  return {
    name,
    manager: section.manager ?? fallback.manager,
    webui_auth_file: fromHere(section.webui_auth_file),
    webui_https_cert_file: fromHere(section.webui_https_cert_file),
    webui_https_key_file: fromHere(section.webui_https_key_file),
    https_only: section.https_only ?? false,
    allowed_hosts: section.allowed_hosts ?? [],
    allowed_origins: (section.allowed_origins ?? []).map((origin) => new URL(origin).origin),
    bus_listen: section.bus_listen ?? null,
    bus: typeof section.bus === "string" ? [section.bus] : (section.bus ?? []),
    bus_credentials_file: fromHere(section.bus_credentials_file),
    bus_ca_file: fromHere(section.bus_ca_file),
    bus_cert_file: fromHere(section.bus_cert_file),
    bus_key_file: fromHere(section.bus_key_file),
    bus_leafnode_url: section.bus_leafnode_url ?? null,
    bus_max_payload: section.bus_max_payload ?? DEFAULT_MAX_PAYLOAD_BYTES,
    bus_memory: section.bus_memory ?? null,
    state_dir: fromHere(section.state_dir) ?? fallback.state_dir ?? join(stateHome(), name),
    scope_process: section.scope_process ?? null,
    retained_log_entries: section.retained_log_entries ?? 10_000,
    on_manager_lost: section.on_manager_lost ?? "keep",
    manager_lost_after: section.manager_lost_after ?? MANAGER_LOST_AFTER_MS,
    start_tools: section.start_tools ?? [],
  };
}

/** Shared: most of thousands of processes have none. */
const NO_ALTERNATES: ProcessDefinition["alternate_commands"] = new Map();

type Place = Pick<ProcessDefinition, "name" | "node" | "host" | "base_dir">;

function resolveProcess({ name, node, host, base_dir }: Place, layers: Layers): ProcessDefinition {
  const shell = layers.last("shell") ?? false;
  const readyTimeout = layers.last("ready_timeout") ?? "none";
  const ready = layers.last("ready");
  const alive = layers.last("alive");
  const logFile = layers.logFile();
  const alternates = layers.union((values) => values.alternate_commands);
  return {
    // One by one, not by a spread: docs/design/library-defects.md, "V8".
    name,
    node,
    host,
    base_dir,
    command: toCommand(layers.last("command") ?? "", shell),
    alternate_commands:
      alternates.size === 0 ? NO_ALTERNATES : new Map([...alternates].map(([label, command]) => [label, toCommand(command, shell)])),
    cwd: layers.path("cwd") ?? ".",
    environment: layers.environment(),
    pass_environment: layers.last("pass_environment") ?? [],
    env_files: layers.paths("env_file"),
    user: layers.last("user") ?? null,
    umask: layers.last("umask") ?? null,
    limits: limitsOf(layers.merged("limits")),
    scheduling: schedulingOf(layers.merged("scheduling")),
    terminal: { ...TERMINAL, ...layers.merged("terminal") },
    ready: ready === undefined ? null : readyCondition(ready),
    ready_timeout: readyTimeout === "none" ? null : readyTimeout,
    depends_on: [...layers.union((values) => dependenciesOf(values.depends_on)).values()],
    restart: restartOf(layers.merged("restart")),
    stop: stopOf(layers),
    success_exit_codes: layers.last("success_exit_codes") ?? [0],
    autostart: layers.last("autostart") ?? false,
    alive: alive === undefined ? null : liveness(alive),
    essential: layers.last("essential") ?? false,
    confirm: layers.last("confirm") ?? false,
    watch: layers.paths("watch"),
    log_file: logFile === undefined ? null : { ...LOG_FILE, ...logFile },
    output_on_disk: layers.last("output_on_disk") ?? false,
    forward_x11: forwardingOf(layers),
    vnc: vncOf(layers.last("vnc")),
    start_tool: layers.last("start_tool") ?? null,
  };
}

function forwardingOf(layers: Layers): X11Forwarding | null {
  const process = layers.last("forward_x11_to_vnc");
  if (process !== undefined) return { to: "vnc", process };
  if (layers.last("forward_x11_to_gui") === true) return { to: "gui" };
  return layers.last("forward_x11") === true ? { to: "display" } : null;
}

/** A VNC server on display :N listens on port 5900 + N. */
function vncOf(section: ProcessSection["vnc"]): ProcessDefinition["vnc"] {
  if (section?.display === undefined) return null;
  const { display, port = 5_900 + display } = section;
  return { display, port };
}

function dependenciesOf(section: ProcessSection["depends_on"]): ReadonlyMap<string, Dependency> {
  const entries = Array.isArray(section) ? section.map((name) => [name, {}] as const) : [...(section ?? [])];
  return new Map(entries.map(([name, settings]) => [name, { name, condition: "ready", on_stop: "stop", ...settings }]));
}

/** A delay longer than the default's maximum is meant: the maximum follows it. */
function restartOf(section: NonNullable<ProcessSection["restart"]>): RestartPolicy {
  const policy = { ...RESTART, ...section };
  return { ...policy, max_delay: Math.max(policy.max_delay, policy.delay) };
}

/** The strongest section that says how, and the strongest that says how long. */
function stopOf(layers: Layers): StopStep[] {
  const timeout_ms = layers.merged("stop").timeout ?? STOP.timeout;
  const { command, send, signal = STOP.signal } = layers.stopWay() ?? {};
  const kill = { signal: "SIGKILL", timeout_ms: KILL_TIMEOUT_MS };
  if (command !== undefined) return [{ program: toCommand(command).program, timeout_ms }, kill];
  return send === undefined ? [{ signal, timeout_ms }, kill] : [{ send, timeout_ms }, kill];
}

function limitsOf(section: NonNullable<ProcessSection["limits"]>): Partial<Record<LimitName, Limit>> {
  const limits: Partial<Record<LimitName, Limit>> = {};
  for (const name of LIMIT_NAMES) {
    const value = section[name];
    if (value !== undefined) limits[name] = value === "unlimited" ? { soft: null, hard: null } : { soft: value, hard: value };
  }
  return limits;
}

function schedulingOf({ policy, prio, affinity, nice }: NonNullable<ProcessSection["scheduling"]>): Scheduling | null {
  if (policy === undefined && prio === undefined && affinity === undefined && nice === undefined) return null;
  return {
    policy: policy === undefined ? null : POLICIES[policy],
    prio: prio ?? null,
    affinity: affinity ?? null,
    nice: nice ?? null,
  };
}
