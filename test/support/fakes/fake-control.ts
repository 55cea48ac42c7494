import { type Duplex, PassThrough } from "node:stream";
import type {
  AttributeValue,
  Backlog,
  Commands,
  ConfigFileHistory,
  ConfigFileText,
  Configuration,
  ConfigurationChange,
  Control,
  HostRequests,
  ManagerState,
  ProcessDetail,
  Settings,
  Terminals,
} from "../../../src/actors/control.ts";
import { DomainEvents } from "../../../src/actors/domain-events.ts";
import type { TerminalSize } from "../../../src/actors/process/process-types.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { displayName, isWithin, parentName } from "../../../src/base/text/names.ts";
import type { FeatureExtension } from "../../../src/http/extension.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import type { HostEntry, HostLoad, Process, ProcessLoad, ProcessTreeNode, StartTool } from "../../../src/protocol/resources/resources.ts";
import { fakeFeatures } from "../../features/fakes.ts";

/**
 * A manager without machines: processes are set by the test, commands are recorded in `calls` and succeed for names
 * that exist. The log, the events and the refusals of unknown names are the real ones.
 */
export class FakeControl implements Control, ManagerState, Settings, HostRequests {
  readonly state: ManagerState = this;
  readonly settings: Settings = this;
  readonly hostRequests: HostRequests = this;
  readonly manager = { name: "test", host: "testhost", save_problem: null };
  readonly events: DomainEvents;
  readonly log = new LogBook({ capacity: 1_000, now: () => Date.now() });
  readonly features: ReturnType<typeof fakeFeatures>;
  /** Every command, as [name of the method, its arguments without the principal]. */
  readonly calls: [string, ...unknown[]][] = [];
  /** Backlog that `terminals.backlog` answers with. */
  backlog: Backlog = { pid: 0, output: "", truncated: false, offset: 0, stream_id: "stream-1" };
  /** Thrown by the next command, once. */
  failNext: Error | null = null;
  readonly configuration = new FakeConfiguration();
  isShuttingDown = false;
  readonly commands: Commands = {
    process: (verb, name) => this.#command(`${verb}Process`, name),
    group: (verb, name) => this.#groupCommand(`${verb}Group`, name),
    sendSignal: (name, signal) => {
      this.#command("sendSignal", name, signal);
      return Promise.resolve();
    },
    saved: () => Promise.resolve(),
  };
  readonly terminals: Terminals = {
    sendStdin: (name, text) => {
      this.#command("sendStdin", name, text);
      return Promise.resolve();
    },
    resize: (name, size) => {
      this.#command("sendWinch", name, size.rows, size.cols);
      this.#sizes.set(name, size);
    },
    size: (name) => {
      if (!this.#processes.has(name)) throw new MgrError("not_found", `There is no process '${name}'.`);
      return this.#sizes.get(name) ?? { rows: 24, cols: 80 };
    },
    backlog: async (name, range) => {
      this.#command("readBacklog", name, range);
      return this.backlog;
    },
    retainedOutput: async (name) => {
      this.#command("retainedOutput", name);
      const bytes = Buffer.from(this.backlog.output);
      return {
        size: bytes.length,
        pages: (async function* () {
          yield bytes;
        })(),
      };
    },
    openOutput: async (name) => {
      this.#command("openOutput", name);
      const { output, offset, stream_id } = this.backlog;
      const bytes = Buffer.from(output);
      const start = Math.max(0, offset - bytes.length);
      return {
        streamId: stream_id,
        start,
        end: start + bytes.length,
        parts: async function* (from, end) {
          const first = Math.max(from, start);
          yield { from: first, data: bytes.subarray(first - start, end - start) };
        },
      };
    },
  };
  readonly #processes = new Map<string, Process>();
  readonly #sizes = new Map<string, TerminalSize>();

  constructor(names: string[] = []) {
    this.events = new DomainEvents((error) => {
      throw error;
    });
    for (const name of names) this.#processes.set(name, fakeProcess(name));
    this.features = fakeFeatures(this);
  }

  get extensions(): FeatureExtension[] {
    return Object.values(this.features).map(({ extension }: { readonly extension: FeatureExtension }) => extension);
  }

  // ── What a test does to the world ──

  add(name: string): void {
    const process = fakeProcess(name);
    this.#processes.set(name, process);
    this.events.publish({ type: "process_upsert", process });
    this.events.publish({ type: "tree_changed" });
  }

  update(name: string, change: Partial<Process>): void {
    const process = { ...(this.#processes.get(name) ?? fakeProcess(name)), ...change };
    this.#processes.set(name, process);
    this.events.publish({ type: "process_upsert", process });
  }

  remove(name: string): void {
    this.#processes.delete(name);
    this.events.publish({ type: "process_remove", name });
    this.events.publish({ type: "tree_changed" });
  }

  // ── Control ──

  processes(): Process[] {
    return [...this.#processes.values()];
  }

  process(name: string): Process | undefined {
    return this.#processes.get(name);
  }

  hasGroup(name: string): boolean {
    return !this.#processes.has(name) && [...this.#processes.keys()].some((process) => isWithin(process, name));
  }

  processTree(scope?: string): ProcessTreeNode[] {
    const roots: ProcessTreeNode[] = [];
    const childrenOf = new Map<string, ProcessTreeNode[]>();
    const childrenFor = (name: string | null): ProcessTreeNode[] => {
      if (name === null || name === parentName(scope ?? "")) return roots;
      const existing = childrenOf.get(name);
      if (existing) return existing;
      const children: ProcessTreeNode[] = [];
      childrenOf.set(name, children);
      childrenFor(parentName(name)).push({
        type: "group",
        name,
        display_name: displayName(name),
        opened: true,
        state: "stopped",
        children,
      });
      return children;
    };
    for (const name of this.#processes.keys()) {
      if (scope === undefined || isWithin(name, scope)) childrenFor(parentName(name)).push({ type: "process", name });
    }
    return roots;
  }

  hosts(): HostEntry[] {
    const { host } = this.manager;
    const names = { name: host, aliases: ["localhost"], node_aliases: ["localhost"], all_names: [host, "localhost"] };
    return [{ ...names, daemon_ready: true, state: "ready", problem: null, lost_time: null, version: null, clock_offset: 0 }];
  }

  startTools(): StartTool[] {
    return [
      { value: null, label: "default" },
      { value: "none", label: "no tool" },
    ];
  }

  async selectCommand(name: string, which: string, _by: string): Promise<void> {
    this.#command("selectCommand", name, which);
  }

  async overrideCommand(name: string, which: string, override: string | null, _by: string): Promise<void> {
    this.#command("overrideCommand", name, which, override);
  }

  async setAttribute(name: string, attribute: string, value: AttributeValue, _by: string): Promise<AttributeValue> {
    this.#command("setAttribute", name, attribute, value);
    return value;
  }

  async setFlag(name: string, flag: "low_delay_output" | "no_skip_display", enabled: boolean, _by: string): Promise<void> {
    this.#command("setOutputFlag", name, flag, enabled);
    this.update(name, { [flag]: enabled });
  }

  async startupCommands(name: string): Promise<string[]> {
    this.#command("startupCommands", name);
    return ["cd /", `run ${name}`];
  }

  processDetail(name: string): ProcessDetail {
    this.#command("processDetail", name);
    return { environment: {}, history: [], changes: [], needed_by: [], definition: {} };
  }

  async openTcp(host: string, target: { host: string; port: number }): Promise<Duplex> {
    this.#command("openTcp", host, target.host, target.port);
    return new PassThrough();
  }

  async loads(): Promise<{ loads: ProcessLoad[]; hosts: HostLoad[] }> {
    const loads = [...this.#processes.keys()].map((name) => ({ name, cpu_percent: 1.5, memory_rss: 4_096, processes: 1 }));
    return { loads, hosts: [{ host: this.manager.host, cpu_percent: 12.5, cpus: 4 }] };
  }

  #command(method: string, name: string, ...rest: unknown[]): void {
    if (!this.#processes.has(name)) throw new MgrError("not_found", `There is no process '${name}'.`);
    this.#record(method, name, ...rest);
  }

  /** Records a request to a host. Throws `not_found` for an unknown name. */
  hostCall(method: string, host: string, ...rest: unknown[]): void {
    if (!this.hosts().some(({ all_names }) => all_names.includes(host))) throw new MgrError("not_found", `There is no host '${host}'.`);
    this.#record(method, host, ...rest);
  }

  #groupCommand(method: string, name: string): void {
    if (!this.hasGroup(name)) throw new MgrError("not_found", `There is no group '${name}'.`);
    this.#record(method, name);
  }

  #record(...call: [string, ...unknown[]]): void {
    const failure = this.failNext;
    this.failNext = null;
    if (failure) throw failure;
    this.calls.push(call);
  }
}

/** A process object with every field, stopped and never run. */
export function fakeProcess(name: string): Process {
  return {
    name,
    display_name: displayName(name),
    state: "stopped",
    requested_state: "stop",
    requested_by: null,
    requested_time: null,
    stopped_with: null,
    pid: null,
    host: "testhost",
    node: "localhost",
    command: `run ${name}`,
    command_override: null,
    alternate_commands: [["default", `run ${name}`]],
    alternate_command_overrides: {},
    current_alternate_command: "default",
    current_command: `run ${name}`,
    running_command: null,
    needs_restart: false,
    start_tool: null,
    svc_debug: false,
    x_display_kind: null,
    x_display: null,
    x_display_username: null,
    x_display_peer: null,
    x_display_reason: null,
    has_ready_state: false,
    start_time: null,
    stop_time: null,
    exit: null,
    restarts: 0,
    restarting: false,
    next_start_time: null,
    waiting_for: [],
    depends_on: [],
    stops_with: [],
    autostart: false,
    confirm: false,
    low_delay_output: false,
    no_skip_display: false,
    host_ready: true,
  };
}

/** A configuration of one file, "/etc/mgr.yaml", that never changes anything. */
class FakeConfiguration implements Configuration {
  /** Thrown by the next request, once. */
  failNext: Error | null = null;
  content = "";

  async plan(): Promise<ConfigurationChange> {
    this.#fail();
    return {
      added: [],
      removed: [],
      changed: [],
      unchanged: [],
      restart_needed: [],
      starts: [],
      stops: [],
      differences: [],
      hosts: [],
      settings: [],
      manager_restart_needed: [],
    };
  }

  reload(): Promise<ConfigurationChange> {
    return this.plan();
  }

  async file(path = "/etc/mgr.yaml"): Promise<ConfigFileText> {
    this.#fail();
    const { content } = this;
    return { path, content, hash: `hash of ${content}`, effective_hash: null, files: [{ path, size: content.length, writable: true }] };
  }

  async history(path = "/etc/mgr.yaml"): Promise<ConfigFileHistory> {
    this.#fail();
    const hash = `hash of ${this.content}`;
    return { path, hash, effective_hash: null, versions: [{ hash, time: 0, by: "ada", size: this.content.length }] };
  }

  async check(): Promise<void> {
    this.#fail();
  }

  async save({ content }: { content: string }): Promise<string> {
    this.#fail();
    this.content = content;
    return `hash of ${content}`;
  }

  #fail(): void {
    const error = this.failNext;
    this.failNext = null;
    if (error) throw error;
  }
}
