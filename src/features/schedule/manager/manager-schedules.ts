import { isDeepStrictEqual } from "node:util";
import type { ManagerCore } from "../../../app/feature.ts";
import { observedCommand } from "../../../app/observed-command.ts";
import { StateWriter } from "../../../app/state/state-writer.ts";
import type { CommandOutcome } from "../../../base/command-observer.ts";
import { MgrError } from "../../../base/errors.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import type { ScheduleState } from "../wire.ts";
import type { ScheduleFile } from "./saved-schedules.ts";
import { ScheduledProcess } from "./scheduled-process.ts";
import type { Schedules } from "./schedules.ts";

type Options = Pick<
  ManagerCore,
  "clock" | "config" | "events" | "intents" | "isShuttingDown" | "log" | "observe" | "processes" | "restartProcess" | "startProcess"
> & { readonly file: ScheduleFile };

/** The requester of the starts, in the log, in the audit and in `requested_by`. */
const REQUESTER = "its schedule";
/** Maximum interval between two checks of the wall clock, milliseconds: a run may begin this late after the machine was suspended or its clock was set. */
const MAX_PAUSE_MS = 30_000;
/** The wall clock was set if it differs by more than this from the time that has passed since it was read last, milliseconds. */
const MIN_STEP_MS = 1_000;

/** Starts processes by their schedules. */
export class ManagerSchedules implements Schedules {
  readonly #options: Options;
  readonly #writer: StateWriter;
  readonly #processes = new Map<string, ScheduledProcess>();
  /** The states as clients know them. */
  readonly #shown = new Map<string, ScheduleState>();
  #timer: unknown = null;
  /** The clocks when they were read last. */
  #read: { readonly wall: number; readonly monotonic: number };
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    const { clock, file, events } = options;
    this.#read = { wall: clock.now(), monotonic: clock.monotonic() };
    this.#writer = new StateWriter(() => file.save({ schedules: [...this.#processes.values()].map((each) => each.saved()) }));
    events.subscribe((event) => {
      if (event.type === "process_remove") this.#remove(event.name);
    });
  }

  list(view: ViewMode): ScheduleState[] {
    return [...this.#shown.values()].filter(({ name }) => contains(view, name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  begin(): void {
    const saved = new Map(this.#options.file.content.schedules.map((each) => [each.name, each]));
    this.#configure((name) => saved.get(name));
  }

  reconfigured(): void {
    this.#configure(() => undefined);
  }

  /** Called after each step of a process's actor. */
  stepped(name: string): void {
    const scheduled = this.#processes.get(name);
    if (scheduled === undefined) return;
    this.#forgetEndedStart(name);
    // Not in the step itself: a command is another step.
    queueMicrotask(() => this.#follow(scheduled));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
    if (this.#processes.size > 0) await this.#writer.save();
  }

  #configure(savedOf: (name: string) => ReturnType<ScheduledProcess["saved"]> | undefined): void {
    const { clock, config, processes } = this.#options;
    const now = clock.now();
    const { processes: definitions } = config();
    for (const [name, { schedule }] of definitions) {
      const known = this.#processes.get(name);
      if (schedule === null || processes.retiring.has(name)) this.#remove(name);
      else if (known !== undefined) known.reschedule(schedule, now);
      else this.#processes.set(name, new ScheduledProcess(name, schedule, { saved: savedOf(name), now }));
    }
    for (const name of [...this.#processes.keys()]) if (!definitions.has(name)) this.#remove(name);
    for (const scheduled of this.#processes.values()) this.#changed(scheduled);
    this.#setTimer();
  }

  #remove(name: string): void {
    if (!this.#processes.delete(name)) return;
    this.#shown.delete(name);
    this.#options.events.publish({ type: "schedule_remove", name });
    void this.#writer.save();
  }

  #setTimer(): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isClosed || this.#processes.size === 0) return;
    const next = Math.min(...[...this.#processes.values()].map((each) => each.next ?? Number.POSITIVE_INFINITY));
    const pause = Math.min(MAX_PAUSE_MS, Math.max(1, next - clock.now()));
    this.#timer = clock.setTimeout(() => this.#check(), pause);
  }

  /** Begins what is due, at most one run of each process. */
  #check(): void {
    const { clock, isShuttingDown } = this.#options;
    if (isShuttingDown()) return;
    const wall = clock.now();
    const monotonic = clock.monotonic();
    const step = wall - this.#read.wall - (monotonic - this.#read.monotonic);
    this.#read = { wall, monotonic };
    for (const scheduled of this.#processes.values()) {
      if (Math.abs(step) > MIN_STEP_MS) scheduled.clockStepped(step, wall);
      this.#notePause(scheduled);
      const due = scheduled.take(wall);
      if (due !== "none" && !scheduled.isPaused) this.#run(scheduled, due === "missed");
      this.#changed(scheduled);
    }
    this.#setTimer();
  }

  #run(scheduled: ScheduledProcess, isMissed: boolean): void {
    const { catch_up, overlap } = scheduled.schedule;
    if (isMissed && !catch_up) {
      this.#skip(scheduled, "it was missed while the manager did not run, or the machine slept or its clock was set");
      return;
    }
    switch (this.#situation(scheduled)) {
      case "away":
        if (catch_up) scheduled.isPending = true;
        else this.#skip(scheduled, "its host cannot be reached");
        break;
      case "busy":
        if (overlap === "queue") scheduled.isPending = true;
        else if (overlap === "kill" && !scheduled.isStarting) void this.#begin(scheduled, "restart");
        else this.#skip(scheduled, "the run before has not ended");
        break;
      case "free":
        void this.#begin(scheduled, "start");
        break;
    }
  }

  #situation({ name, isStarting }: ScheduledProcess): "away" | "busy" | "free" {
    const { processes } = this.#options;
    if (processes.isUnknown(name) || !processes.isHostReady(processes.hostOf(name) ?? undefined)) return "away";
    const state = processes.stateOf(name);
    return !isStarting && (state === "stopped" || state === "error") ? "free" : "busy";
  }

  async #begin(scheduled: ScheduledProcess, verb: "start" | "restart"): Promise<void> {
    const { name } = scheduled;
    const at = this.#options.clock.now();
    scheduled.isStarting = true;
    scheduled.isPending = false;
    const outcome = await this.#command(scheduled, verb);
    scheduled.isStarting = false;
    if (this.#isClosed || this.#processes.get(name) !== scheduled) return;
    if (outcome.ok) scheduled.started(at);
    else if (outcome.code === "host_unavailable" && scheduled.schedule.catch_up) scheduled.isPending = true;
    else if (!scheduled.isPaused) this.#skip(scheduled, outcome.message);
    this.#changed(scheduled);
  }

  /** Gives the command as a client does: the observers see it before it takes effect. Never rejects. */
  #command(scheduled: ScheduledProcess, verb: "start" | "restart"): Promise<CommandOutcome> {
    const { observe, isShuttingDown, startProcess, restartProcess } = this.#options;
    const { name } = scheduled;
    return observedCommand(observe, { name: `${verb}_process`, by: REQUESTER, target: name }, () => {
      if (scheduled.isPaused || isShuttingDown() || this.#processes.get(name) !== scheduled)
        throw new MgrError("conflict", "the schedule was paused or removed meanwhile");
      return verb === "start" ? startProcess(name, REQUESTER) : restartProcess(name, REQUESTER);
    });
  }

  /** Logs the first of several runs that are left out one after the other. */
  #skip(scheduled: ScheduledProcess, reason: string): void {
    const { clock, log } = this.#options;
    if (scheduled.skip(clock.now(), reason) === 1)
      log.append({
        level: "warning",
        source: "manager",
        msg: `a run of process '${scheduled.name}' by its schedule was left out: ${reason}`,
        about: [scheduled.name],
      });
  }

  /** Notes whether the schedule is paused, and begins a run that waits, if it can begin now. */
  #follow(scheduled: ScheduledProcess): void {
    if (this.#isClosed || this.#options.isShuttingDown() || this.#processes.get(scheduled.name) !== scheduled) return;
    this.#notePause(scheduled);
    if (scheduled.isPending && this.#situation(scheduled) === "free") void this.#begin(scheduled, "start");
    this.#changed(scheduled);
  }

  #notePause(scheduled: ScheduledProcess): void {
    const process = this.#options.processes.process(scheduled.name);
    // Without a requester, the stop is the configuration's: the process was never started, or the request for its last run was dropped.
    scheduled.isPaused = process !== undefined && process.requested_state === "stop" && process.requested_by !== null;
    if (scheduled.isPaused) scheduled.isPending = false;
  }

  /**
   * Drops the request for a run that is over: the next manager would start the process again if its host did not know that run any more, as after
   * a reboot. A run that is cut off by that is still started again.
   */
  #forgetEndedStart(name: string): void {
    const { intents, isShuttingDown, processes } = this.#options;
    const state = processes.stateOf(name);
    if ((state !== "stopped" && state !== "error") || processes.isUnknown(name) || isShuttingDown()) return;
    const { requested_state, pending_run } = intents.get(name);
    if (requested_state !== "start" || pending_run) return;
    intents.forgetStart(name);
    void intents.flush();
  }

  /** Publishes and saves the schedule if it has changed. */
  #changed(scheduled: ScheduledProcess): void {
    const state = scheduled.state();
    const shown = this.#shown.get(scheduled.name);
    if (isDeepStrictEqual(shown, state)) return;
    this.#shown.set(scheduled.name, state);
    this.#options.events.publish({ type: "schedule_upsert", schedule: state });
    void this.#writer.save();
    if (shown !== undefined && shown.paused !== state.paused)
      this.#options.log.info(`the schedule of process '${state.name}' ${state.paused ? "is paused until it is started" : "continues"}`, [
        state.name,
      ]);
  }
}
