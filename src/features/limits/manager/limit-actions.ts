import type { ManagerCore } from "../../../app/feature.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Config } from "../../../config/definition.ts";
import { isRunningState } from "../../../protocol/process/process-state.ts";
import { reachedText } from "../client/limit-text.ts";
import type { HostReached } from "../contract.ts";

type LimitActionsOptions = Pick<ManagerCore, "config" | "log" | "processes" | "stopProcess" | "system">;

/** The result of a limit: it is carried out later, its process is not up yet. */
type Outcome = "done" | "later";

/** Restarts and stops the processes that have reached a limit, each run once. */
export class LimitActions {
  readonly #options: LimitActionsOptions;
  /** Limits of runs that are not known yet, or whose process could not be reached. */
  readonly #waiting = new Map<string, readonly HostReached[]>();
  /** Runs that have been restarted or stopped, by process. */
  readonly #acted = new Map<string, { readonly runId: string; readonly actions: Set<HostReached["action"]> }>();

  constructor(options: LimitActionsOptions) {
    this.#options = options;
  }

  /** Carries out what the limits of a process say that it has reached now; empty: none any more. */
  receive(name: string, reached: readonly HostReached[]): void {
    const acting = reached.filter(({ action }) => action !== "notify");
    const later = acting.filter((limit) => this.#carryOut(name, limit) === "later");
    if (later.length === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, later);
  }

  /** Called when something about a process has changed. */
  retry(name: string): void {
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) this.receive(name, waiting);
  }

  /** Forgets a process that is in no configuration any more. */
  forget(name: string): void {
    this.#waiting.delete(name);
    this.#acted.delete(name);
  }

  #carryOut(name: string, limit: HostReached): Outcome {
    const { config, log, processes } = this.#options;
    const { action, run_id } = limit;
    if (!hasLimit(config(), name, limit)) return "done";
    const living = processes.livingRun(name);
    // After a start of the manager or of the process, the run may not have been reported yet.
    if (living === null) return processes.isUnknown(name) || processes.stateOf(name) === "starting" ? "later" : "done";
    if (living !== run_id) return "done";
    const acted = this.#acted.get(name);
    const actions = acted?.runId === run_id ? acted.actions : new Set<HostReached["action"]>();
    if (actions.has(action)) return "done";
    const state = processes.stateOf(name);
    // It is stopping already, so another restart would change nothing; a stop must still keep it from starting again.
    if (!isRunningState(state) && !(action === "stop" && state === "stopping")) return state === "starting" ? "later" : "done";
    this.#acted.set(name, { runId: run_id, actions: actions.add(action) });
    const text = reachedText(limit);
    log.warn(`process '${name}' has reached a limit: ${text}; it is ${action === "stop" ? "stopped" : "restarted"}`);
    if (action === "stop") this.#stop(name, text);
    else this.#options.system.send("process", name, { type: "recycle", runId: run_id, reason: `limit reached: ${text}` });
    return "done";
  }

  #stop(name: string, text: string): void {
    const refused = (error: unknown) => {
      this.#acted.delete(name);
      this.#options.log.warn(`process '${name}' could not be stopped: ${messageOf(error)}`);
    };
    try {
      Promise.resolve(this.#options.stopProcess(name, `its limit (${text})`)).catch(refused);
    } catch (error) {
      refused(error);
    }
  }
}

/** Whether the present configuration has the limit: it may have been removed since the host measured. */
function hasLimit({ processes }: Config, name: string, { measure, above, for_ms, action }: HostReached): boolean {
  const limits = processes.get(name)?.limits_act ?? [];
  return limits.some((each) => each.measure === measure && each.above === above && each.for_ms === for_ms && each.action === action);
}
