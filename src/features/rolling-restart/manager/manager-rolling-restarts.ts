import type { ManagerCore } from "../../../app/feature.ts";
import { observedCommand } from "../../../app/observed-command.ts";
import { MgrError } from "../../../base/errors.ts";
import { listNames } from "../../../base/text/names.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import type { RestartStep, StepState } from "../wire.ts";
import { REMOVED, RestartedProcess } from "./restarted-process.ts";
import { RollingRestart } from "./rolling-restart.ts";
import type { RollingRestarts } from "./rolling-restarts.ts";

type Options = Pick<ManagerCore, "clock" | "config" | "events" | "isShuttingDown" | "log" | "observe" | "processes" | "restartProcess">;

/** Maximum number of rolling restarts at the same time. */
const MAX_RUNNING = 16;
/** Time for which clients see the steps of one that has ended, milliseconds. */
const KEPT_MS = 600_000;

/** Restarts processes one after the other. */
export class ManagerRollingRestarts implements RollingRestarts {
  readonly #options: Options;
  /** The newest rolling restart of each process, also one that has ended. */
  readonly #byProcess = new Map<string, RollingRestart>();
  readonly #timers = new Set<unknown>();
  #count = 0;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    options.events.subscribe((event) => {
      if (event.type === "process_remove") this.#forget(event.name);
    });
  }

  list(view: ViewMode): RestartStep[] {
    return [...this.#byProcess].flatMap(([name, restart]) => (contains(view, name) ? restart.step(name) : []));
  }

  namesOf(id: string): readonly string[] | null {
    return this.#find(id)?.names ?? null;
  }

  begin(asked: readonly string[], { timeoutMs, by }: { readonly timeoutMs: number; readonly by: string }): string {
    const names = [...new Set(asked)];
    const { processes, log } = this.#options;
    for (const name of names) {
      if (processes.process(name) === undefined) throw new MgrError("not_found", `there is no process '${name}'`);
      if (this.#byProcess.get(name)?.hasEnded === false)
        throw new MgrError("conflict", `'${name}' is part of another rolling restart; wait for its end, or cancel it`);
    }
    const running = new Set([...this.#byProcess.values()].filter(({ hasEnded }) => !hasEnded));
    if (running.size >= MAX_RUNNING)
      throw new MgrError("busy", `${MAX_RUNNING} rolling restarts are under way; wait for the end of one, or cancel it`);
    const restart = new RollingRestart({ id: `rolling-${++this.#count}`, by, names, timeoutMs });
    for (const name of names) {
      // In the order of the newest restart.
      this.#byProcess.delete(name);
      this.#byProcess.set(name, restart);
      this.#publish(restart, name);
    }
    const msg = `'${by}' requests a rolling restart of ${listNames(names)}`;
    log.append({ level: "info", source: "manager", msg, about: names });
    this.#next(restart);
    return restart.id;
  }

  cancel(id: string, by: string): void {
    const restart = this.#find(id);
    if (restart === undefined || restart.hasEnded) throw new MgrError("not_found", `there is no rolling restart '${id}' under way`);
    this.#leaveOut(restart, `'${by}' cancelled the rolling restart`);
  }

  /** Called after each step of a process's actor. */
  stepped(name: string): void {
    const { present } = this.#byProcess.get(name) ?? {};
    if (present?.name !== name) return;
    // Not in the step itself: the next command is another step.
    queueMicrotask(() => present.check());
  }

  close(): void {
    this.#isClosed = true;
    for (const { present } of this.#byProcess.values()) present?.close();
    for (const timer of this.#timers) this.#options.clock.clearTimeout(timer);
  }

  #next(restart: RollingRestart): void {
    const [name] = restart.namesIn("pending");
    if (name === undefined || this.#isClosed) {
      this.#ended(restart);
      return;
    }
    const { observe, isShuttingDown, restartProcess } = this.#options;
    const process = new RestartedProcess({
      ...this.#options,
      name,
      timeoutMs: restart.timeoutMs,
      ended: (failure) => this.#stepEnded(restart, name, failure),
    });
    restart.present = process;
    this.#set(restart, name, "restarting");
    void observedCommand(observe, { name: "restart_process", by: restart.by, target: name }, () => {
      if (isShuttingDown()) throw new MgrError("conflict", "the manager is shutting down");
      process.begins();
      return restartProcess(name, restart.by);
    }).then((outcome) => (outcome.ok ? process.requested() : process.refused(outcome.message)));
  }

  #stepEnded(restart: RollingRestart, name: string, failure: string | null): void {
    restart.present = null;
    this.#set(restart, name, failure === null ? "done" : "failed", failure);
    if (failure !== null) this.#leaveOut(restart, `'${name}' failed`);
    this.#next(restart);
  }

  #leaveOut(restart: RollingRestart, reason: string): void {
    for (const name of restart.namesIn("pending")) this.#set(restart, name, "left_out", reason);
  }

  #ended(restart: RollingRestart): void {
    if (this.#isClosed) return;
    const { clock, log } = this.#options;
    const [failed] = restart.namesIn("failed");
    const left = restart.namesIn("left_out");
    const done = restart.namesIn("done");
    const rest = left.length === 0 ? "" : `; not restarted: ${listNames(left)}`;
    if (failed !== undefined) {
      const restarted = done.length === 0 ? "" : `; restarted before: ${listNames(done)}`;
      log.append({
        level: "error",
        source: "manager",
        msg: `the rolling restart ended because '${failed}' failed: ${restart.step(failed).reason}${restarted}${rest}`,
        about: restart.names,
      });
    } else log.info(`the rolling restart has ended: restarted ${done.length} of ${restart.names.length}${rest}`, restart.names);
    const timer = clock.setTimeout(() => {
      this.#timers.delete(timer);
      for (const name of restart.names) if (this.#byProcess.get(name) === restart) this.#forget(name);
    }, KEPT_MS);
    this.#timers.add(timer);
  }

  #forget(name: string): void {
    const restart = this.#byProcess.get(name);
    if (restart === undefined) return;
    this.#byProcess.delete(name);
    if (restart.present?.name === name) restart.present.refused(REMOVED);
    else if (restart.step(name).state === "pending") restart.set(name, "left_out", REMOVED);
    this.#options.events.publish({ type: "restart_step_remove", name });
  }

  #find(id: string): RollingRestart | undefined {
    return [...this.#byProcess.values()].find((restart) => restart.id === id);
  }

  #set(restart: RollingRestart, name: string, state: StepState, reason: string | null = null): void {
    restart.set(name, state, reason);
    this.#publish(restart, name);
  }

  #publish(restart: RollingRestart, name: string): void {
    // A process that was removed meanwhile has no step any more.
    if (this.#byProcess.get(name) === restart) this.#options.events.publish({ type: "restart_step_upsert", step: restart.step(name) });
  }
}
