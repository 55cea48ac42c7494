import type { DomainEvents } from "../../actors/domain-events.ts";
import { awaits, type GroupEmitted } from "../../actors/group-machine.ts";
import type { ProcessEmitted } from "../../actors/process/process-types.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { messageOf } from "../../base/errors.ts";
import { ancestorNames, withRest } from "../../base/text/names.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { exitText } from "../../client/handles/exit-text.ts";
import type { PendingRun, RequestOrigin } from "../../config/state/process-intent.ts";
import type { RunReport } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import { stateWord } from "../../protocol/process/process-state.ts";
import type { Process, ProcessState, RequestedState } from "../../protocol/resources/resources.ts";
import { formatTime } from "../../protocol/time.ts";
import type { ManagerStatus } from "../manager-status.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";
import type { RunHistory } from "../state/run-history.ts";
import type { ProcessEffects } from "./process-effects.ts";
import type { ProcessTable } from "./process-table.ts";

/** Called when a process that was requested to run no longer runs and will not restart by itself: it ended, was stopped, or cannot be started. */
export type OnProcessAtRest = (process: Process, configured: { essential: boolean }) => void;

/** States on the way to a requested run. */
const UNDER_WAY: ReadonlySet<ProcessState> = new Set<ProcessState>(["waiting", "starting", "stopping"]);

/** Maximum number of failed members of a group that one log entry names. */
const MAX_NAMED = 10;

interface ProcessEventRouterOptions {
  processTable: ProcessTable;
  system: ActorSystem;
  events: DomainEvents;
  history: RunHistory;
  intents: IntentKeeper;
  status: ManagerStatus;
  log: LogBook;
  clock: Clock;
  /** The host's last report of its newest run. */
  lastReport: (name: string) => RunReport | null;
  /** Stream id of the daemon of its host; null before the first. */
  streamId: (name: string) => string | null;
  /** Carries out the requests of processes to their hosts. */
  effects: Pick<ProcessEffects, "handle">;
  onProcessAtRest?: OnProcessAtRest | undefined;
}

/** Passes the events of the processes' actors to the log, the intent file, their groups and connected clients. */
export class ProcessEventRouter {
  readonly #options: ProcessEventRouterOptions;
  constructor(options: ProcessEventRouterOptions) {
    this.#options = options;
  }

  handle(name: string, event: ProcessEmitted): void {
    const { log } = this.#options;
    switch (event.type) {
      case "changed":
        this.#announce(name, event);
        break;
      case "adopted":
        this.#announce(name, { from: null, to: event.state, reason: event.reason });
        break;
      case "intent":
        this.saveRequest(name, event);
        break;
      case "pending_run":
        this.#keepPending(name, event.pending);
        break;
      case "spawn":
      case "stop_run":
      case "abandon":
        this.#options.effects.handle(name, event);
        break;
      case "note":
        log.append({ level: event.level, source: "manager", msg: `process '${name}': ${event.msg}`, about: [name] });
        break;
    }
  }

  /** Handles the outcome of a command to a group, once it is certain. */
  handleGroup(group: string, event: GroupEmitted): void {
    if (event.type !== "settled") return;
    const { processTable, log } = this.#options;
    const failed = processTable.membersOf(group).flatMap((name) => {
      const process = processTable.process(name);
      return process?.state === "error" ? [`'${name}' (${exitText(process)})`] : [];
    });
    const msg = `group '${group}' is ${event.after === "starting" ? "up" : "stopped"}`;
    if (failed.length === 0) log.info(msg, [group]);
    else {
      const named = withRest(failed.slice(0, MAX_NAMED), failed.length);
      log.warn(`${msg}, but for ${named}`, [group]);
    }
  }

  /** Saves the state that a user requests of a process, not the one that the configuration requests. */
  saveRequest(name: string, { origin, requested_state }: { origin: RequestOrigin | null; requested_state: RequestedState }): void {
    if (this.#options.status.isShuttingDown || origin === null) return;
    const { intents } = this.#options;
    intents.set(name, { requested_state, origin });
    // The write does not wait for an effect: a process that was stopped in backoff must still be stopped after a crash.
    void intents.flush();
  }

  /** Saves the processes whose start starts `name` again, until another state of it is requested. */
  keepResume(name: string, resumeWith: readonly string[]): void {
    const { intents } = this.#options;
    const known = intents.get(name).resume_with ?? [];
    if (this.#options.status.isShuttingDown || (known.length === 0 && resumeWith.length === 0)) return;
    intents.set(name, { resume_with: resumeWith });
    void intents.flush();
  }

  /** The end of a pending run is saved with the next write: the run's id shows it as well. */
  #keepPending(name: string, pending: PendingRun | null): void {
    if (this.#options.status.isShuttingDown) return;
    const { intents } = this.#options;
    intents.set(name, { pending_run: pending });
    if (pending !== null) void intents.flush();
  }

  /** Shows a process whose actor is parked as failed. */
  parked(name: string, error: unknown): void {
    const { processTable, clock, lastReport } = this.#options;
    const process = processTable.process(name);
    if (!process) return;
    const run = lastReport(name);
    const reason = `its actor failed repeatedly: ${messageOf(error)}`;
    const pid = run !== null && run.exit === null && !run.extinct ? run.pid : null;
    processTable.park(name, { process, pid, reason, time: formatTime(clock.now()) });
    if (process.state !== "error") this.#announce(name, { from: process.state, to: "error", reason });
    else this.publish(name);
  }

  /** Writes one log entry and publishes one upsert for each state change; `from` null: the process was adopted in this state. */
  #announce(name: string, { from, to, reason }: { from: ProcessState | null; to: ProcessState; reason: string | null }): void {
    const { log, processTable, system } = this.#options;
    const source = "manager";
    if (reason !== null)
      log.append({ level: to === "error" ? "error" : "warning", source, msg: `process '${name}': ${reason}`, about: [name] });
    const said = from === null ? this.#adopted(name, to) : `changes state from '${stateWord(from)}' to '${stateWord(to)}'`;
    const change = { process: name, from, to, by: this.#causeOf(name, to), reason };
    log.append({ level: to === "error" ? "error" : "info", source, msg: `process '${name}' ${said}`, change });
    const process = this.publish(name);
    if ((from === null || from === "stopped") && processTable.isAdopted(name) && processTable.needsRestart(name))
      log.append({
        level: "warning",
        source,
        msg: `process '${name}' still runs with its earlier configuration; restart it to apply the new one`,
        about: [name],
      });
    const member = { name, state: to, has_ready_state: process?.has_ready_state ?? false };
    for (const group of ancestorNames(name)) {
      const snapshot = system.get("group", group)?.getSnapshot();
      if (snapshot && awaits(snapshot, member)) system.send("group", group, { type: "member", ...member });
    }
    this.#options.events.publish({ type: "process_transition", name, from, to, reason });
    if ((to === "error" || to === "stopped") && process)
      this.#options.onProcessAtRest?.(process, { essential: processTable.config.processes.get(name)?.essential ?? false });
  }

  #adopted(name: string, state: ProcessState): string {
    const pid = this.#options.processTable.process(name)?.pid ?? null;
    return `adopted: ${pid === null ? "not running" : `pid ${pid}`}, state '${stateWord(state)}'`;
  }

  /** The user whose request causes the state change; null: it happens by itself. */
  #causeOf(name: string, to: ProcessState): string | null {
    const context = this.#options.system.get("process", name)?.getSnapshot().context;
    if (!context?.origin) return null;
    const { requested, pendingRun, origin } = context;
    const isRequested = requested === "stop" ? to === "stopping" || to === "stopped" : pendingRun !== null && UNDER_WAY.has(to);
    return isRequested && origin.by !== "" ? origin.by : null;
  }

  /** Publishes changes of the process, if there are any. Returns its current resource. */
  publish(name: string): Process | undefined {
    const { system, processTable, history, events, streamId } = this.#options;
    const context = system.get("process", name)?.getSnapshot().context;
    if (context) history.note(name, context, streamId(name));
    const process = processTable.process(name);
    if (process) events.publish({ type: "process_upsert", process });
    return process;
  }
}
