import { type FlightPart, MAX_CAUSE, MAX_MISSING } from "../contract.ts";
import { type HostRecord, type IncidentRecord, MAX_LISTED_TRIGGERS, MAX_PARTS_OF_HOST, type PartRecord } from "./incident-record.ts";

/** Changes of the record of an incident. Times are nanoseconds by the clock of the manager. */

/** A trigger that fires this long after the end of an incident, or before its beginning, still belongs to it: clocks are not exact. */
const SLACK_NS = 1_000_000_000n;
/** Longest time between the first and the last trigger of one incident; after it another one begins. */
const MAX_JOINED_NS = 600_000_000_000n;

export interface Range {
  readonly from: bigint;
  readonly until: bigint;
}

export const newPart = (id: string, { from, until }: Range): PartRecord => ({
  id,
  state: "wanted",
  from: String(from),
  until: String(until),
  covers: null,
  reaches: null,
  missing: [],
  messages: 0,
  size: 0,
});

/** The incident to which a trigger belongs that fired at `time`; undefined: it begins one. Incidents that users asked for are theirs alone. */
export function joined(records: Iterable<IncidentRecord>, time: bigint, until: bigint): IncidentRecord | undefined {
  return [...records].findLast((record) => {
    const times = record.triggers.map((each) => BigInt(each.time));
    const [first, last] = [least([time, ...times]), greatest([time, ...times])];
    const isWithin = time >= least(times) ? time <= BigInt(record.until) + SLACK_NS : least(times) <= until + SLACK_NS;
    return (
      record.by === null &&
      times.length > 0 &&
      isWithin &&
      last - first <= MAX_JOINED_NS &&
      record.hosts.every(({ parts }) => parts.length < MAX_PARTS_OF_HOST)
    );
  });
}

/** Adds a trigger, in the order of time. When the list is full, its last one counts those that are left out. */
export function addTrigger(record: IncidentRecord, trigger: IncidentRecord["triggers"][number]): void {
  const last = record.triggers.at(-1);
  if (record.triggers.length >= MAX_LISTED_TRIGGERS && last !== undefined) {
    last.fired += trigger.fired;
    return;
  }
  record.triggers.push({ ...trigger, text: trigger.text.slice(0, MAX_CAUSE) });
  record.triggers.sort((a, b) => (BigInt(a.time) < BigInt(b.time) ? -1 : 1));
}

/** Takes over how often the trigger of a part has fired. Returns whether that has changed. */
export function countFired(record: IncidentRecord, { incident, fired }: FlightPart): boolean {
  const trigger = record.triggers.find(({ id }) => id === incident);
  if (trigger === undefined || trigger.fired >= fired) return false;
  trigger.fired = fired;
  return true;
}

/** Makes the incident as long as this range, and wants from each host what it was not asked for yet, under the id `part`. */
export function widen(record: IncidentRecord, part: string, range: Range, hosts: Iterable<string>): void {
  record.from = String(least([BigInt(record.from), range.from]));
  record.until = String(greatest([BigInt(record.until), range.until]));
  for (const name of hosts) {
    const host = hostIn(record, name);
    if (host.parts.some(({ id }) => id === part) || host.parts.length >= MAX_PARTS_OF_HOST) continue;
    const rest = uncovered(host.parts, range);
    if (rest !== null) host.parts.push(newPart(part, rest));
  }
}

/** The part of the range that the parts do not cover, as one range; null: they cover it. */
function uncovered(parts: readonly PartRecord[], range: Range): Range | null {
  let { from, until } = range;
  for (const part of parts) {
    const [begin, end] = [BigInt(part.from), BigInt(part.until)];
    if (begin <= from && end > from) from = end;
    if (end >= until && begin < until) until = begin;
  }
  return from < until || (parts.length === 0 && from === until) ? { from, until } : null;
}

/** The host in the record, which is added if it is missing. */
export function hostIn(record: IncidentRecord, name: string): HostRecord {
  const known = record.hosts.find(({ host }) => host === name);
  if (known !== undefined) return known;
  const added: HostRecord = { host: name, clock: null, parts: [] };
  record.hosts.push(added);
  return added;
}

/** A part that a host reports with its file, or says why it has none. */
export type PresentPart = FlightPart & { readonly state: Exclude<FlightPart["state"], "removed"> };

export const isPresent = (part: FlightPart): part is PresentPart => part.state !== "removed";

const STATES = { writing: "writing", complete: "complete", failed: "none" } as const satisfies Record<PresentPart["state"], string>;

/** Applies what a host reports of a part. Returns whether anything changed. */
export function applyReport(part: PartRecord, { state, problem, from, until, reaches, missing, messages, size }: PresentPart): boolean {
  const before = JSON.stringify(part);
  part.state = STATES[state];
  part.covers = { from: reaches !== null && BigInt(reaches) > BigInt(from) ? reaches : from, until };
  part.reaches = reaches;
  part.missing = [...(problem === null ? [] : [problem]), ...missing].slice(0, MAX_MISSING);
  part.messages = messages;
  part.size = size;
  return JSON.stringify(part) !== before;
}

/** The part cannot be had. */
export function giveUp(part: PartRecord, reason: string): void {
  part.state = "none";
  part.missing = [...part.missing, reason].slice(-MAX_MISSING);
}

export const least = (values: readonly bigint[]): bigint => values.reduce((a, b) => (b < a ? b : a), values[0] ?? 0n);
const greatest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (b > a ? b : a), values[0] ?? 0n);
