import type { Condition, ConditionEnd } from "../../../../app/conditions.ts";
import type { RuleDefinition } from "../../config.ts";
import { type Batch, type BatchEntry, groupOf } from "./batch.ts";
import type { Moment } from "./moment.ts";
import { isQuiet } from "./quiet-hours.ts";

/** Where a present condition is on its way through a rule. */
export type Phase = "pending" | "batched" | "notified";

export interface Tracked {
  readonly condition: Condition;
  /** Wall clock of its beginning, milliseconds. */
  readonly since: number;
  readonly phase: Phase;
  /** Monotonic time at which it counts (pending), or was notified last. */
  readonly at: number;
  /** Whether it was notified before. */
  readonly wasNotified: boolean;
}

/** Interval between two checks of quiet hours while something waits for their end, milliseconds. */
const QUIET_LOOK_MS = 30_000;

interface RuleStateOptions {
  readonly rule: RuleDefinition;
  /** Whether a silence holds back the condition now. */
  readonly isSilenced: (condition: Condition) => boolean;
}

/**
 * One rule: what becomes of each condition that it applies to. A condition is `pending` for the time of `for`, then waits in the batch of its group,
 * then is `notified`. A batch is sent after `group_wait`, when neither quiet hours nor the rate limit hold it back. Nothing is dropped but what
 * ended before it counted, and what a silence covers.
 */
export class RuleState {
  readonly rule: RuleDefinition;
  readonly #isSilenced: (condition: Condition) => boolean;
  readonly tracked = new Map<string, Tracked>();
  readonly batches = new Map<string, Batch>();
  /** Monotonic times of the notifications within `within`. */
  readonly #sent: number[] = [];
  /** Grows with each change of what has to be kept: conditions that wait in a batch or were notified. */
  revision = 0;

  constructor({ rule, isSilenced }: RuleStateOptions) {
    this.rule = rule;
    this.#isSilenced = isSilenced;
  }

  raise(id: string, condition: Condition, { wall, mono }: Moment): void {
    const known = this.tracked.get(id);
    if (known !== undefined) this.tracked.set(id, { ...known, condition });
    else this.tracked.set(id, { condition, since: wall, phase: "pending", at: mono + this.rule.for, wasNotified: false });
  }

  clear(id: string, end: ConditionEnd, now: Moment): void {
    const known = this.tracked.get(id);
    if (known === undefined) return;
    this.tracked.delete(id);
    const { condition, since, phase, wasNotified } = known;
    // Nothing was to be said of it yet. What waits under its id is the end of an earlier one.
    if (phase === "pending") return;
    this.revision++;
    const waiting = this.#batchOf(condition)?.entries.get(id);
    if (phase === "batched" && !wasNotified && waiting !== undefined) {
      // Its first notification is still to come: it says that this began and is over.
      this.#put({ ...waiting, status: end, until: now.wall }, now);
      return;
    }
    if (waiting !== undefined) this.#take(id, condition);
    if (!wasNotified || !this.rule.recovered || end !== "recovered" || this.#isSilenced(condition)) return;
    this.#put({ id, condition, status: "recovered", since, until: now.wall, times: 0 }, now);
  }

  /** The batches that are due now, taken out. `isUrgent`: conditions that wait neither for the time of `for` nor for others. */
  advance(now: Moment, isUrgent: (condition: Condition) => boolean = () => false): Batch[] {
    for (const [id, tracked] of this.tracked) {
      const { phase, condition } = tracked;
      const isDue = phase === "pending" ? tracked.at <= now.mono || isUrgent(condition) : this.#isRepeated(tracked, now.mono);
      if (isDue && !this.#isSilenced(tracked.condition)) this.#queue(id, tracked, now);
    }
    if (isQuiet(this.rule.quiet, now.wall)) return [];
    const due: Batch[] = [];
    for (const batch of [...this.batches.values()].sort((a, b) => a.due - b.due)) {
      const waits = batch.due > now.mono && ![...batch.entries.values()].some(({ condition }) => isUrgent(condition));
      if (waits) continue;
      this.#holdSilenced(batch);
      if (batch.entries.size === 0) this.batches.delete(batch.group);
      else if (this.#mayBeSent(now.mono)) due.push(this.#send(batch, now));
    }
    return due;
  }

  /** Monotonic time at which `advance` has something to do next; null: when something changes. */
  next(now: Moment): number | null {
    let next = Number.POSITIVE_INFINITY;
    for (const { phase, at, condition } of this.tracked.values()) {
      if (this.#isSilenced(condition)) continue;
      if (phase === "pending") next = Math.min(next, at);
      else if (phase === "notified" && this.rule.repeat !== null) next = Math.min(next, at + this.rule.repeat);
    }
    for (const { due } of this.batches.values()) next = Math.min(next, this.#sendable(due, now));
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  /** Forgets the conditions that the rule no longer applies to. */
  retain(matches: (condition: Condition) => boolean): void {
    for (const [id, { condition }] of this.tracked) if (!matches(condition)) this.tracked.delete(id);
    for (const batch of this.batches.values())
      for (const { id, condition } of [...batch.entries.values()]) if (!matches(condition)) this.#take(id, condition);
    this.revision++;
  }

  /** Keeps what an earlier manager notified or was about to. */
  restore(tracked: ReadonlyMap<string, Tracked>, entries: readonly BatchEntry[], now: Moment): void {
    for (const [id, each] of tracked) this.tracked.set(id, each);
    for (const entry of entries) this.#put(entry, now);
  }

  #isRepeated({ phase, at }: Tracked, mono: number): boolean {
    return phase === "notified" && this.rule.repeat !== null && at + this.rule.repeat <= mono;
  }

  #queue(id: string, tracked: Tracked, now: Moment): void {
    const { condition, since, wasNotified } = tracked;
    this.tracked.set(id, { ...tracked, phase: "batched" });
    const before = this.#batchOf(condition)?.entries.get(id)?.times ?? 0;
    const status = wasNotified ? "lasting" : "raised";
    this.#put({ id, condition, status, since, until: null, times: wasNotified ? before : before + 1 }, now);
  }

  #put(entry: BatchEntry, { mono }: Moment): void {
    const group = groupOf(entry.condition, this.rule.group_by);
    const batch = this.batches.get(group) ?? { group, due: mono + this.rule.group_wait, entries: new Map<string, BatchEntry>() };
    this.batches.set(group, batch);
    batch.entries.set(entry.id, entry);
    this.revision++;
  }

  #take(id: string, condition: Condition): void {
    const batch = this.#batchOf(condition);
    batch?.entries.delete(id);
    if (batch?.entries.size === 0) this.batches.delete(batch.group);
  }

  #batchOf(condition: Condition): Batch | undefined {
    return this.batches.get(groupOf(condition, this.rule.group_by));
  }

  /** Takes out what was silenced while it waited: what lasts waits for the end of the silence. */
  #holdSilenced(batch: Batch): void {
    for (const { id, condition } of [...batch.entries.values()]) {
      if (!this.#isSilenced(condition)) continue;
      batch.entries.delete(id);
      this.revision++;
      const tracked = this.tracked.get(id);
      if (tracked?.phase === "batched") this.tracked.set(id, { ...tracked, phase: tracked.wasNotified ? "notified" : "pending" });
    }
  }

  #send(batch: Batch, { mono }: Moment): Batch {
    this.batches.delete(batch.group);
    this.#sent.push(mono);
    this.revision++;
    for (const id of batch.entries.keys()) {
      const tracked = this.tracked.get(id);
      if (tracked?.phase === "batched") this.tracked.set(id, { ...tracked, phase: "notified", at: mono, wasNotified: true });
    }
    return batch;
  }

  #mayBeSent(mono: number): boolean {
    while ((this.#sent[0] ?? mono) <= mono - this.rule.within) this.#sent.shift();
    return this.#sent.length < this.rule.at_most;
  }

  /** Monotonic time from which a batch may be sent, or its holds are checked again. */
  #sendable(due: number, { wall, mono }: Moment): number {
    if (isQuiet(this.rule.quiet, wall)) return mono + QUIET_LOOK_MS;
    const oldest = this.#mayBeSent(mono) ? null : this.#sent[0];
    return Math.max(due, oldest == null ? due : oldest + this.rule.within);
  }
}
