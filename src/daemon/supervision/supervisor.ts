import { MgrError, messageOf } from "../../base/errors.ts";
import { listNames, withRest } from "../../base/text/names.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { StartPacer } from "../../base/timing/start-pacer.ts";
import { NOT_READY } from "../../contract/failure-words.ts";
import { HEARTBEAT_LOST_MS, type HostEvent, type HostLogWriter, type RequestOf, type ResponseOf } from "../../contract/messages.ts";
import { endedWell, failureReason, NO_RESTARTS, type RestartCounters } from "../../contract/restart-policy.ts";
import type { ReportedStopCause, RunReport, RunSpec, StopStep } from "../../contract/run.ts";
import { compareRunIds, isStartedByHost } from "../../contract/run-ids.ts";
import { nextMemo } from "../../contract/run-memo.ts";
import { KernelTimes } from "../handover/kernel-times.ts";
import { dependenciesHold } from "./dependencies-hold.ts";
import { afterEnd, followerOf } from "./end-of-run.ts";
import type { KeptProcess, KeptRequests, Resumable } from "./kept-requests.ts";
import { PastRuns } from "./past-runs.ts";
import { ReadyDeadlines } from "./ready-deadlines.ts";
import { planResumption } from "./resumption.ts";
import type { SupervisorState } from "./supervisor-state.ts";
import { TimeAlone } from "./time-alone.ts";

/** Maximum number of processes that a log entry names. */
const MAX_NAMED = 10;

/** The part of a run that is used here, which may be a scripted run (testing/fake-run.ts). */
interface SupervisedRun {
  readonly id: string;
  readonly spec: RunSpec;
  readonly report: RunReport;
  stop(steps: readonly StopStep[], cause?: ReportedStopCause): void;
}

interface SupervisorOptions<R> {
  readonly clock: Clock;
  readonly runs: {
    /** The newest run of each name. */
    readonly all: R[];
    newest(name: string): R | undefined;
    /** The run of the newest start of a name; undefined if that start failed or is in progress. */
    started(name: string): R | undefined;
  };
  /** Starts a run. `check` is called before it begins, and throws if it must not begin. */
  readonly start: (run: Pick<RequestOf<"spawn">, "run_id" | "spec" | "memo">, check: () => void) => Promise<unknown>;
  /** The requested states, for the daemon after the next boot; omitted: it starts nothing by itself. */
  readonly requests?: KeptRequests | undefined;
  readonly log: HostLogWriter;
}

/** The next run of a process. */
interface Plan {
  /** Id of the run that it follows; undefined: it is the first one of this daemon. */
  readonly after: string | undefined;
  readonly counters: RestartCounters;
  /** Timer of the backoff; null: the delay is over, and dependencies are missing or the start is in progress. */
  timer: unknown;
  isStarting: boolean;
}

/**
 * Supervises the processes of a host while it has no manager: it starts them again by their restart policy, as the manager would. It decides
 * nothing before the host has been without a session for HEARTBEAT_LOST_MS, and nothing from the next hello on (docs/decisions/0082).
 */
export class Supervisor<R extends SupervisedRun> {
  readonly #options: SupervisorOptions<R>;
  readonly #pacer: StartPacer;
  #startRate: number | null = null;
  /** Whether the manager wants another run when that of a process ends; of each process that was started here. */
  readonly #wanted = new Map<string, boolean>();
  /** Ends of the newest runs, by name: monotonic times. */
  readonly #ends = new Map<string, { readonly runId: string; readonly time: number }>();
  /** Processes of the previous daemon that this one has not started yet, by name. */
  readonly #resumable = new Map<string, KeptProcess>();
  readonly #plans = new Map<string, Plan>();
  readonly #deadlines: ReadyDeadlines<R>;
  readonly #starting = new Set<Promise<void>>();
  readonly #past = new PastRuns();
  /** Why this daemon had to begin anew. */
  #beganAfter: Resumable["after"] = "boot";
  #timer: unknown = null;
  #alone: TimeAlone | null = null;
  #last: Pick<TimeAlone, "told"> | undefined;

  constructor(options: SupervisorOptions<R>) {
    this.#options = options;
    this.#pacer = new StartPacer(options.clock, () => this.#startRate);
    this.#deadlines = new ReadyDeadlines(options.clock, (run, timeoutMs) => this.#stopFor(run, `${NOT_READY}${timeoutMs / 1_000} s`));
  }

  /** The last time without a manager; undefined: a manager knows it already. */
  get last(): ResponseOf<"hello">["alone"] {
    return this.#last?.told;
  }

  get pastRuns(): RunReport[] {
    return this.#past.all();
  }

  /** Continues as the program before this one did. Call it once the runs are in the table. */
  take(state: SupervisorState): void {
    const { clock, runs } = this.#options;
    const times = new KernelTimes(clock);
    this.#startRate = state.start_rate;
    this.#beganAfter = state.began_after;
    for (const [name, isWanted] of state.wanted) this.#wanted.set(name, isWanted);
    for (const { name, run_id: runId, time } of state.ends) this.#ends.set(name, { runId, time: times.fromKernel(time) });
    for (const { spec, run_id: runId } of state.resumable) this.#resumable.set(spec.name, { spec, runId });
    for (const run of state.past) this.#past.add(run);
    if (state.last !== undefined) this.#last = { told: state.last };
    if (state.alone === undefined) {
      this.sessionEnded();
      return;
    }
    this.#alone = new TimeAlone(clock, { before: state.alone, after: this.#beganAfter });
    for (const { spec } of runs.all) this.#look(spec.name);
    this.#resume();
  }

  handOver(): SupervisorState {
    const times = new KernelTimes(this.#options.clock);
    return {
      start_rate: this.#startRate,
      began_after: this.#beganAfter,
      wanted: [...this.#wanted],
      ends: [...this.#ends].map(([name, { runId, time }]) => ({ name, run_id: runId, time: times.toKernel(time) })),
      resumable: [...this.#resumable.values()].map(({ spec, runId }) => ({ spec, run_id: runId })),
      past: this.pastRuns,
      last: this.last,
      alone: this.#alone?.told,
    };
  }

  // Messages of the manager.

  /** Throws `conflict` if the manager has not seen a run that was started without it. `after`: the newest run that it knows. */
  checkSeen(name: string, runId: string, after: string | undefined): void {
    const run = this.#options.runs.newest(name);
    if (after === undefined || run === undefined || run.id === runId || !isStartedByHost(run.id)) return;
    if (compareRunIds(run.id, after) <= 0) return;
    throw new MgrError("conflict", `'${name}' was restarted without a manager as run ${run.id}, which this manager has not seen`, {
      details: { run: run.report },
    });
  }

  startRequested(name: string): void {
    this.#wanted.set(name, true);
    this.#options.requests?.startRequested(name);
  }

  stopRequested(name: string, { wanted }: Pick<RequestOf<"stop">, "wanted">): void {
    if (wanted !== undefined) this.#wanted.set(name, wanted);
    if (wanted === false) this.#options.requests?.stopRequested(name);
  }

  supervise(request: Omit<RequestOf<"supervise">, "session">): void {
    const { processes, start_rate, is_first } = request;
    this.#options.requests?.supervise(request);
    this.#startRate = start_rate;
    // The manager has what happened before.
    this.#last = undefined;
    this.#past.clear();
    if (is_first) for (const name of this.#wanted.keys()) this.#wanted.set(name, false);
    for (const [name, isWanted] of processes) if (this.#wanted.has(name)) this.#wanted.set(name, isWanted);
  }

  // Events of the host.

  /** Called once, when the host may start runs: unless a manager greets it in time, it starts what was requested of the previous daemon. */
  resume(): void {
    const resumable = this.#options.requests?.begin() ?? null;
    if (resumable === null || resumable.processes.length === 0) return;
    for (const process of resumable.processes) {
      this.#resumable.set(process.spec.name, process);
      this.#wanted.set(process.spec.name, true);
    }
    this.#startRate = resumable.startRate;
    this.#beganAfter = resumable.after;
    this.sessionEnded();
  }

  /** Called when the session of the manager has ended. */
  sessionEnded(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = this.#options.clock.setTimeout(() => this.#begin(), HEARTBEAT_LOST_MS);
  }

  /** Called at a hello. Decides nothing from now on; resolves when the starts in progress have ended. */
  async sessionBegan(): Promise<void> {
    this.close();
    while (this.#starting.size > 0) await Promise.all(this.#starting);
  }

  runChanged(kind: HostEvent["kind"], run: R): void {
    const { name } = run.spec;
    if (kind === "exited") this.#ends.set(name, { runId: run.id, time: this.#options.clock.monotonic() });
    if (kind === "spawned") {
      this.#resumable.delete(name);
      this.#options.requests?.began(run);
    }
    this.#changed(name);
  }

  /** Called when a start that the manager has requested is in the run table: the host may have lost it meanwhile. */
  startEnded(name: string): void {
    this.#changed(name);
  }

  /** Decides nothing until the host has lost another manager. */
  close(): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#pacer.close();
    for (const { timer } of this.#plans.values()) clock.clearTimeout(timer);
    this.#plans.clear();
    this.#deadlines.clear();
    const alone = this.#alone;
    if (alone === null) return;
    // A manager may have ended before it had what happened in the time before.
    this.#last = alone;
    this.#alone = null;
    alone.end();
  }

  #begin(): void {
    const { clock, runs, log } = this.#options;
    const all = runs.all.filter(({ spec }) => this.#rulesOf(spec) !== null);
    if (all.length > 0) log("warning", "no manager: this host restarts its processes by their restart policies until one is back");
    this.#alone = new TimeAlone(clock, { before: this.last, after: this.#beganAfter });
    for (const { spec } of all) this.#look(spec.name);
    this.#resume();
  }

  /** Starts the processes of the previous daemon, each as soon as its dependencies hold. */
  #resume(): void {
    const { requests, log } = this.#options;
    const wanted = [...this.#resumable.values()].filter(({ spec }) => this.#wanted.get(spec.name) === true);
    if (wanted.length === 0) return;
    const { start, waiting } = planResumption(wanted, (name) => this.#options.runs.newest(name) !== undefined);
    const names = start.map(({ spec }) => spec.name);
    const why = this.#beganAfter === "boot" ? "after a boot" : "after a restart of the daemon";
    if (names.length > 0) {
      log("warning", `no manager ${why}: this host starts what was requested before: ${listNames(names)}`, names);
      requests?.resumed();
    }
    if (waiting.length > 0)
      log("warning", `these processes wait for the manager: ${withRest(waiting.slice(0, MAX_NAMED), waiting.length)}`);
    const plans = names.map((name): [string, Plan] => [name, { after: undefined, counters: NO_RESTARTS, timer: null, isStarting: false }]);
    for (const [name, plan] of plans) this.#plans.set(name, plan);
    for (const [name, plan] of plans) this.#launch(name, plan);
  }

  /** The supervision of a process that is wanted, or null. */
  #rulesOf({ name, supervision }: RunSpec) {
    return this.#wanted.get(name) === true && supervision !== undefined ? supervision : null;
  }

  /** A run has changed: its process may need something, and others may have waited for it. */
  #changed(name: string): void {
    if (this.#alone === null) return;
    this.#look(name);
    for (const [waiting, plan] of this.#plans) if (plan.timer === null && !plan.isStarting) this.#launch(waiting, plan);
  }

  #look(name: string): void {
    const run = this.#options.runs.started(name);
    if (run === undefined) return;
    const { report } = run;
    if (report.exit === null) this.#attend(run, report);
    else if (report.extinct) this.#judge(run, report);
  }

  /** Stops a living run for which its monitors have found a reason. */
  #attend(run: R, report: RunReport): void {
    const { name, stopping, unhealthy, changed_file, ready } = report;
    const rules = this.#rulesOf(run.spec);
    if (rules === null || stopping) return;
    const { log } = this.#options;
    if (unhealthy !== null) this.#stopFor(run, unhealthy);
    else if (changed_file !== null) {
      log("info", `'${name}' is restarted: '${changed_file}' changed`, [name]);
      run.stop(run.spec.stop);
    } else if (run.spec.ready !== null && !ready && rules.ready_timeout_ms !== null) this.#deadlines.set(run, rules.ready_timeout_ms);
  }

  #stopFor(run: R, reason: string): void {
    const { name, stop } = run.spec;
    this.#options.log("warning", `'${name}' is stopped: ${reason}`, [name]);
    run.stop(stop, { reason, recycled: false });
  }

  #judge(run: R, report: RunReport): void {
    const { clock, log } = this.#options;
    const { name } = report;
    const rules = this.#rulesOf(run.spec);
    if (rules === null || this.#plans.get(name)?.after === run.id) return;
    const next = afterEnd({ report, ended: this.#endOf(run) }, rules, clock.monotonic());
    if (next.due === null) {
      this.#wanted.set(name, false);
      if (!endedWell(next.run)) log("error", `'${name}' is not restarted: ${failureReason(next.run)}`, [name]);
      return;
    }
    const plan: Plan = { after: run.id, counters: next.counters, timer: null, isStarting: false };
    this.#plans.set(name, plan);
    const rest = next.due - clock.monotonic();
    if (rest <= 0) this.#launch(name, plan);
    else
      plan.timer = clock.setTimeout(() => {
        plan.timer = null;
        this.#launch(name, plan);
      }, rest);
  }

  #endOf(run: R): number {
    const end = this.#ends.get(run.spec.name);
    return end?.runId === run.id ? end.time : this.#options.clock.monotonic();
  }

  /** Starts a process whose delay is over, once its dependencies hold. */
  #launch(name: string, plan: Plan): void {
    const { runs } = this.#options;
    const run = runs.started(name);
    const spec = run?.spec ?? this.#resumable.get(name)?.spec;
    const rules = spec && this.#rulesOf(spec);
    if (this.#alone === null || run?.id !== plan.after || plan.isStarting || !rules) return;
    if (!dependenciesHold(rules, (each) => runs.newest(each))) return;
    const next = run === undefined ? this.#resumable.get(name) : followerOf(run);
    if (next === undefined) return;
    plan.isStarting = true;
    const start = this.#start(next, { plan, alone: this.#alone, before: run?.report }).finally(() => this.#starting.delete(start));
    this.#starting.add(start);
  }

  /** `before`: the run that it replaces; undefined: it is the first one after a boot. */
  async #start(
    { spec, runId }: KeptProcess,
    { plan, alone, before }: { plan: Plan; alone: TimeAlone; before: RunReport | undefined },
  ): Promise<void> {
    const { clock, start, log } = this.#options;
    const { name } = spec;
    const isResumed = before === undefined;
    try {
      await this.#pacer.turn(alone.life);
      const memo = nextMemo(before?.memo ?? "", plan.counters, clock.monotonic());
      await start({ run_id: runId, spec, memo }, () => alone.life.throwIfCancelled());
    } catch (error) {
      if (this.#alone !== alone) return;
      this.#plans.delete(name);
      this.#wanted.set(name, false);
      log("error", `'${name}' could not be ${isResumed ? "started" : "restarted"} without a manager: ${messageOf(error)}`, [name]);
      return;
    }
    if (before !== undefined) this.#past.add(before);
    alone.started(isResumed);
    if (this.#plans.get(name) === plan) this.#plans.delete(name);
    log("info", `${isResumed ? "started" : "restarted"} '${name}' without a manager (run ${runId})`, [name]);
    this.#changed(name);
  }
}
