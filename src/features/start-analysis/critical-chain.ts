import { type StartTimes, settledAt } from "./start-times.ts";

/** A process in a critical chain. Each link begins where the one before it ends. */
export interface ChainLink {
  readonly name: string;
  /** Whether its times are known: not if it ran before this manager, is out of view, or was started again since. Only the first can be unknown. */
  readonly isKnown: boolean;
  /** When the one before it had released it, or its start was requested; null: not yet, or not known. */
  readonly from: number | null;
  /** When it released the next one, or its own start was over; null: not yet. */
  readonly until: number | null;
}

/**
 * The starts that belong together with the newest one: each began while another one of them was under way. A single process that is restarted
 * later is a start of its own. In the order in which they began.
 */
export function lastStart(starts: readonly StartTimes[]): StartTimes[] {
  let members: StartTimes[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const start of starts.toSorted((a, b) => a.requested - b.requested)) {
    if (start.requested > end) members = [];
    members.push(start);
    end = Math.max(end, settledAt(start) ?? Number.POSITIVE_INFINITY);
  }
  return members;
}

/**
 * The start that was over last. While some are under way, the one of them that depends on the most (`rankOf`): what it waits for shows what
 * holds up the others.
 */
export function lastOf(members: readonly StartTimes[], rankOf: (name: string) => number): StartTimes | null {
  const underWay = members.filter((start) => settledAt(start) === null);
  if (underWay.length > 0) return greatest(underWay, ({ name }) => rankOf(name));
  return greatest(members, (start) => settledAt(start) ?? 0);
}

/** The chain of processes that `last` waited for, from the one that waited for nothing to `last` itself. `startOf` returns the newest start of a process. */
export function criticalChain(last: StartTimes, startOf: (name: string) => StartTimes | undefined): ChainLink[] {
  const chain: ChainLink[] = [];
  const seen = new Set<string>();
  let start = last;
  let until = settledAt(last);
  for (;;) {
    seen.add(start.name);
    const { name, after } = start;
    if (after === null) return [{ name, isKnown: true, from: start.requested, until }, ...chain];
    // A process that failed while it waited was released by the failure of the other.
    const released = start.released ?? start.ended;
    const before = startOf(after);
    const event = before === undefined || seen.has(after) ? null : releaseBy(before, released);
    if (before === undefined || event === null)
      return [{ name: after, isKnown: false, from: null, until: released }, { name, isKnown: true, from: released, until }, ...chain];
    chain.unshift({ name, isKnown: true, from: event.at, until });
    start = before;
    until = event.at;
  }
}

/** The event of a start that released another one at `released`: the newest until then. null: it is none of this start. */
function releaseBy({ requested, started, up, ended }: StartTimes, released: number | null): { at: number | null } | null {
  if (released === null) return { at: null };
  if (requested > released) return null;
  const times = [started, up, ended].filter((time) => time !== null && time <= released);
  return times.length === 0 ? null : { at: Math.max(...times.map((time) => time ?? 0)) };
}

/** The first of the items with the greatest value; null: there is none. */
function greatest<T>(items: readonly T[], rank: (item: T) => number): T | null {
  let best: { item: T; value: number } | null = null;
  for (const item of items) {
    const value = rank(item);
    if (best === null || value > best.value) best = { item, value };
  }
  return best?.item ?? null;
}
