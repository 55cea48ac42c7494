import { isDeepStrictEqual } from "node:util";
import { MgrError } from "../../../base/errors.ts";
import type { HandedOver } from "../../../base/handed-over.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { RunReport } from "../../../contract/run.ts";
import { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import { PROCESS_SERIES } from "../../load-history/series.ts";
import { type CgroupLimits, type HostLimits as HostLimitsRow, type LimitRule, type LimitsEvent, MAX_RULES } from "../contract.ts";
import { LimitedProcess, type LimitedRun } from "./limited-process.ts";
import type { LimitsState } from "./limits-state.ts";

/** A limit whose time is shorter needs a measurement each second; 10 s apart, three are enough for a longer one. Milliseconds. */
const EACH_SECOND_BELOW_MS = 30_000;
/** The same for a run time: later by 10 s is then 2 % at most. */
const RUN_TIME_EACH_SECOND_BELOW_MS = 600_000;

const CPU = PROCESS_SERIES.indexOf("cpu_percent");
const MEMORY = PROCESS_SERIES.indexOf("memory");
const DESCRIPTORS = PROCESS_SERIES.indexOf("descriptors");

interface HostLimitsOptions {
  readonly clock: Clock;
  readonly publish: (event: LimitsEvent) => void;
  /** Processes to be measured each second. */
  readonly measureEachSecond: (names: ReadonlySet<string>) => void;
  /** Sets the limits of the cgroup of a run, and reports why they could not be set; null: they are. */
  readonly limitCgroup: (runId: string, limits: CgroupLimits | null) => Promise<string | null>;
}

/** A run that is not extinct. */
interface KnownRun extends LimitedRun {
  /** Monotonic time of its start. */
  readonly began: number;
  /** When its output was counted last, and bytes since then. */
  counted: number;
  bytes: number;
  cgroup: CgroupLimits | null;
  cgroupProblem: string | null;
}

/** Compares the figures of the host's processes with the limits that the manager has sent, and reports which were reached. */
export class HostLimits {
  readonly #options: HostLimitsOptions;
  #rules: ReadonlyMap<string, LimitRule> = new Map();
  #processes: ReadonlyMap<string, LimitedProcess> = new Map();
  /** Rules that have arrived of a table that is not complete. */
  #incoming = new Map<string, LimitRule>();
  readonly #runs = new Map<string, KnownRun>();
  /** The state that the manager knows. */
  readonly #published = new Map<string, HostLimitsRow>();
  #seq = 0;

  constructor(options: HostLimitsOptions) {
    this.#options = options;
  }

  /** Number of the last change. */
  get seq(): number {
    return this.#seq;
  }

  /** All limits that were reached, as of `seq`. */
  list(): HostLimitsRow[] {
    return [...this.#published.values()];
  }

  /** Throws `too_large`. */
  receiveRules({ rules, is_first, is_last }: { rules: readonly LimitRule[]; is_first: boolean; is_last: boolean }): void {
    if (is_first) this.#incoming = new Map();
    if (this.#incoming.size + rules.length > MAX_RULES)
      throw new MgrError("too_large", `a host compares at most ${MAX_RULES} processes with limits`);
    for (const rule of rules) this.#incoming.set(rule.name, rule);
    if (!is_last) return;
    this.#apply(this.#incoming);
    this.#incoming = new Map();
  }

  runChanged({ name, run_id, age_ms, stopping, exit, extinct }: RunReport): void {
    const known = this.#runs.get(name);
    const isSame = known?.runId === run_id;
    if (extinct && !isSame) return;
    const isUp = exit === null && !stopping && !extinct;
    const now = this.#options.clock.monotonic();
    const fresh = { began: now - age_ms, counted: now - age_ms, bytes: 0, cgroup: null, cgroupProblem: null };
    const run = { ...(isSame ? known : fresh), runId: run_id, isUp };
    if (extinct) this.#runs.delete(name);
    else this.#runs.set(name, run);
    this.#processes.get(name)?.setRun(run);
    if (!extinct) this.#limitCgroup(name);
    this.#changed(name);
  }

  output(name: string, bytes: number): void {
    const run = this.#runs.get(name);
    if (run !== undefined) run.bytes += bytes;
  }

  /** Figures in the order of PROCESS_SERIES. */
  measured(name: string, figures: readonly (number | null)[]): void {
    const process = this.#processes.get(name);
    const run = this.#runs.get(name);
    if (process === undefined || run === undefined) return;
    const { clock } = this.#options;
    const monotonic = clock.monotonic();
    const seconds = (monotonic - run.counted) / 1_000;
    const log_growth = seconds > 0 ? run.bytes / seconds : null;
    if (seconds > 0) Object.assign(run, { counted: monotonic, bytes: 0 });
    const figure = (index: number) => figures[index] ?? null;
    process.measure(
      { memory: figure(MEMORY), cpu: figure(CPU), descriptors: figure(DESCRIPTORS), run_time: monotonic - run.began, log_growth },
      { time: clock.now(), monotonic },
    );
    this.#changed(name);
  }

  clear(name: string): void {
    this.#processes.get(name)?.clear();
    this.#changed(name);
  }

  /** Hands over the rules and what was measured. They stay as they are. */
  handOver(): HandedOver {
    const times = new KernelTimes(this.#options.clock);
    const state: LimitsState = {
      seq: this.#seq,
      rules: [...this.#rules.values()].map((rule) => ({ rule, watches: this.#processes.get(rule.name)?.handOver(times) ?? [] })),
      incoming: [...this.#incoming.values()],
      runs: [...this.#runs].map(([name, { began, counted, ...run }]) => {
        return { name, ...run, began: times.toKernel(began), counted: times.toKernel(counted) };
      }),
      published: this.list(),
    };
    return { state, descriptors: {}, bytes: {} };
  }

  /** Continues what the program before this one has handed over. */
  adopt({ seq, rules, incoming, runs, published }: LimitsState): void {
    const times = new KernelTimes(this.#options.clock);
    this.#seq = seq;
    this.#incoming = new Map(incoming.map((rule) => [rule.name, rule]));
    for (const { name, began, counted, ...run } of runs)
      this.#runs.set(name, { ...run, began: times.fromKernel(began), counted: times.fromKernel(counted) });
    for (const limits of published) this.#published.set(limits.name, limits);
    const before = rules.map(({ rule: { name, limits }, watches }) => {
      const process = new LimitedProcess(limits);
      process.adopt(this.#runs.get(name) ?? null, watches, times);
      return [name, process] as const;
    });
    this.#processes = new Map(before);
    this.#apply(new Map(rules.map(({ rule }) => [rule.name, rule])));
  }

  close(): void {
    this.#processes = new Map();
    this.#rules = new Map();
    this.#options.measureEachSecond(new Set());
  }

  #apply(rules: ReadonlyMap<string, LimitRule>): void {
    const before = this.#processes;
    const processes = new Map<string, LimitedProcess>();
    for (const [name, { limits }] of rules) {
      const process = new LimitedProcess(limits);
      const known = before.get(name);
      const run = this.#runs.get(name);
      if (known !== undefined) process.continue(known);
      else if (run !== undefined) process.setRun(run);
      processes.set(name, process);
    }
    this.#rules = rules;
    this.#processes = processes;
    for (const name of this.#runs.keys()) this.#limitCgroup(name);
    for (const name of new Set([...processes.keys(), ...this.#published.keys()])) this.#changed(name);
    this.#options.measureEachSecond(new Set([...rules.values()].flatMap(({ name, limits }) => (limits.some(isShort) ? name : []))));
  }

  /** Sets the limits of the cgroup of a run, if they are others than before. */
  #limitCgroup(name: string): void {
    const run = this.#runs.get(name);
    const cgroup = this.#rules.get(name)?.cgroup ?? null;
    if (run?.isUp !== true || isDeepStrictEqual(run.cgroup, cgroup)) return;
    run.cgroup = cgroup;
    void this.#options.limitCgroup(run.runId, cgroup).then((problem) => {
      const present = this.#runs.get(name);
      if (present?.runId !== run.runId || present.cgroup !== cgroup) return;
      present.cgroupProblem = problem;
      this.#changed(name);
    });
  }

  /** Publishes what has changed. */
  #changed(name: string): void {
    const reached = this.#processes.get(name)?.reached ?? [];
    const cgroup_problem = this.#runs.get(name)?.cgroupProblem ?? null;
    const limits = reached.length === 0 && cgroup_problem === null ? null : { name, reached, cgroup_problem };
    if (isDeepStrictEqual(limits, this.#published.get(name) ?? null)) return;
    if (limits === null) this.#published.delete(name);
    else this.#published.set(name, limits);
    this.#options.publish({ seq: ++this.#seq, name, limits });
  }
}

const isShort = ({ measure, above, for_ms }: LimitRule["limits"][number]): boolean =>
  measure === "run_time" ? above < RUN_TIME_EACH_SECOND_BELOW_MS : for_ms < EACH_SECOND_BELOW_MS;
