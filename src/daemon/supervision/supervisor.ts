import { z } from "zod";
import { CancellationSource } from "../../base/cancellation.ts";
import type { Clock } from "../../base/clock.ts";
import { MgrError, messageOf } from "../../base/errors.ts";
import { StartPacer } from "../../base/start-pacer.ts";
import { NOT_READY } from "../../contract/failure-words.ts";
import {
  HEARTBEAT_LOST_MS,
  HOST_REQUESTS,
  type HostEvent,
  type HostLogWriter,
  type RequestOf,
  type ResponseOf,
} from "../../contract/messages.ts";
import { endedWell, failureReason, type RestartCounters, type StopCause } from "../../contract/restart-policy.ts";
import { type RunReport, type RunSpec, runReport, type StopStep } from "../../contract/run.ts";
import { compareRunIds, isStartedByHost, nextRunOfHost } from "../../contract/run-ids.ts";
import { nextMemo } from "../../contract/run-memo.ts";
import { KernelTimes } from "../handover/kernel-times.ts";
import { dependenciesHold } from "./dependencies-hold.ts";
import { afterEnd } from "./end-of-run.ts";
import { PastRuns } from "./past-runs.ts";

/** The part of a run that is used here, which may be a scripted run (testing/fake-run.ts). */
interface SupervisedRun {
  readonly id: string;
  readonly spec: RunSpec;
  readonly report: RunReport;
  stop(steps: readonly StopStep[]): void;
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
  readonly log: HostLogWriter;
}

/** Why a run is being stopped; "again": another run is to follow at once. */
type Cause = StopCause | "again";

const stopCause = z.union([z.literal("again"), z.null(), z.object({ reason: z.string(), isRecycled: z.boolean().exactOptional() })]);

/** The supervision of a host whose daemon replaces its program. Times are those of the kernel's clock. */
export const supervisorState = z.object({
  start_rate: z.number().nullable(),
  wanted: z.array(z.tuple([z.string(), z.boolean()])),
  ends: z.array(z.object({ name: z.string(), run_id: z.string(), time: z.number() })),
  causes: z.array(z.object({ name: z.string(), run_id: z.string(), cause: stopCause })),
  past: z.array(runReport),
  last: HOST_REQUESTS.hello.response.shape.alone,
  /** Null: it had a manager, or had lost it just before. `from`: milliseconds since 1970. */
  alone: z.object({ from: z.number(), restarts: z.number().int() }).nullable(),
});
type SupervisorState = z.infer<typeof supervisorState>;

/** The next run of a process. */
interface Plan {
  /** Id of the run that it follows. */
  readonly after: string;
  readonly counters: RestartCounters;
  /** Timer of the backoff; null: the delay is over, and dependencies are missing or the start is in progress. */
  timer: unknown;
  isStarting: boolean;
}

/** The time since which the host has had no manager. */
interface Alone {
  readonly from: number;
  restarts: number;
  readonly life: CancellationSource;
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
  /** Causes of stops, by name. */
  readonly #causes = new Map<string, { readonly runId: string; readonly cause: Cause }>();
  readonly #plans = new Map<string, Plan>();
  /** Timers of runs that have to become ready, by name. */
  readonly #deadlines = new Map<string, unknown>();
  readonly #starting = new Set<Promise<void>>();
  readonly #past = new PastRuns();
  #timer: unknown = null;
  #alone: Alone | null = null;
  #last: ResponseOf<"hello">["alone"];

  constructor(options: SupervisorOptions<R>) {
    this.#options = options;
    this.#pacer = new StartPacer(options.clock, () => this.#startRate);
  }

  /** The last time without a manager; undefined: a manager knows it already. */
  get last(): ResponseOf<"hello">["alone"] {
    return this.#last;
  }

  get pastRuns(): RunReport[] {
    return this.#past.all();
  }

  /** Continues as the program before this one did. Call it once the runs are in the table. */
  take(state: SupervisorState): void {
    const times = new KernelTimes(this.#options.clock);
    this.#startRate = state.start_rate;
    for (const [name, isWanted] of state.wanted) this.#wanted.set(name, isWanted);
    for (const { name, run_id: runId, time } of state.ends) this.#ends.set(name, { runId, time: times.fromKernel(time) });
    for (const { name, run_id: runId, cause } of state.causes) this.#causes.set(name, { runId, cause });
    for (const run of state.past) this.#past.add(run);
    this.#last = state.last;
    if (state.alone === null) this.sessionEnded();
    else {
      this.#alone = { ...state.alone, life: new CancellationSource() };
      for (const { spec } of this.#options.runs.all) this.#look(spec.name);
    }
  }

  handOver(): SupervisorState {
    const times = new KernelTimes(this.#options.clock);
    return {
      start_rate: this.#startRate,
      wanted: [...this.#wanted],
      ends: [...this.#ends].map(([name, { runId, time }]) => ({ name, run_id: runId, time: times.toKernel(time) })),
      causes: [...this.#causes].map(([name, { runId, cause }]) => ({ name, run_id: runId, cause })),
      past: this.pastRuns,
      last: this.#last,
      alone: this.#alone && { from: this.#alone.from, restarts: this.#alone.restarts },
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
  }

  stopRequested({ name, run_id: runId, stopping }: RunReport, { wanted, cause }: Pick<RequestOf<"stop">, "wanted" | "cause">): void {
    if (wanted !== undefined) this.#wanted.set(name, wanted);
    if (stopping || cause === undefined) return;
    this.#causes.set(name, { runId, cause: { reason: cause.reason, isRecycled: cause.recycled } });
  }

  supervise({ processes, start_rate, is_first }: Omit<RequestOf<"supervise">, "session">): void {
    this.#startRate = start_rate;
    // The manager has what happened before.
    this.#last = undefined;
    this.#past.clear();
    if (is_first) for (const name of this.#wanted.keys()) this.#wanted.set(name, false);
    for (const [name, isWanted] of processes) if (this.#wanted.has(name)) this.#wanted.set(name, isWanted);
  }

  // Events of the host.

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

  runChanged(kind: HostEvent["kind"], { spec: { name }, id }: R): void {
    if (kind === "exited") this.#ends.set(name, { runId: id, time: this.#options.clock.monotonic() });
    if (this.#alone !== null) this.#changed(name);
  }

  /** Decides nothing until the host has lost another manager. */
  close(): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#pacer.close();
    for (const { timer } of this.#plans.values()) clock.clearTimeout(timer);
    for (const timer of this.#deadlines.values()) clock.clearTimeout(timer);
    this.#plans.clear();
    this.#deadlines.clear();
    if (this.#alone === null) return;
    const { from, restarts, life } = this.#alone;
    // A manager may have ended before it had what happened in the time before.
    this.#last = { from: this.#last?.from ?? from, until: clock.now(), restarts: (this.#last?.restarts ?? 0) + restarts };
    this.#alone = null;
    life.cancel();
  }

  #begin(): void {
    const { clock, runs, log } = this.#options;
    const all = runs.all.filter(({ spec }) => this.#rulesOf(spec) !== null);
    if (all.length > 0) log("warning", "no manager: this host restarts its processes by their restart policies until one is back");
    this.#alone = { from: clock.now(), restarts: 0, life: new CancellationSource() };
    for (const { spec } of all) this.#look(spec.name);
  }

  /** The supervision of a process that is wanted, or null. */
  #rulesOf({ name, supervision }: RunSpec) {
    return this.#wanted.get(name) === true && supervision !== undefined ? supervision : null;
  }

  /** A run has changed: its process may need something, and others may have waited for it. */
  #changed(name: string): void {
    this.#look(name);
    for (const [waiting, plan] of this.#plans) if (plan.timer === null && !plan.isStarting) this.#launch(waiting, plan);
  }

  #look(name: string): void {
    const run = this.#options.runs.started(name);
    if (this.#alone === null || run === undefined) return;
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
    if (unhealthy !== null) this.#stop(run, { reason: unhealthy });
    else if (changed_file !== null) {
      log("info", `'${name}' is restarted: '${changed_file}' changed`, [name]);
      this.#stop(run, "again");
    } else if (run.spec.ready !== null && !ready && rules.ready_timeout_ms !== null) this.#awaitReady(run, rules.ready_timeout_ms);
  }

  #awaitReady(run: R, timeoutMs: number): void {
    const { clock } = this.#options;
    const { name, age_ms } = run.report;
    clock.clearTimeout(this.#deadlines.get(name));
    const timer = clock.setTimeout(
      () => {
        this.#deadlines.delete(name);
        const { ready, exit, stopping } = run.report;
        if (!ready && exit === null && !stopping) this.#stop(run, { reason: `${NOT_READY}${timeoutMs / 1_000} s` });
      },
      Math.max(0, timeoutMs - age_ms),
    );
    this.#deadlines.set(name, timer);
  }

  #stop(run: R, cause: Cause): void {
    const { name, stop } = run.spec;
    if (cause !== "again" && cause !== null) this.#options.log("warning", `'${name}' is stopped: ${cause.reason}`, [name]);
    this.#causes.set(name, { runId: run.id, cause });
    run.stop(stop);
  }

  #judge(run: R, report: RunReport): void {
    const { clock, log } = this.#options;
    const { name } = report;
    const rules = this.#rulesOf(run.spec);
    if (rules === null || this.#plans.get(name)?.after === run.id) return;
    const next = afterEnd({ report, ended: this.#endOf(run), cause: this.#causeOf(run, report) }, rules, clock.monotonic());
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

  /** A run that the manager stopped although another one is wanted was stopped for a restart. */
  #causeOf(run: R, { stopping }: RunReport): Cause | undefined {
    const known = this.#causes.get(run.spec.name);
    if (known?.runId === run.id) return known.cause;
    return stopping ? "again" : undefined;
  }

  /** Starts a process whose delay is over, once its dependencies hold. */
  #launch(name: string, plan: Plan): void {
    const { runs } = this.#options;
    const run = runs.started(name);
    const rules = run && this.#rulesOf(run.spec);
    if (this.#alone === null || run?.id !== plan.after || !rules) return;
    if (!dependenciesHold(rules, (each) => runs.newest(each))) return;
    plan.isStarting = true;
    const start = this.#start(run, plan, this.#alone).finally(() => this.#starting.delete(start));
    this.#starting.add(start);
  }

  async #start(run: R, { counters }: Plan, alone: Alone): Promise<void> {
    const { clock, start, log } = this.#options;
    const { report, spec } = run;
    const { name, rows, cols } = report;
    const runId = nextRunOfHost(run.id);
    try {
      await this.#pacer.turn(alone.life);
      const memo = nextMemo(report.memo, counters, clock.monotonic());
      await start({ run_id: runId, spec: { ...spec, terminal: { ...spec.terminal, rows, cols } }, memo }, () =>
        alone.life.throwIfCancelled(),
      );
    } catch (error) {
      if (this.#alone !== alone) return;
      this.#plans.delete(name);
      this.#wanted.set(name, false);
      log("error", `'${name}' could not be restarted without a manager: ${messageOf(error)}`, [name]);
      return;
    }
    this.#past.add(report);
    alone.restarts++;
    // A start that a hello could not prevent belongs to the time before it.
    if (this.#alone !== alone && this.#last !== undefined) this.#last = { ...this.#last, restarts: this.#last.restarts + 1 };
    if (this.#plans.get(name)?.after === run.id) this.#plans.delete(name);
    log("info", `restarted '${name}' without a manager (run ${runId})`, [name]);
    if (this.#alone === alone) this.#changed(name);
  }
}
