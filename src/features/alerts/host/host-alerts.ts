import { isDeepStrictEqual } from "node:util";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { HandedOver } from "../../../base/handed-over.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { RunReport } from "../../../contract/run.ts";
import { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import { takenState } from "../../../daemon/handover/taken-state.ts";
import { type AlertEvent, type AlertRule, type HostAlert, MAX_RULES } from "../contract.ts";
import { type AlertsState, alertsState } from "./alerts-state.ts";
import { Allowance } from "./allowance.ts";
import { LinePattern } from "./line-pattern.ts";
import { type Moment, WatchedProcess } from "./watched-process.ts";

/** Output of all processes that the engine of expressions examines, bytes: about a tenth of a processor. */
const EXAMINED = { perSecond: 2 * 1024 * 1024, most: 8 * 1024 * 1024 };
/** Minimum interval between two checks of all processes, and between two events about one alert that only count, milliseconds. */
const MIN_LOOK_MS = 100;
const COUNT_MS = 1_000;

interface HostAlertsOptions {
  readonly clock: Clock;
  readonly log: WarningLog;
  readonly publish: (event: AlertEvent) => void;
  /** Whether the process of this pid is stopped by a signal. */
  readonly isPaused: (pid: number) => boolean;
  /** What the alerts of the program that this one replaces have handed over. */
  readonly taken?: HandedOver | undefined;
}

type Run = Pick<RunReport, "run_id" | "pid"> & { readonly isUp: boolean };

/** Decides which processes of the host need attention by the rules of the manager. One timer serves all processes. */
export class HostAlerts {
  readonly #options: HostAlertsOptions;
  readonly #allowance = new Allowance(EXAMINED);
  readonly #skipped: ThrottledWarning;
  #watched: ReadonlyMap<string, WatchedProcess> = new Map();
  /** Rules that have arrived of a table that is not complete. */
  #incoming = new Map<string, AlertRule>();
  /** Runs that are not extinct, by name. */
  readonly #runs = new Map<string, Run>();
  /** The alerts that the manager knows, and when they were sent. */
  readonly #published = new Map<string, { readonly alert: HostAlert; readonly at: number }>();
  #seq = 0;
  #timer: unknown = null;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(options: HostAlertsOptions) {
    this.#options = options;
    this.#skipped = new ThrottledWarning(options.log);
    const taken = takenState(options.taken, alertsState, options.log);
    if (taken !== null) this.#adopt(taken);
  }

  /** Number of the last change. */
  get seq(): number {
    return this.#seq;
  }

  /** All alerts, as of `seq`. */
  list(): HostAlert[] {
    return [...this.#published.values()].map(({ alert }) => alert);
  }

  /** Throws `too_large`. */
  receiveRules({ rules, is_first, is_last }: { rules: readonly AlertRule[]; is_first: boolean; is_last: boolean }): void {
    if (is_first) this.#incoming = new Map();
    if (this.#incoming.size + rules.length > MAX_RULES)
      throw new MgrError("too_large", `a host examines the output of at most ${MAX_RULES} processes for alerts`);
    for (const rule of rules) this.#incoming.set(rule.name, rule);
    if (!is_last) return;
    this.#apply(this.#incoming);
    this.#incoming = new Map();
  }

  output(name: string, bytes: Uint8Array): void {
    const watched = this.#watched.get(name);
    if (watched === undefined) return;
    watched.write(bytes, this.#now());
    this.#changed(watched);
  }

  /** `awaitsReady`: the run has a ready condition. */
  runChanged({ name, run_id, pid, ready, stopping, exit, extinct }: RunReport, awaitsReady: boolean): void {
    const known = this.#runs.get(name);
    const isUp = exit === null && !stopping && !extinct && (ready || !awaitsReady);
    if (!extinct) this.#runs.set(name, { run_id, pid, isUp });
    else if (known?.run_id === run_id) this.#runs.delete(name);
    else return;
    const watched = this.#watched.get(name);
    if (watched === undefined) return;
    if (known?.run_id !== run_id) watched.begin(this.#now());
    watched.setUp(isUp, this.#now());
    this.#changed(watched);
  }

  clear(name: string): void {
    const watched = this.#watched.get(name);
    if (watched === undefined) return;
    watched.clear();
    this.#changed(watched);
  }

  /** Hands over the rules and what was found. They stay as they are. */
  handOver(): HandedOver {
    const times = new KernelTimes(this.#options.clock);
    const state: AlertsState = {
      seq: this.#seq,
      watched: [...this.#watched.values()].map((watched) => watched.handOver(times)),
      incoming: [...this.#incoming.values()],
      runs: [...this.#runs].map(([name, run]) => ({ name, ...run })),
      published: [...this.#published].map(([, { alert, at }]) => ({ alert, at: times.toKernel(at) })),
    };
    return { state, descriptors: {}, bytes: {} };
  }

  #adopt({ seq, watched, incoming, runs, published }: AlertsState): void {
    const times = new KernelTimes(this.#options.clock);
    this.#seq = seq;
    this.#incoming = new Map(incoming.map((rule) => [rule.name, rule]));
    for (const { name, ...run } of runs) this.#runs.set(name, run);
    for (const { alert, at } of published) this.#published.set(alert.name, { alert, at: times.fromKernel(at) });
    const patterns = new Map<string, LinePattern | null>();
    const all = watched.map((state) => {
      const each = this.#watch(state.rule, undefined, patterns);
      each.adopt(state, times);
      return [state.rule.name, each] as const;
    });
    this.#watched = new Map(all);
    for (const [, each] of all) this.#changed(each);
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#watched = new Map();
  }

  #apply(rules: ReadonlyMap<string, AlertRule>): void {
    const before = this.#watched;
    const patterns = new Map<string, LinePattern | null>();
    const watched = new Map<string, WatchedProcess>();
    for (const [name, rule] of rules) {
      const known = before.get(name);
      watched.set(name, known !== undefined && isDeepStrictEqual(known.rule, rule) ? known : this.#watch(rule, known, patterns));
    }
    this.#watched = watched;
    for (const each of watched.values()) this.#changed(each);
    for (const name of [...this.#published.keys()]) if (!watched.has(name)) this.#publish(name, null);
  }

  #watch(rule: AlertRule, known: WatchedProcess | undefined, patterns: Map<string, LinePattern | null>): WatchedProcess {
    const { name, pattern } = rule;
    if (pattern !== null && !patterns.has(pattern)) patterns.set(pattern, this.#compile(name, pattern));
    const watched = new WatchedProcess(
      {
        rule,
        pattern: pattern === null ? null : (patterns.get(pattern) ?? null),
        allowance: this.#allowance,
        onSkipped: (skipped) =>
          this.#skipped.warn(
            `'${visible(skipped)}' writes more than is examined for alert.output_matches: some lines were not. An expression with a longer fixed text, such as 'error: .*', needs to examine fewer lines`,
            [skipped],
          ),
      },
      this.#now(),
    );
    if (known !== undefined) watched.continue(known);
    else watched.setUp(this.#runs.get(name)?.isUp ?? false, this.#now());
    return watched;
  }

  /** The manager has checked the expression; a manager of another version may have used another engine. */
  #compile(name: string, pattern: string): LinePattern | null {
    try {
      return new LinePattern(pattern);
    } catch (error) {
      this.#options.log("error", `alert.output_matches of '${visible(name)}' cannot be used on this host: ${visible(messageOf(error))}`, [
        name,
      ]);
      return null;
    }
  }

  /** Publishes the alert if it has changed, and expects what comes next. */
  #changed(watched: WatchedProcess): void {
    const { name } = watched.rule;
    const { alert } = watched;
    const published = this.#published.get(name);
    if (!isSame(alert, published?.alert ?? null)) {
      const now = this.#options.clock.monotonic();
      const isCount = published !== undefined && alert !== null && hasSameReasons(alert, published.alert);
      if (!isCount || now >= published.at + COUNT_MS) this.#publish(name, alert);
      else this.#expect(published.at + COUNT_MS);
    }
    this.#expect(watched.due);
  }

  #publish(name: string, alert: HostAlert | null): void {
    if (alert === null) this.#published.delete(name);
    else this.#published.set(name, { alert, at: this.#options.clock.monotonic() });
    this.#options.publish({ seq: ++this.#seq, name, alert });
  }

  /** Output only postpones what is due, so the timer is set again only for something earlier. */
  #expect(at: number): void {
    if (at >= this.#dueAt || at === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = clock.setTimeout(() => this.#look(), Math.max(MIN_LOOK_MS, at - clock.monotonic()));
  }

  #look(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    const now = this.#now();
    for (const [name, watched] of this.#watched) {
      if (now.monotonic >= watched.due) watched.check(now, () => this.#isPaused(name));
      this.#changed(watched);
    }
  }

  #isPaused(name: string): boolean {
    const run = this.#runs.get(name);
    return run !== undefined && this.#options.isPaused(run.pid);
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { time: clock.now(), monotonic: clock.monotonic() };
  }
}

const isSame = (a: HostAlert | null, b: HostAlert | null): boolean =>
  a === b || (a !== null && b !== null && hasSameReasons(a, b) && a.output?.matches === b.output?.matches);

const hasSameReasons = (a: HostAlert, b: HostAlert): boolean => a.silent?.since === b.silent?.since && a.output?.since === b.output?.since;
