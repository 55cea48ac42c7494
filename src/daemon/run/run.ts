import { isDeepStrictEqual } from "node:util";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostEvent, HostLogWriter } from "../../contract/messages.ts";
import type { ReportedStopCause, RunReport, RunSpec, StopStep } from "../../contract/run.ts";
import type { Signal } from "../../protocol/process/signals.ts";
import { KernelTimes } from "../handover/kernel-times.ts";
import type { ChildUsage } from "../native/wait-status.ts";
import { Echo } from "../output/echo.ts";
import type { LogFile } from "../output/log-file.ts";
import type { OutputRing } from "../output/output-ring.ts";
import { Terminal, type TerminalEnds, type TerminalExit, type TerminalListener } from "../output/terminal.ts";
import type { Program } from "../process/program.ts";
import { programOf } from "../process/run-program.ts";
import type { TrackedTree, TreeReaper } from "../tree/tree-reaper.ts";
import { AuxiliaryProcesses } from "./auxiliary-processes.ts";
import { Later } from "./later.ts";
import type { FeatureProbes } from "./probe.ts";
import { MAX_CARRY_LENGTH } from "./readiness.ts";
import { RunMonitors, type RunMonitorsOptions } from "./run-monitors.ts";
import { factsOf, type LivingRunState, type RunFacts, type RunState } from "./run-state.ts";
import { RunStop } from "./run-stop.ts";

export interface RunOptions {
  runId: string;
  spec: RunSpec;
  memo: string;
  /** Value of the marker variable of the whole tree. */
  marker: string;
  /** MGR_BUS_URL; null: none. */
  busUrl: string | null;
  /** Variables from the features of the host. */
  variables: Readonly<Record<string, string>>;
  ring: OutputRing;
  /** File that also receives the output. */
  logFile: LogFile | null;
  reaper: TreeReaper;
  clock: Clock;
  probes: FeatureProbes;
  onChange: (kind: HostEvent["kind"], run: Run) => void;
  /** Called when the ring has grown. The bytes are borrowed. */
  onOutput: (name: string, bytes: Uint8Array) => void;
  log: HostLogWriter;
}

/** The options of a run of the program before this one; its state has the rest. */
export type TakenRunOptions = Omit<RunOptions, "runId" | "spec" | "memo" | "marker" | "busUrl" | "variables">;

/** Reason that a run's output is left in the terminal. */
type Holder = "reader" | "log file";

interface Parts {
  program: Program;
  terminal: Terminal;
  monitors: RunMonitors;
  facts: RunFacts;
  /** Monotonic time of the start, milliseconds. */
  startedAt: number;
  tag: number | null;
  /** The run of the program before this one. */
  taken: LivingRunState | null;
}

type OwnOptions = Omit<RunOptions, "busUrl" | "variables" | "marker">;

/** One execution of a process: alive until its leader ended, extinct once nothing of its tree is left. */
export class Run {
  readonly id: string;
  readonly spec: RunSpec;
  /** Resolves when the run is extinct. */
  readonly whenExtinct: Promise<void>;
  readonly #options: OwnOptions;
  /** Start time on the monotonic clock, milliseconds. */
  readonly #startedAt: number;
  readonly #terminal: Terminal;
  readonly #program: Program;
  readonly #monitors: RunMonitors;
  readonly #echo = new Echo();
  readonly #holders = new Set<Holder>();
  readonly #tree: TrackedTree;
  readonly #tag: number | null;
  readonly #stop: RunStop;
  #resolveExtinct: () => void = () => {};
  readonly #facts: RunFacts;
  #resizedAt: number | null = null;
  #usage: ChildUsage | null = null;
  #dumpedCore = false;
  #treeEnd: Promise<void> | null = null;
  readonly #auxiliaries: AuxiliaryProcesses;

  /** Starts a run. Rejects with `spawn_failed` or `bad_field`; then no process of it is left. */
  static async start(options: RunOptions): Promise<Run> {
    const { spec, ring, clock } = options;
    const made = new Later<Run>();
    const monitors = new RunMonitors(Run.#monitoring(options, made));
    try {
      const program = await programOf(spec, options);
      const begin = { wall: clock.now(), monotonic: clock.monotonic(), offset: ring.end };
      const { started: starting, tag } = options.reaper.tagged(options.runId, () =>
        Terminal.start({
          restrictions: spec,
          ...program,
          rows: spec.terminal.rows,
          cols: spec.terminal.cols,
          ...Run.#listening(options, made),
        }),
      );
      const terminal = await starting;
      const facts = factsOf(options, terminal.pid, begin);
      return made.set(new Run(options, { program, terminal, monitors, facts, startedAt: begin.monotonic, tag, taken: null }));
    } catch (error) {
      monitors.end();
      throw error;
    }
  }

  /** Takes over a run that this process had before its program was replaced. */
  static take(state: LivingRunState, ends: TerminalEnds, options: TakenRunOptions): Run {
    const { facts, spec, program, tag } = state;
    const { clock, ring } = options;
    const own = { ...options, runId: facts.run_id, spec, memo: facts.memo };
    const made = new Later<Run>();
    const startedAt = new KernelTimes(clock).fromKernel(state.started_at);
    const isReady = facts.ready || facts.exit !== null;
    const age = clock.monotonic() - startedAt;
    const taken = { state: state.monitors, age, isReady, isUnhealthy: facts.unhealthy !== null };
    const monitors = new RunMonitors({ ...Run.#monitoring(own, made), taken });
    const terminal = Terminal.adopt(state.terminal, ends, Run.#listening(own, made));
    const run = made.set(new Run(own, { program, terminal, monitors, facts: { ...facts }, startedAt, tag, taken: state }));
    // It may have printed what makes it ready.
    if (!isReady) monitors.output(ring.read(Math.max(facts.first_offset, ring.end - MAX_CARRY_LENGTH), MAX_CARRY_LENGTH).data);
    return run;
  }

  static #monitoring({ spec, clock, log }: OwnOptions, run: Later<Run>): RunMonitorsOptions {
    return {
      spec,
      clock,
      onReady: () => run.value.#note("ready", { ready: true }),
      onUnhealthy: (reason) => run.value.#note("unhealthy", { unhealthy: reason }),
      onChange: (path) => run.value.#note("watch", { changed_file: path.slice(0, 4_096) }),
      onChecks: (checks) => run.value.#note("checks", { checks: [...checks] }),
      onProblem: (msg) => log("warning", `'${spec.name}': ${msg}`, [spec.name]),
    };
  }

  static #listening({ clock }: OwnOptions, run: Later<Run>): TerminalListener {
    return { clock, onData: (bytes) => run.value.#receive(bytes), onExit: (exit) => run.value.#leaderEnded(exit) };
  }

  private constructor(options: OwnOptions, parts: Parts) {
    const { terminal, taken } = parts;
    this.#options = options;
    this.id = options.runId;
    this.spec = options.spec;
    this.#startedAt = parts.startedAt;
    this.#program = parts.program;
    this.#terminal = terminal;
    this.#monitors = parts.monitors;
    this.#facts = parts.facts;
    this.#resizedAt = taken?.resized_at ?? null;
    this.#usage = taken?.usage ?? null;
    this.#dumpedCore = taken?.dumped_core ?? false;
    this.whenExtinct = new Promise((done) => {
      this.#resolveExtinct = done;
    });
    this.#tag = parts.tag;
    this.#tree = options.reaper.track(
      {
        runId: options.runId,
        pid: terminal.pid,
        startTime: terminal.startTime,
        terminal: terminal.path,
        tag: parts.tag,
      },
      taken?.tree,
    );
    this.#auxiliaries = new AuxiliaryProcesses({ program: parts.program, pid: terminal.pid, tree: this.#tree });
    this.#stop = new RunStop(`'${this.spec.name}' (pid ${terminal.pid})`, {
      signal: (signal) => this.#tree.signal(signal),
      write: (text) => terminal.write(Buffer.from(text)),
      start: (program) => this.#auxiliaries.start(program),
      hasExited: () => this.#facts.exit !== null,
      whenGone: () => {
        void this.#awaitTree();
        return this.whenExtinct;
      },
      kill: () => this.kill(),
      log: (level, msg) => options.log(level, msg, [this.spec.name]),
      clock: options.clock,
    });
    if (options.spec.log_file !== null) {
      options.logFile?.resume(options.spec.log_file, (isPressed) => this.#setHolder("log file", isPressed));
    }
    const { clock, probes: features } = options;
    if (this.#facts.exit === null) this.#monitors.begin({ clock, features, start: (program) => this.#auxiliaries.start(program) });
    if (taken !== null) this.#continue(taken);
  }

  /** Continues what was in progress when the program was replaced. */
  #continue({ stop, beside }: LivingRunState): void {
    const adopt = (pid: number) => this.#auxiliaries.adopt(pid);
    // Its probes are begun again.
    for (const pid of beside) adopt(pid).kill();
    if (stop !== null) {
      this.#monitors.stopping();
      this.#stop.take(stop, new KernelTimes(this.#options.clock), adopt);
    }
    if (this.#facts.exit !== null) this.#awaitEnd();
    else if (stop?.at === null) this.kill();
  }

  /** Stops reading the terminal and returns the run's state; `resume` continues. Call it for a run that is not extinct. */
  handOver(times: KernelTimes): { state: LivingRunState; ends: TerminalEnds } {
    const { state: terminal, ends } = this.#terminal.handOver();
    const stop = this.#stop.handOver(times);
    const state = {
      ...this.handOverFacts(times),
      program: this.#program,
      tag: this.#tag,
      terminal,
      tree: this.#tree.handOver(),
      stop,
      monitors: this.#monitors.handOver(times),
      usage: this.#usage,
      dumped_core: this.#dumpedCore,
      beside: this.#auxiliaries.pids.filter((pid) => pid !== stop?.command),
    };
    return { state, ends };
  }

  /** The state of a run that is extinct. */
  handOverFacts(times: KernelTimes): RunState {
    const started_at = times.toKernel(this.#startedAt);
    return { facts: { ...this.#facts }, spec: this.spec, started_at, resized_at: this.#resizedAt, stopping: this.isStopping };
  }

  /** Reads the terminal again after `handOver`. */
  resume(): void {
    this.#terminal.resume();
    this.#terminal.hold(this.#holders.size > 0);
  }

  get report(): RunReport {
    const age = this.#options.clock.monotonic() - this.#startedAt;
    return { age_ms: Math.max(0, age), stopping: this.isStopping, ...this.#facts };
  }

  get pid(): number {
    return this.#facts.pid;
  }

  get isStopping(): boolean {
    return this.#stop.steps !== null;
  }

  get usage(): ChildUsage | null {
    return this.#usage;
  }

  get dumpedCore(): boolean {
    return this.#dumpedCore;
  }

  get isExtinct(): boolean {
    return this.#facts.extinct;
  }

  /**
   * Executes `steps` until the whole tree is gone; SIGKILL follows the last one. A further call replaces the steps in progress. `cause`: the failure
   * for which it is stopped.
   */
  stop(steps: readonly StopStep[], cause?: ReportedStopCause): void {
    // Processes that outlived a leader that ended by itself are being killed. A repeated command must not start over.
    const isBeingKilled = this.#facts.exit !== null && this.#stop.steps === null;
    if (this.#facts.extinct || isBeingKilled || isDeepStrictEqual(steps, this.#stop.steps)) return;
    const isFirst = this.#stop.steps === null;
    this.#stop.begin(steps);
    this.#monitors.stopping();
    // Its final output must not wait for a reader: the program would block, and be killed for it.
    this.#setHolder("reader", false);
    if (isFirst) this.#note("stopping", cause === undefined ? {} : { stop_cause: cause });
    void this.#stop.carryOut(steps);
  }

  /** Sends SIGKILL to the whole tree until nothing is left. */
  kill(): void {
    this.#tree.killRest();
    this.#awaitTree();
  }

  /** Sends SIGKILL to the tree in this turn. */
  killNow(): void {
    this.#tree.killNow();
  }

  signal(signal: Signal): void {
    this.#requireAlive();
    this.#tree.signalLeader(signal);
  }

  /** Writes at once; resolves when the echo has been passed on. */
  write(text: string): Promise<void> {
    this.#requireAlive();
    this.#terminal.write(Buffer.from(text));
    return this.#echo.next();
  }

  resize(rows: number, cols: number): void {
    this.#requireAlive();
    if (rows !== this.#facts.rows || cols !== this.#facts.cols) this.#resizedAt = this.#options.ring.end;
    this.#terminal.resize(rows, cols);
    this.#note("changed", { rows, cols });
  }

  /** Offset in the ring at the last change of its terminal's size; null: it has the size that the run began with. */
  get resizedAt(): number | null {
    return this.#resizedAt;
  }

  /** Leaves output in the kernel's terminal while `held`, until the run is stopped or ends. */
  hold(held: boolean): void {
    this.#setHolder("reader", held && this.#stop.steps === null);
  }

  set memo(memo: string) {
    this.#note("changed", { memo });
  }

  #setHolder(holder: Holder, isHolding: boolean): void {
    if (isHolding) this.#holders.add(holder);
    else this.#holders.delete(holder);
    this.#terminal.hold(this.#holders.size > 0);
  }

  /** Resolves when the tree is gone; checked only after a stop or kill was requested. */
  #awaitTree(): Promise<void> {
    this.#treeEnd ??= this.#tree.extinct();
    return this.#treeEnd;
  }

  #receive(bytes: Buffer): void {
    this.#options.ring.append(bytes);
    this.#options.onOutput(this.spec.name, bytes);
    this.#echo.come();
    this.#options.logFile?.pump();
    this.#monitors.output(bytes);
  }

  /** Changes the run's entry, and reports it. */
  #note(kind: HostEvent["kind"], change: Partial<RunFacts>): void {
    Object.assign(this.#facts, change);
    this.#options.onChange(kind, this);
  }

  #leaderEnded({ code, signal, dumpedCore, usage = null }: TerminalExit): void {
    this.#usage = usage;
    this.#dumpedCore = dumpedCore;
    if (dumpedCore)
      this.#options.log("warning", `'${this.spec.name}' (pid ${this.pid}) was ended by ${signal} and left a core dump`, [this.spec.name]);
    this.#monitors.end();
    const { clock, ring } = this.#options;
    this.#note("exited", { exit: { code, signal, reason: null }, stop_time: clock.now(), final_offset: ring.end });
    this.#awaitEnd();
  }

  /** Waits for the end of the rest of the tree: the leader has ended. */
  #awaitEnd(): void {
    // A requested stop gives the rest of the tree time to end. Without one, no process may outlive the leader.
    if (this.#stop.steps === null) this.kill();
    this.#awaitTree()
      .then(() => this.#stop.commandEnded)
      .then(() => this.#becomeExtinct())
      .catch((error: unknown) =>
        this.#options.log("error", `the end of '${this.spec.name}' (pid ${this.pid}) could not be seen: ${messageOf(error)}`, [
          this.spec.name,
        ]),
      );
  }

  #becomeExtinct(): void {
    // Not closed earlier: a sweep that still checks for holders of the terminal would find processes of its next owner.
    this.#terminal.close();
    this.#options.logFile?.rest();
    this.#note("extinct", { final_offset: this.#options.ring.end, extinct: true });
    this.#resolveExtinct();
  }

  #requireAlive(): void {
    if (this.#facts.exit !== null) throw new MgrError("not_running", `'${this.spec.name}' is not running; its run ${this.id} has ended`);
  }
}
