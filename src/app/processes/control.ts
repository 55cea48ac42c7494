import type { Duplex } from "node:stream";
import type {
  AttributeValue,
  Backlog,
  Configuration,
  Control,
  ProcessDetail,
  ProcessList,
  ProcessListRequest,
  RetainedOutput,
  TaskChange,
  TaskSettings,
} from "../../actors/control.ts";
import type { DomainEvents } from "../../actors/domain-events.ts";
import type { ProcessCommand } from "../../actors/process-types.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { MgrError, messageOf, shuttingDown } from "../../base/errors.ts";
import type { Principal } from "../../base/principal.ts";
import { SlicedWork, type Steps } from "../../base/turns.ts";
import type { RunSpec } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { HostEntry, ManagerInfo, Process, ProcessTreeNode, StartTool } from "../../protocol/resources/resources.ts";
import type { HostSession } from "../hosts/host-session.ts";
import type { Hosts } from "../hosts/hosts.ts";
import type { ManagerStatus } from "../manager-status.ts";
import { readBacklog } from "../output/backlog.ts";
import { Resizer } from "../output/resizer.ts";
import { retainedOutput } from "../output/retained-output.ts";
import { TaskLists } from "../tasks/task-lists.ts";
import { explanations, MEMBERS_PER_TURN, planCommand, type Verb } from "./command-plan.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import type { Attribute, OutputFlag, ProcessSettingsBook } from "./process-settings.ts";

/** The processes whose start starts a process again that was stopped along with them. */
interface Resumes {
  of: (name: string) => readonly string[];
  keep: (name: string, resumeWith: readonly string[]) => void;
}

interface ControlOptions {
  configuration: Configuration;
  status: ManagerStatus;
  hosts: Hosts;
  events: DomainEvents;
  log: LogBook;
  registry: ProcessRegistry;
  system: ActorSystem;
  /** Sends a command to a process's actor, which is rebuilt if it had been parked. */
  tell: (name: string, command: ProcessCommand) => void;
  /** Resolves once the requested state is on disk, as far as possible. Never rejects. */
  saved: () => Promise<void>;
  resumes: Resumes;
  /** Keeps a terminal's size across restarts of the manager. */
  keepSize: (name: string, size: { rows: number; cols: number }) => void;
  settings: ProcessSettingsBook;
  /** The spec of the next start, and the canonical name of its host. */
  nextRun: (name: string) => { host: string; spec: RunSpec };
  processDetail: (name: string) => ProcessDetail;
}

/** The actor system as seen by transport and http: reads of this turn, and commands accepted in this turn. */
export class ActorControl implements Control {
  readonly #status: ManagerStatus;
  readonly #hosts: Hosts;
  readonly events: DomainEvents;
  readonly log: LogBook;
  readonly #system: ActorSystem;
  readonly #registry: ProcessRegistry;
  readonly #tell: ControlOptions["tell"];
  readonly #commands = new SlicedWork({ units: MEMBERS_PER_TURN });
  readonly #saved: ControlOptions["saved"];
  readonly #resumes: Resumes;
  readonly #keepSize: ControlOptions["keepSize"];
  readonly configuration: Configuration;
  readonly #settings: ProcessSettingsBook;
  readonly #nextRun: ControlOptions["nextRun"];
  readonly #processDetail: ControlOptions["processDetail"];
  readonly #resizer = new Resizer((name, size) => this.#sendSize(name, size));
  readonly #tasks: TaskLists;

  constructor({
    configuration,
    status,
    hosts,
    events,
    log,
    system,
    registry,
    tell,
    saved,
    resumes,
    keepSize,
    settings,
    nextRun,
    processDetail,
  }: ControlOptions) {
    this.#status = status;
    this.#hosts = hosts;
    this.events = events;
    this.log = log;
    this.#system = system;
    this.#registry = registry;
    this.#tell = tell;
    this.#saved = saved;
    this.#resumes = resumes;
    this.#keepSize = keepSize;
    this.configuration = configuration;
    this.#settings = settings;
    this.#nextRun = nextRun;
    this.#processDetail = processDetail;
    this.#tasks = new TaskLists({ log, sessionOf: (host) => this.#sessionOfHost(host) });
  }

  get manager(): ManagerInfo {
    return this.#status.info;
  }

  get isShuttingDown(): boolean {
    return this.#status.isShuttingDown;
  }

  // ── Reading ──

  processes(): Process[] {
    return this.#registry.names().flatMap((name) => this.#registry.process(name) ?? []);
  }

  process(name: string): Process | undefined {
    return this.#registry.process(name);
  }

  hasGroup(name: string): boolean {
    return this.#registry.config.groups.has(name);
  }

  processTree(scope?: string): ProcessTreeNode[] {
    return this.#registry.tree(scope);
  }

  hosts(): HostEntry[] {
    return this.#hosts.entries();
  }

  startTools(): StartTool[] {
    return this.#settings.startTools();
  }

  // ── Commands ──

  startProcess(name: string, by: Principal): void | Promise<void> {
    return this.#commands.run(this.#processOrders("start", name, by));
  }

  stopProcess(name: string, by: Principal): void | Promise<void> {
    return this.#commands.run(this.#processOrders("stop", name, by));
  }

  restartProcess(name: string, by: Principal): void | Promise<void> {
    return this.#commands.run(this.#processOrders("restart", name, by));
  }

  startGroup(name: string, by: Principal): void | Promise<void> {
    return this.#commands.run(this.#groupOrders("start", name, by));
  }

  stopGroup(name: string, by: Principal): void | Promise<void> {
    return this.#commands.run(this.#groupOrders("stop", name, by));
  }

  restartGroup(name: string, by: Principal): void | Promise<void> {
    return this.#commands.run(this.#groupOrders("restart", name, by));
  }

  saved(): Promise<void> {
    return this.#saved();
  }

  // Not async: a command that is refused immediately has to be refused in the turn of its frame, before the answers to later ones.

  sendSignal(name: string, signal: string, by: Principal): Promise<void> {
    const { session, runId } = this.#living(name);
    const sent = session.command((id) => session.link.request("signal", { session: id, run_id: runId, signal }));
    return sent.then(
      () => void this.log.append({ level: "info", source: "manager", msg: `'${by.user}' sent ${signal} to process '${name}'` }),
    );
  }

  sendStdin(name: string, text: string): Promise<void> {
    const { session, runId } = this.#living(this.#lasting(name));
    return session.command(async (id) => void (await session.link.request("write", { session: id, run_id: runId, text })));
  }

  sendWinch(name: string, rows: number, cols: number): void {
    this.#lasting(name);
    this.#system.send("process", name, { type: "winch", rows, cols });
    this.#keepSize(name, { rows, cols });
    this.#resizer.resize(name, { rows, cols });
  }

  selectCommand(name: string, which: string, by: Principal): Promise<void> {
    return this.#settings.selectCommand(this.#lasting(name), which, by.user);
  }

  overrideCommand(name: string, which: string, override: string | null, by: Principal): Promise<void> {
    return this.#settings.overrideCommand(this.#lasting(name), which, override, by.user);
  }

  setAttribute(name: string, attribute: Attribute, value: AttributeValue, by: Principal): Promise<AttributeValue> {
    return this.#settings.setAttribute(this.#lasting(name), attribute, value, by.user);
  }

  setOutputFlag(name: string, flag: OutputFlag, enabled: boolean, by: Principal): Promise<void> {
    return this.#settings.setFlag(this.#lasting(name), flag, enabled, by.user);
  }

  async startupCommands(name: string): Promise<string[]> {
    const { host, spec } = this.#nextRun(this.#known(name));
    const session = this.#open(name, host, this.#registry.sessionOfHost(host));
    const { commands } = await session.command((id) => session.link.request("startup_commands", { session: id, spec }));
    return commands;
  }

  processDetail(name: string): ProcessDetail {
    return this.#processDetail(this.#known(name));
  }

  async readBacklog(name: string, lines: number): Promise<Backlog> {
    this.#known(name);
    return readBacklog(this.#outputSession(name), name, lines);
  }

  async openTcp(host: string, target: { host: string; port: number }): Promise<Duplex> {
    return this.#sessionOfHost(host).connect(target);
  }

  async retainedOutput(name: string): Promise<RetainedOutput> {
    this.#known(name);
    return retainedOutput(this.#outputSession(name), name);
  }

  processList(request: ProcessListRequest, requester: string): Promise<ProcessList> {
    return this.#tasks.list(request, requester);
  }

  setTask(change: TaskChange, by: Principal): Promise<TaskSettings> {
    return this.#tasks.set(change, by);
  }

  // ── Without a principal: the manager's own requests ──

  /** Starts processes or groups by name, as `mgr up NAME…` does; unknown names are refused before anything starts. */
  startNamed(names: readonly string[], by: string): void | Promise<void> {
    this.#status.requireOpen();
    const members = names.flatMap((name) => (this.hasGroup(name) ? this.#registry.membersOf(name) : [this.#known(name)]));
    return this.#commands.run(this.#tellAll("start", members, by));
  }

  /** Requests the stop of every process. Resolves when none is alive, or with the names of those that do not end. */
  async stopEverything(by: string): Promise<string[]> {
    await this.#commands.run(this.#tellAll("stop", this.#registry.names(), by));
    return this.#registry.allAtRest();
  }

  /** Refuses the commands that are not finished. */
  refuseWaiting(): void {
    this.#commands.refuse(shuttingDown());
  }

  close(): void {
    this.#commands.close();
  }

  // ── Inside ──

  async #sendSize(name: string, { rows, cols }: { rows: number; cols: number }): Promise<void> {
    const runId = this.#registry.livingRun(name);
    const session = this.#registry.sessionOf(name);
    if (this.#registry.process(name)?.pid == null || runId === null || !session?.isOpen) return;
    try {
      await session.command((id) => session.link.request("resize", { session: id, run_id: runId, rows, cols }));
    } catch (error) {
      // The size is kept for the next run anyway; a run that has ended meanwhile needs none.
      this.log.append({ level: "debug", source: "manager", msg: `resizing '${name}' to ${cols}×${rows}: ${messageOf(error)}` });
    }
  }

  *#processOrders(verb: Verb, name: string, by: Principal): Steps {
    this.#status.requireOpen();
    this.#accept(verb === "stop" ? name : this.#lasting(name));
    this.#note(verb, name, by);
    yield* this.#tellAll(verb, [name], by.user);
  }

  *#groupOrders(verb: Verb, name: string, by: Principal): Steps {
    this.#status.requireOpen();
    const members = this.#acceptGroup(name);
    this.#note(verb, name, by);
    yield* this.#tellAll(verb, members, by.user);
    this.#system.send("group", name, { type: verb });
  }

  /** Tells `names`, and the processes that have to do the same with them. */
  *#tellAll(verb: Verb, names: readonly string[], by: string): Steps {
    const situation = { registry: this.#registry, resumeWith: this.#resumes.of };
    const batches = planCommand(situation, verb, names);
    for (const msg of explanations(situation, names, batches)) this.log.append({ level: "info", source: "manager", msg });
    for (const batch of batches) {
      for (const { name, verb: each, resumeWith, stoppedWith } of batch) {
        this.#send(name, each === "stop" ? { type: each, by, stoppedWith } : { type: each, by });
        this.#resumes.keep(name, resumeWith);
      }
      yield batch.length;
    }
  }

  #send(name: string, command: ProcessCommand): void {
    if (command.type === "stop" || !this.#registry.retiring.has(name)) this.#tell(name, command);
  }

  /** A process that was removed from the configuration accepts stop and signals only (docs/design/runtime-invariants.md, "Reload"). */
  #lasting(name: string): string {
    if (this.#registry.retiring.has(this.#known(name)))
      throw new MgrError(
        "conflict",
        `process '${name}' was removed from the configuration; it is being stopped and takes stop and signals only`,
      );
    return name;
  }

  #known(name: string): string {
    if (!this.#registry.config.processes.has(name)) throw new MgrError("not_found", `there is no process '${name}'`);
    return name;
  }

  /** Refuses what cannot be carried out: unknown names, unreachable hosts. */
  #accept(name: string): void {
    this.#session(this.#known(name));
  }

  #acceptGroup(name: string): string[] {
    if (!this.hasGroup(name)) throw new MgrError("not_found", `there is no group '${name}'`);
    const members = this.#registry.membersOf(name);
    const [away, there] = split(members, (member) => this.#registry.sessionOf(member)?.isOpen !== true);
    const [first] = away;
    if (first === undefined) return members;
    if (there.length === 0) this.#session(first);
    // An unreachable host must not prevent stopping what runs on the others.
    const names = away.map((member) => `'${member}'`).join(", ");
    this.log.append({
      level: "warning",
      source: "manager",
      msg: `of group '${name}' these are left out, their hosts cannot be reached: ${names}`,
    });
    return there;
  }

  #session(name: string): HostSession {
    return this.#open(name, this.#registry.hostOf(name), this.#registry.sessionOf(name));
  }

  #outputSession(name: string): HostSession {
    return this.#open(name, this.#registry.outputHostOf(name), this.#registry.outputSessionOf(name));
  }

  #open(name: string, host: string | null, session: HostSession | null): HostSession {
    if (session?.isOpen) return session;
    throw new MgrError(
      "host_unavailable",
      `host '${host}' of process '${name}' cannot be reached; nothing was sent. Try again when it is ready (mgr hosts)`,
    );
  }

  /** `host` is any of its names. */
  #sessionOfHost(host: string): HostSession {
    const entry = this.#hosts.entries().find(({ all_names }) => all_names.includes(host));
    if (entry === undefined) throw new MgrError("not_found", `there is no host '${host}'`);
    const session = this.#registry.sessionOfHost(entry.name);
    if (session?.isOpen) return session;
    throw new MgrError("host_unavailable", `the daemon of host '${entry.name}' cannot be reached; try again when daemon_ready is true`);
  }

  #living(name: string): { session: HostSession; runId: string } {
    this.#known(name);
    const runId = this.#registry.livingRun(name);
    if (runId === null) throw new MgrError("not_running", `process '${name}' is not running`);
    return { session: this.#session(name), runId };
  }

  #note(verb: Verb, name: string, by: Principal): void {
    this.log.append({ level: "info", source: "manager", msg: `'${by.user}' requests ${verb} of '${name}'` });
  }
}

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []];
  for (const item of items) parts[isFirst(item) ? 0 : 1].push(item);
  return parts;
}
