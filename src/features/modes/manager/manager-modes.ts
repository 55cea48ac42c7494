import { isDeepStrictEqual } from "node:util";
import type { ManagerCore } from "../../../app/feature.ts";
import { StateWriter } from "../../../app/state/state-writer.ts";
import type { Owners } from "../../../base/access/access.ts";
import { MgrError, messageOf, wireCode } from "../../../base/errors.ts";
import { Publisher } from "../../../base/publisher.ts";
import { listNames } from "../../../base/text/names.ts";
import { didYouMean } from "../../../base/text/suggest.ts";
import { untilWithin } from "../../../base/timing/wait.ts";
import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { ManagerDataPlane } from "../../data-plane/manager/index.ts";
import type { ManagerPresets } from "../../presets/manager/index.ts";
import type { ModeDefinition } from "../config.ts";
import { presetProblems } from "../preset-problems.ts";
import type { ActiveMode, Mode } from "../wire.ts";
import { parametersOf, parametersWithPreset, setLateParameters, setParameters } from "./mode-parameters.ts";
import { isAtRest, selectedProcesses, switchPlan } from "./mode-plan.ts";
import type { Modes } from "./modes.ts";
import type { ModeFile, SavedMode } from "./saved-mode.ts";

type Options = Pick<
  ManagerCore,
  "clock" | "conditions" | "config" | "events" | "isShuttingDown" | "log" | "observe" | "processes" | "startProcess" | "stopProcess"
> & {
  readonly file: ModeFile;
  readonly dataPlane: Pick<ManagerDataPlane, "parameters" | "setOverride">;
  readonly presets: Pick<ManagerPresets, "valuesOf">;
};

/** Longest wait for processes to stop, milliseconds: each has the time-out of its own stop, and those that depend on each other stop one after the other. */
const MAX_STOP_MS = 10 * 60_000;
/** Longest time for which a switch follows the processes that it has started, milliseconds. */
const MAX_START_MS = 5 * 60_000;
/** Longest wait for hosts that have not said what runs on them, milliseconds. */
const MAX_UNKNOWN_MS = 60_000;
/** Maximum number of problems of a switch that are kept and shown. */
const MAX_PROBLEMS = 20;
const CONDITION = { kind: "mode_fallback", process: null, host: null } as const;

/** Switches between modes, one switch at a time: a newer one takes its place. */
export class ManagerModes implements Modes {
  readonly #options: Options;
  readonly #writer: StateWriter;
  readonly #stepped: Publisher<string>;
  #active: SavedMode | null;
  #step: ActiveMode["step"] = null;
  /** Aborted by the next switch, and when the manager ends. */
  #switch = new AbortController();
  #shown: readonly Mode[] | null = null;
  #isOpen = false;

  constructor(options: Options) {
    this.#options = options;
    const { file, log } = options;
    this.#active = file.content.active;
    this.#writer = new StateWriter(() => file.save({ active: this.#active }));
    this.#stepped = new Publisher((error) => log.error(`a wait of a mode failed: ${messageOf(error)}`));
  }

  list(): Mode[] {
    return [...this.#options.config().modes].map(([name, mode]) => {
      const { start, stop } = selectedProcesses(mode, this.#options);
      const active = this.#active?.name === name ? activeMode(this.#active, this.#step) : null;
      return {
        name,
        start: [...start],
        stop: [...stop],
        parameters: parametersOf(mode),
        preset: mode.preset,
        fallback: mode.fallback,
        active,
      };
    });
  }

  plan(name: string): Omit<AnswerOf<"plan_mode">, "request_id"> {
    const mode = this.#mode(name);
    const { stops, along, starts, before } = switchPlan(selectedProcesses(mode, this.#options), this.#options);
    const all = [...stops, ...along];
    const confirm = all.filter((each) => this.#options.processes.process(each)?.confirm === true);
    const { parameters } = parametersWithPreset(mode, this.#options.presets);
    return { type: "mode_plan", name, stops: all, starts: [...before, ...starts], confirm, parameters };
  }

  ownersOf(name: string): Owners {
    const { config, processes } = this.#options;
    const mode = config().modes.get(name);
    if (mode === undefined || mode.parameters.size > 0 || mode.preset !== null) return null;
    const { needed, stop } = selectedProcesses(mode, this.#options);
    return [...new Set([...needed, ...stop, ...processes.graph.dependents(stop)])];
  }

  switchTo(name: string, by: string): Promise<void> {
    this.#mode(name);
    return this.#begin({ name, by, failed: null });
  }

  /** Whether the manager switches to another mode when this process fails, so that the failure ends nothing. */
  handlesFailure(name: string): boolean {
    return this.#fallbackFor(name) !== null;
  }

  /** Continues a switch that an earlier manager has begun. */
  begin(): void {
    this.#isOpen = true;
    this.reconfigured();
    if (this.#active?.pending) this.#run(this.#active);
  }

  /** Called after each step of a process's actor. */
  stepped(name: string): void {
    if (!this.#isOpen) return;
    // In a turn of its own: a command is another step.
    queueMicrotask(() => {
      this.#stepped.publish(name);
      const fallback = this.#fallbackFor(name);
      if (fallback !== null && isFailed(this.#options, name)) void this.#fallBack(name, fallback);
    });
  }

  reconfigured(): void {
    const { config, log } = this.#options;
    if (!this.#isOpen) return;
    for (const problem of presetProblems(config())) log.warn(problem);
    const active = this.#active;
    if (active !== null && !config().modes.has(active.name)) {
      log.warn(`the active mode '${active.name}' is not in the configuration any more; its processes keep running`);
      this.#switch.abort();
      this.#active = null;
      this.#step = null;
      this.#options.conditions.clear(CONDITION, "ended");
      void this.#writer.save();
    }
    this.#changed();
  }

  close(): void {
    this.#isOpen = false;
    this.#switch.abort();
  }

  #mode(name: string): ModeDefinition {
    const { modes } = this.#options.config();
    const mode = modes.get(name);
    if (mode !== undefined) return mode;
    const hint =
      didYouMean(name, modes.keys()) ||
      (modes.size === 0 ? "; the configuration has no modes" : `; there are ${[...modes.keys()].join(", ")}`);
    throw new MgrError("not_found", `there is no mode '${name}'${hint}`);
  }

  async #begin({ name, by, failed }: Pick<SavedMode, "name" | "by" | "failed">): Promise<void> {
    const { clock, conditions, log } = this.#options;
    const before = this.#step === null ? null : this.#active;
    if (before !== null) log.warn(`the switch to mode '${before.name}' was given up for '${name}'`);
    if (failed === null) conditions.clear(CONDITION, "ended");
    const active = { name, since: clock.now(), by, pending: true, failed, problems: [] };
    this.#active = active;
    this.#run(active);
    await this.#writer.save();
  }

  #run(active: SavedMode): void {
    this.#switch.abort();
    const turn = new AbortController();
    this.#switch = turn;
    this.#step = "stopping";
    this.#changed();
    this.#carryOut(active, turn.signal).catch((error: unknown) => {
      // Given up: another switch shows its own progress.
      if (!turn.signal.aborted) this.#end(active, [`the switch failed: ${messageOf(error)}`]);
    });
  }

  async #carryOut({ name, by }: SavedMode, signal: AbortSignal): Promise<void> {
    const { clock, dataPlane, log, processes, startProcess, stopProcess } = this.#options;
    const mode = this.#mode(name);
    const selected = selectedProcesses(mode, this.#options);
    // After a start of the manager, the hosts have not said yet what runs.
    const touched = [...selected.needed, ...selected.stop];
    const isKnown = (each: string) => processes.isHostReady(processes.hostOf(each) ?? undefined) && !processes.isUnknown(each);
    await this.#wait(() => touched.every(isKnown), MAX_UNKNOWN_MS, signal);
    const { stops, along, starts } = switchPlan(selected, this.#options);
    const problems: string[] = [];
    log.info(`'${by}' switches to mode '${name}': stops ${listed([...stops, ...along])}; starts ${listed(starts)}`);
    for (const each of stops) await this.#command(() => stopProcess(each, by), `'${each}' could not be stopped`, problems, signal);
    const ending = [...stops, ...along];
    const areDown = await this.#wait(() => ending.every((each) => isAtRest(processes.stateOf(each))), MAX_STOP_MS, signal);
    if (!areDown)
      throw new MgrError("timeout", `these did not stop in time: ${listed(ending.filter((each) => !isAtRest(processes.stateOf(each))))}`);

    this.#progress("parameters");
    // Read now: the file may have changed since the configuration was loaded.
    const { parameters, problem } = parametersWithPreset(mode, this.#options.presets);
    if (problem !== null) problems.push(problem);
    const values = new Map(parameters.map((each) => [each.name, each.value]));
    const unset = await setParameters(values, by, { dataPlane, clock });
    signal.throwIfAborted();

    this.#progress("starting");
    for (const each of starts) await this.#command(() => startProcess(each, by), `'${each}' could not be started`, problems, signal);
    const areUp = await this.#wait(() => starts.every((each) => this.#isSettled(each)), MAX_START_MS, signal);
    if (!areUp) problems.push(`these are not up yet: ${listed(starts.filter((each) => !this.#isSettled(each)))}`);
    const failed = starts.filter((each) => processes.stateOf(each) === "error" || processes.stateOf(each) === "backoff");
    if (failed.length > 0) problems.push(`these have failed: ${listed(failed)}`);
    const late = new Map([...values].filter(([parameter]) => unset.has(parameter)));
    const left = await setLateParameters(late, by, { dataPlane, clock, signal });
    for (const [parameter, reason] of left) problems.push(`parameter '${parameter}' was not set: ${reason}`);
    signal.throwIfAborted();
    const active = this.#active;
    if (active !== null) this.#end(active, problems);
  }

  /** Gives a command of the switch; a refusal is one of its problems. */
  async #command(give: () => void | Promise<void>, what: string, problems: string[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    try {
      await give();
    } catch (error) {
      problems.push(`${what}: ${messageOf(error)}`);
    }
  }

  #wait(isMet: () => boolean, forMs: number, signal: AbortSignal): Promise<boolean> {
    return untilWithin(isMet, (check) => this.#stepped.subscribe(check), { forMs, clock: this.#options.clock, signal });
  }

  /** Whether a process that was started is up, or has failed or ended. */
  #isSettled(name: string): boolean {
    const process = this.#options.processes.process(name);
    if (process === undefined) return true;
    return process.state === "started" ? !process.has_ready_state : !["waiting", "starting", "stopping"].includes(process.state);
  }

  #progress(step: ActiveMode["step"]): void {
    this.#step = step;
    this.#changed();
  }

  #end(active: SavedMode, problems: readonly string[]): void {
    const { isShuttingDown, log } = this.#options;
    // Processes that were started are stopped again: the next manager continues the switch.
    if (isShuttingDown()) return;
    const kept = problems.slice(0, MAX_PROBLEMS);
    this.#active = { ...active, pending: false, problems: kept };
    this.#step = null;
    if (problems.length === 0) log.info(`mode '${active.name}' is active`);
    else log.warn(`mode '${active.name}' is active, but: ${kept.join("; ")}`);
    this.#changed();
    void this.#writer.save();
  }

  /** The mode to switch to if this process has failed; null: none. */
  #fallbackFor(name: string): string | null {
    const { config, isShuttingDown } = this.#options;
    const active = this.#active;
    if (!this.#isOpen || active === null || isShuttingDown()) return null;
    // Failures from before the switch do not count: its processes are not started yet.
    if (this.#step === "stopping" || this.#step === "parameters") return null;
    const mode = config().modes.get(active.name);
    if (mode === undefined || mode.fallback === null || config().processes.get(name)?.essential !== true) return null;
    return selectedProcesses(mode, this.#options).needed.has(name) ? mode.fallback : null;
  }

  async #fallBack(failed: string, fallback: string): Promise<void> {
    const { conditions, log, observe } = this.#options;
    const from = this.#active?.name ?? "";
    const text = `essential process '${failed}' of mode '${from}' has failed: the manager switches to mode '${fallback}'`;
    const by = `mode ${from}`;
    // Begun before anything is awaited: the failure of another process must not do it twice.
    const saved = this.#begin({ name: fallback, by, failed });
    log.append({ level: "error", source: "manager", msg: text, about: [failed] });
    conditions.raise({ ...CONDITION, text });
    try {
      const end = await observe({ name: "switch_mode", by, target: fallback, args: { name: fallback } });
      await saved;
      end({ ok: true });
    } catch (error) {
      log.warn(`the switch to mode '${fallback}' was not recorded (${wireCode(error)}): ${messageOf(error)}`);
    }
  }

  /** Publishes the state if it has changed. */
  #changed(): void {
    const state = this.list();
    if (!this.#isOpen || isDeepStrictEqual(state, this.#shown)) return;
    this.#shown = state;
    this.#options.events.publish({ type: "modes_update", modes: state });
  }
}

function activeMode({ since, by, failed, problems }: SavedMode, step: ActiveMode["step"]): ActiveMode {
  return { since: formatTime(since), by, step, failed, problems: [...problems] };
}

function isFailed({ processes }: Pick<Options, "processes">, name: string): boolean {
  return processes.stateOf(name) === "error";
}

const listed = (names: readonly string[]): string => (names.length === 0 ? "nothing" : listNames(names));
