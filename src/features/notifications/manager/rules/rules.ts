import { isDeepStrictEqual } from "node:util";
import type { Condition, ConditionEnd } from "../../../../app/conditions.ts";
import { type NotificationSettings, type RuleDefinition, ruleName } from "../../config.ts";
import type { KeptState } from "../kept-state.ts";
import type { Batch } from "./batch.ts";
import { ruleMatcher } from "./matcher.ts";
import type { Moment } from "./moment.ts";
import { RuleState, type Tracked } from "./rule-state.ts";

export interface NamedRule {
  readonly name: string;
  readonly rule: RuleDefinition;
  readonly state: RuleState;
  readonly matches: (condition: Condition) => boolean;
}

interface RulesOptions {
  readonly tagsOf: (process: string) => readonly string[];
  readonly isSilenced: (condition: Condition) => boolean;
}

/** All rules of the configuration, with what becomes of the conditions that they apply to. */
export class Rules {
  readonly #options: RulesOptions;
  #rules: readonly NamedRule[] = [];

  constructor(options: RulesOptions) {
    this.#options = options;
  }

  get all(): readonly NamedRule[] {
    return this.#rules;
  }

  /** A number that is another one after each change that has to be kept. */
  get revision(): number {
    return this.#rules.reduce((sum, { state }) => sum + state.revision, 0);
  }

  /**
   * Replaces the rules. One of the same name continues with the conditions that it still applies to; if it has not changed at all, also with its
   * delays and its rate limit.
   */
  configure({ rules }: NotificationSettings, present: ReadonlyMap<string, Condition>, now: Moment): void {
    const before = this.#rules;
    this.#rules = rules.map((rule, index) => {
      const name = rule.name ?? ruleName(index);
      const same = before.find((each) => each.name === name && isDeepStrictEqual(each.rule, rule));
      const state = same?.state ?? new RuleState({ rule, isSilenced: this.#options.isSilenced });
      return { name, rule, state, matches: ruleMatcher(rule, this.#options.tagsOf) };
    });
    const kept = new Set(before.map(({ state }) => state));
    const isKept = ({ state }: NamedRule) => kept.has(state);
    // The tags of processes may have changed.
    for (const { state, matches } of this.#rules.filter(isKept)) state.retain(matches);
    restoreTo(
      this.#rules.filter((rule) => !isKept(rule)),
      keptOf(before, now),
      now,
    );
    for (const [id, condition] of present) this.raise(id, condition, now);
  }

  raise(id: string, condition: Condition, now: Moment): void {
    for (const { matches, state } of this.#rules) if (matches(condition)) state.raise(id, condition, now);
  }

  clear(id: string, end: ConditionEnd, now: Moment): void {
    for (const { state } of this.#rules) state.clear(id, end, now);
  }

  /** The batches that are due, with their rules. `isUrgent`: conditions that do not wait. */
  advance(now: Moment, isUrgent?: (condition: Condition) => boolean): { rule: NamedRule; batch: Batch }[] {
    return this.#rules.flatMap((rule) => rule.state.advance(now, isUrgent).map((batch) => ({ rule, batch })));
  }

  /** Monotonic time of the next `advance`; null: when something changes. */
  next(now: Moment): number | null {
    const times = this.#rules.flatMap(({ state }) => state.next(now) ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  kept(now: Moment): Pick<KeptState, "tracked" | "entries"> {
    return keptOf(this.#rules, now);
  }

  restore(kept: Pick<KeptState, "tracked" | "entries">, now: Moment): void {
    restoreTo(this.#rules, kept, now);
  }
}

function restoreTo(rules: readonly NamedRule[], { tracked, entries }: Pick<KeptState, "tracked" | "entries">, now: Moment): void {
  for (const { name, matches, state } of rules) {
    const own = tracked.filter(({ rule, condition }) => rule === name && matches(condition));
    state.restore(
      new Map(own.map((each): [string, Tracked] => [each.id, trackedOf(each, now)])),
      entries.filter(({ rule, condition }) => rule === name && matches(condition)),
      now,
    );
  }
}

function trackedOf({ condition, since, phase, at, was_notified }: KeptState["tracked"][number], { wall, mono }: Moment): Tracked {
  return { condition, since, phase, at: mono - Math.max(0, wall - at), wasNotified: was_notified };
}

function keptOf(rules: readonly NamedRule[], { wall, mono }: Moment): Pick<KeptState, "tracked" | "entries"> {
  const tracked = rules.flatMap(({ name, state }) =>
    [...state.tracked].flatMap(([id, { condition, since, phase, at, wasNotified }]) =>
      phase === "pending"
        ? []
        : [{ rule: name, id, condition, since, phase, at: wall - Math.max(0, mono - at), was_notified: wasNotified }],
    ),
  );
  const entries = rules.flatMap(({ name, state }) =>
    [...state.batches.values()].flatMap(({ entries: own }) => [...own.values()].map((entry) => ({ rule: name, ...entry }))),
  );
  return { tracked, entries };
}
