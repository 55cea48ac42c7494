import { z } from "zod";
import { formatTime } from "../../../protocol/time.ts";
import { incidentId, MAX_CAUSE, MAX_MISSING } from "../contract.ts";
import type { Incident, IncidentHost } from "../wire.ts";

/** Most triggers that an incident lists; further ones are only counted in `fired` of the last one. */
export const MAX_LISTED_TRIGGERS = 50;
/** Most parts of one host in an incident: one for each host that noticed something. */
export const MAX_PARTS_OF_HOST = 20;

/** Nanoseconds since 1970, or a difference. */
const nanoseconds = z.string().regex(/^-?\d{1,20}$/);
const count = z.int().min(0);

const part = z.object({
  id: incidentId,
  /**
   * `wanted`: the host has to be asked for it. `writing` and `complete`: as the host reports it. `collected`: its copy is beside the incident's file.
   * `merged`: it is in the file. `none`: it cannot be had, and `missing` says why.
   */
  state: z.enum(["wanted", "writing", "complete", "collected", "merged", "none"]),
  /** The time that is wanted, by the clock of the manager. */
  from: nanoseconds,
  until: nanoseconds,
  /** Time span of its content, by the clock of the host; null: not known yet. */
  covers: z.object({ from: nanoseconds, until: nanoseconds }).nullable(),
  /** Time of its oldest message, by the clock of the host. */
  reaches: nanoseconds.nullable(),
  missing: z.array(z.string()).max(MAX_MISSING),
  messages: count,
  size: count,
});
export type PartRecord = z.infer<typeof part>;

const hostRecord = z.object({
  host: z.string(),
  /** Its clock minus that of the manager, when it was measured for this incident. */
  clock: z.object({ offset: nanoseconds, uncertainty: nanoseconds }).nullable(),
  parts: z.array(part).max(MAX_PARTS_OF_HOST),
});
export type HostRecord = z.infer<typeof hostRecord>;

const triggerRecord = z.object({
  /** The part of which it is the cause; null: the manager noticed it. */
  id: incidentId.nullable(),
  trigger: z.string(),
  text: z.string().max(MAX_CAUSE),
  host: z.string().nullable(),
  time: nanoseconds,
  fired: count,
});
export type TriggerRecord = z.infer<typeof triggerRecord>;

/** `incident.json`. Times are by the clock of the manager unless another one is named. */
export const incidentRecord = z.object({
  id: incidentId,
  note: z.string(),
  by: z.string().nullable(),
  is_pinned: z.boolean(),
  from: nanoseconds,
  until: nanoseconds,
  triggers: z.array(triggerRecord).max(MAX_LISTED_TRIGGERS),
  hosts: z.array(hostRecord),
  /** Content of the file; null: there is none. */
  file: z.object({ messages: count, size: count, refused: count }).nullable(),
  /** This record tells of the next file, which may not be in its place yet. */
  is_replacing: z.boolean(),
});
export type IncidentRecord = z.infer<typeof incidentRecord>;

/** The state of a part that the hosts or the collection have to change. */
const isOpen = ({ state }: PartRecord): boolean => state === "wanted" || state === "writing" || state === "complete";

/** The parts of the hosts that are connected, and of those that were collected: what still happens to the incident now. */
export function openParts({ hosts }: IncidentRecord, ready: ReadonlySet<string>): PartRecord[] {
  return hosts.flatMap(({ host, parts }) => parts.filter((each) => each.state === "collected" || (ready.has(host) && isOpen(each))));
}

function stateOf(record: IncidentRecord, ready: ReadonlySet<string>): Incident["state"] {
  const open = openParts(record, ready);
  if (open.some(({ state }) => state === "wanted" || state === "writing")) return "recording";
  return open.length > 0 || record.is_replacing ? "collecting" : "complete";
}

interface View {
  /** Hosts that are connected. */
  readonly ready: ReadonlySet<string>;
  readonly problem: string | null;
}

/** The incident as clients see it. */
export function incidentResource(record: IncidentRecord, { ready, problem }: View): Incident {
  const { id, note, by, is_pinned, file } = record;
  const time = (text: string) => timeText(BigInt(text));
  const hosts = record.hosts.map((host) => hostResource(host, ready));
  return {
    id,
    state: stateOf(record, ready),
    problem,
    time: time(record.triggers[0]?.time ?? record.until),
    from: time(record.from),
    until: time(record.until),
    triggers: record.triggers.map(({ trigger, text, host, time: at, fired }) => ({ trigger, text, host, time: time(at), fired })),
    note,
    by,
    is_pinned,
    hosts,
    missing: missingIn(record, hosts),
    messages: file?.messages ?? 0,
    size: file?.size ?? 0,
  };
}

function hostResource({ host, clock, parts }: HostRecord, ready: ReadonlySet<string>): IncidentHost {
  const offset = BigInt(clock?.offset ?? 0);
  const reached = parts.flatMap(({ reaches }) => (reaches === null ? [] : BigInt(reaches) - offset));
  const oldest = reached.reduce<bigint | null>((least, each) => (least === null || each < least ? each : least), null);
  return {
    host,
    state: hostState(parts, ready.has(host)),
    offset_ms: clock === null ? null : Number(clock.offset) / 1e6,
    uncertainty_ms: clock === null ? null : Number(clock.uncertainty) / 1e6,
    reaches: oldest === null ? null : timeText(oldest),
    missing: [...new Set(parts.flatMap(({ missing }) => missing))],
    messages: parts.reduce((sum, { messages }) => sum + messages, 0),
    size: parts.reduce((sum, { size }) => sum + size, 0),
  };
}

function hostState(parts: readonly PartRecord[], isReady: boolean): IncidentHost["state"] {
  const has = (...states: PartRecord["state"][]) => parts.some(({ state }) => states.includes(state));
  if (parts.some(isOpen)) {
    if (!isReady) return "away";
    return has("wanted", "writing") ? "recording" : "collecting";
  }
  if (has("collected")) return "collecting";
  return has("merged") ? "merged" : "absent";
}

/** Gaps in the file, host by host. */
function missingIn({ file }: Pick<IncidentRecord, "file">, hosts: readonly IncidentHost[]): string[] {
  const missing = hosts.flatMap(({ host, state, missing, offset_ms }) => [
    ...(state === "away" ? [`host ${host} is not connected: its part is added when it is back`] : []),
    ...missing.map((each) => `host ${host}: ${each}`),
    ...(state === "merged" && offset_ms === null ? [`host ${host}: its clock was not compared, so its times are as it had them`] : []),
  ]);
  const refused = file?.refused ?? 0;
  return refused === 0 ? missing : [...missing, `${refused} messages, because the file cannot have more topics`];
}

/** Nanoseconds as a time of the protocol. A clock that is far off is shown at the limits of what a time can be. */
export function timeText(nanoseconds: bigint): string {
  const milliseconds = Number(nanoseconds / 1_000_000n);
  return formatTime(Math.min(Math.max(milliseconds, 0), Date.UTC(9999, 11, 31)));
}
