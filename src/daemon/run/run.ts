import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/clock.ts";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { HostEvent, HostLog } from "../../contract/messages.ts";
import { type Program as ProgramSpec, type RunExit, type RunReport, type RunSpec, type StopStep, specHash } from "../../contract/run.ts";
import type { Signal } from "../../protocol/process/signals.ts";
import { Echo } from "../output/echo.ts";
import type { LogFile } from "../output/log-file.ts";
import type { OutputRing } from "../output/output-ring.ts";
import { Terminal, type TerminalExit } from "../output/terminal.ts";
import { type AuxiliaryProcess, startAuxiliaryProcess } from "../process/auxiliary-process.ts";
import type { Program } from "../process/program.ts";
import { besides, programOf } from "../process/run-program.ts";
import type { TrackedTree, TreeReaper } from "../tree/reaper.ts";
import { RunMonitors } from "./run-monitors.ts";

export interface RunOptions {
  runId: string;
  spec: RunSpec;
  memo: string;
  /** Value of the marker variable of the whole tree. */
  marker: string;
  ring: OutputRing;
  /** File that also receives the output. */
  logFile: LogFile | null;
  reaper: TreeReaper;
  clock: Clock;
  onChange: (kind: HostEvent["kind"], run: Run) => void;
  /** The ring has grown. */
  onOutput: (name: string) => void;
  log: (level: HostLog["level"], msg: string) => void;
}

/** Start time of a run, and its start offset in the ring. */
interface Begin {
  wall: number;
  monotonic: number;
  offset: number;
}

/** Reason that a run's output is left in the terminal. */
type Holder = "reader" | "log file";

interface Parts {
  program: Program;
  terminal: Terminal;
  monitors: RunMonitors;
  begin: Begin;
  tag: number | null;
}

/** One execution of a process: alive until its leader ended, extinct once nothing of its tree is left. */
export class Run {
  readonly id: string;
  readonly spec: RunSpec;
  /** Resolves when the run is extinct. */
  readonly whenExtinct: Promise<void>;
  readonly #options: RunOptions;
  readonly #specHash: string;
  readonly #begin: Begin;
  readonly #terminal: Terminal;
  readonly #program: Program;
  readonly #monitors: RunMonitors;
  readonly #echo = new Echo();
  readonly #holders = new Set<Holder>();
  readonly #tree: TrackedTree;
  #resolveExtinct: () => void = () => {};
  #treeEnd: Promise<void> | null = null;
  #steps: readonly StopStep[] | null = null;
  /** The command of the stop in progress. */
  #stopCommand: AuxiliaryProcess | null = null;
  #exit: RunExit | null = null;
  #stopTime: number | null = null;
  #finalOffset: number | null = null;
  #isReady = false;
  #unhealthy: string | null = null;
  #changedFile: string | null = null;
  #isExtinct = false;
  #rows: number;
  #cols: number;
  #memo: string;

  /** Starts it. Rejects with `spawn_failed` or `bad_field`; then no process of it is left. */
  static async start(options: RunOptions): Promise<Run> {
    const { spec, ring, clock } = options;
    let run: Run | null = null;
    const started = (): Run => {
      if (run === null) throw new MgrError("internal", "a child was heard before its start returned");
      return run;
    };
    const monitors = new RunMonitors({
      spec,
      clock,
      onReady: () => started().#becomeReady(),
      onUnhealthy: (reason) => started().#becomeUnhealthy(reason),
      onChange: (path) => started().#filesChanged(path),
      onProblem: (msg) => options.log("warning", `'${spec.name}': ${msg}`),
    });
    try {
      const program = await programOf(spec, options.marker);
      const begin = { wall: clock.now(), monotonic: clock.monotonic(), offset: ring.end };
      const { started: starting, tag } = options.reaper.tagged(options.runId, () =>
        Terminal.start({
          ...program,
          restrictions: spec,
          rows: spec.terminal.rows,
          cols: spec.terminal.cols,
          clock,
          onData: (bytes) => started().#receive(bytes),
          onExit: (exit) => started().#leaderEnded(exit),
        }),
      );
      run = new Run(options, { program, terminal: await starting, monitors, begin, tag });
      return run;
    } catch (error) {
      monitors.end();
      throw error;
    }
  }

  private constructor(options: RunOptions, parts: Parts) {
    const { terminal } = parts;
    this.#options = options;
    this.id = options.runId;
    this.spec = options.spec;
    this.#memo = options.memo;
    this.#rows = options.spec.terminal.rows;
    this.#cols = options.spec.terminal.cols;
    this.#specHash = specHash(options.spec);
    this.#begin = parts.begin;
    this.#program = parts.program;
    this.#terminal = terminal;
    this.#monitors = parts.monitors;
    this.whenExtinct = new Promise((done) => {
      this.#resolveExtinct = done;
    });
    this.#tree = options.reaper.track({
      runId: options.runId,
      pid: terminal.pid,
      startTime: terminal.startTime,
      terminal: terminal.path,
      tag: parts.tag,
    });
    if (options.spec.log_file !== null) {
      options.logFile?.resume(options.spec.log_file, (isPressed) => this.#setHolder("log file", isPressed));
    }
    this.#monitors.begin({ clock: options.clock, start: (program) => this.#startBeside(program) });
  }

  get report(): RunReport {
    return {
      name: this.spec.name,
      run_id: this.id,
      spec_hash: this.#specHash,
      command: this.spec.command,
      pid: this.#terminal.pid,
      start_time: this.#begin.wall,
      stop_time: this.#stopTime,
      age_ms: Math.max(0, this.#options.clock.monotonic() - this.#begin.monotonic),
      ready: this.#isReady,
      unhealthy: this.#unhealthy,
      changed_file: this.#changedFile,
      stopping: this.#steps !== null,
      exit: this.#exit,
      extinct: this.#isExtinct,
      first_offset: this.#begin.offset,
      final_offset: this.#finalOffset,
      rows: this.#rows,
      cols: this.#cols,
      memo: this.#memo,
    };
  }

  get pid(): number {
    return this.#terminal.pid;
  }

  get isExtinct(): boolean {
    return this.#isExtinct;
  }

  /** Carries `steps` out until the whole tree is gone; SIGKILL follows the last one. Further steps replace those under way. */
  stop(steps: readonly StopStep[]): void {
    // Processes that outlived a leader that ended by itself are being killed. A repeated command must not start over.
    const isBeingKilled = this.#exit !== null && this.#steps === null;
    if (this.#isExtinct || isBeingKilled || isDeepStrictEqual(steps, this.#steps)) return;
    const isFirst = this.#steps === null;
    this.#steps = steps;
    this.#stopCommand?.kill();
    this.#monitors.stopping();
    // Its final output must not wait for a reader: the program would block, and be killed for it.
    this.#setHolder("reader", false);
    if (isFirst) this.#options.onChange("stopping", this);
    this.#carryOut(steps).catch((error: unknown) => {
      this.#options.log("error", `stopping '${this.spec.name}' (pid ${this.pid}) failed, it is killed: ${messageOf(error)}`);
      this.kill();
    });
  }

  /** SIGKILL to the whole tree until nothing is left. */
  kill(): void {
    this.#tree.killRest();
    this.#awaitTree();
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
    this.#terminal.resize(rows, cols);
    this.#rows = rows;
    this.#cols = cols;
    this.#options.onChange("changed", this);
  }

  /** Leaves its output in the kernel's terminal, until it is stopped or ends. */
  hold(held: boolean): void {
    this.#setHolder("reader", held && this.#steps === null);
  }

  set memo(memo: string) {
    this.#memo = memo;
    this.#options.onChange("changed", this);
  }

  async #carryOut(steps: readonly StopStep[]): Promise<void> {
    for (const step of steps) {
      const isGone = (await Promise.race([this.#isGoneWithin(step.timeout_ms), this.#failureOf(step)])) || (await this.#endStopCommand());
      if (isGone || this.#steps !== steps) return;
    }
    this.#options.log("warning", `'${this.spec.name}' (pid ${this.pid}) did not end in time; it is killed`);
    this.kill();
  }

  /** The time limit of its step is over. True: nothing else was left. */
  async #endStopCommand(): Promise<boolean> {
    if (this.#stopCommand === null) return false;
    this.#stopCommand.kill();
    await this.#stopCommand.ended;
    return this.#isGoneWithin(0);
  }

  /** Executes a step. Resolves (false) only when that has failed, so that there is nothing to wait for. */
  async #failureOf(step: StopStep): Promise<false> {
    const forEver = new Promise<never>(() => {});
    if ("signal" in step) {
      this.#tree.signal(step.signal);
      return forEver;
    }
    // A stopped process could neither read nor respond.
    this.#tree.signal("SIGCONT");
    const failure = "send" in step ? this.#type(step.send) : await this.#runStopCommand(step.program);
    if (failure === null) return forEver;
    this.#options.log("warning", `the stop of '${this.spec.name}' (pid ${this.pid}) goes on with its next step: ${failure}`);
    return false;
  }

  #type(text: string): string | null {
    try {
      this.#terminal.write(Buffer.from(text));
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #runStopCommand(program: ProgramSpec): Promise<string | null> {
    const command = this.#startBeside(program);
    this.#stopCommand = command;
    const failure = await command.ended;
    if (this.#stopCommand === command) this.#stopCommand = null;
    return failure === null || this.#exit !== null ? null : `its command failed: ${failure}`;
  }

  /** With the run's folder, user and environment, as a part of its tree. */
  #startBeside(program: ProgramSpec): AuxiliaryProcess {
    return startAuxiliaryProcess(besides(this.#program, program, this.pid), (start) => this.#tree.join(start));
  }

  #setHolder(holder: Holder, isHolding: boolean): void {
    if (isHolding) this.#holders.add(holder);
    else this.#holders.delete(holder);
    this.#terminal.hold(this.#holders.size > 0);
  }

  #isGoneWithin(milliseconds: number): Promise<boolean> {
    const { clock } = this.#options;
    void this.#awaitTree();
    return new Promise((done) => {
      const timer = clock.setTimeout(() => done(false), milliseconds);
      void this.whenExtinct.then(() => {
        clock.clearTimeout(timer);
        done(true);
      });
    });
  }

  /** Resolves when the tree is gone; checked only after a stop or kill was requested. */
  #awaitTree(): Promise<void> {
    this.#treeEnd ??= this.#tree.extinct();
    return this.#treeEnd;
  }

  #receive(bytes: Buffer): void {
    this.#options.ring.append(bytes);
    this.#options.onOutput(this.spec.name);
    this.#echo.come();
    this.#options.logFile?.pump();
    this.#monitors.output(bytes);
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#options.onChange("ready", this);
  }

  #becomeUnhealthy(reason: string): void {
    this.#unhealthy = reason;
    this.#options.onChange("unhealthy", this);
  }

  #filesChanged(path: string): void {
    this.#changedFile = path.slice(0, 4_096);
    this.#options.onChange("watch", this);
  }

  #leaderEnded({ code, signal, dumpedCore }: TerminalExit): void {
    if (dumpedCore) this.#options.log("warning", `'${this.spec.name}' (pid ${this.pid}) was ended by ${signal} and left a core dump`);
    this.#monitors.end();
    this.#exit = { code, signal, reason: null };
    this.#stopTime = this.#options.clock.now();
    this.#finalOffset = this.#options.ring.end;
    this.#options.onChange("exited", this);
    // A requested stop gives the rest of the tree its time; without one no process may outlive the leader.
    if (this.#steps === null) this.kill();
    this.#awaitTree()
      .then(() => this.#stopCommand?.ended)
      .then(() => this.#becomeExtinct())
      .catch((error: unknown) =>
        this.#options.log("error", `the end of '${this.spec.name}' (pid ${this.pid}) could not be seen: ${messageOf(error)}`),
      );
  }

  #becomeExtinct(): void {
    // Not earlier: a sweep that still looks for holders of the terminal would find processes of its next owner.
    this.#terminal.close();
    this.#finalOffset = this.#options.ring.end;
    this.#options.logFile?.rest();
    this.#isExtinct = true;
    this.#options.onChange("extinct", this);
    this.#resolveExtinct();
  }

  #requireAlive(): void {
    if (this.#exit !== null) throw new MgrError("not_running", `'${this.spec.name}' is not running; its run ${this.id} has ended`);
  }
}
