import { z } from "zod";
import { count, session } from "../../contract/fields.ts";
import { byteRange, EMPTY_LIST, listPage } from "../../contract/pages.ts";

/** Maximum number of triggers of one host. */
export const MAX_TRIGGERS = 200;
/** Maximum number of incidents whose parts one host keeps; more are refused. */
export const MAX_PARTS = 50;
/** Longest time before and after a trigger, milliseconds. */
export const MAX_SPAN_MS = 3_600_000;
/** Maximum number of things that one part is said to lack. */
export const MAX_MISSING = 20;
/** Longest text of a cause, UTF-16 code units. */
export const MAX_CAUSE = 1_024;

const patterns = z.array(z.string().min(1).max(1_024)).max(1_000);
/** Nanoseconds since 1970 by the clock of the host, as text: a number in JSON is not exact enough. */
const nanoseconds = z.string().regex(/^\d{1,20}$/);
/** `YYYYMMDD-HHMMSS-HOST-N`, made where the trigger fired; it is a name of a file, too. */
export const incidentId = z.string().regex(/^\d{8}-\d{6}-[A-Za-z0-9][A-Za-z0-9._-]{0,200}-\d{1,9}$/);
const trigger = z.string().min(1).max(255);
const spanMs = z.int().min(0).max(MAX_SPAN_MS);

/** A trigger that a host judges by itself, without the manager. Names are fnmatch patterns. */
export const hostTrigger = z.object({
  name: trigger,
  before_ms: spanMs,
  after_ms: spanMs,
  /** A trigger that fires again within this time is counted in the incident that it made, milliseconds. */
  quiet_ms: z.int().min(0).max(86_400_000),
  when: z.discriminatedUnion("kind", [
    /** A process ended without a request: with a failure, or by a signal. */
    z.object({ kind: z.literal("crash"), processes: patterns }),
    /** A process came into one of these states of a run. */
    z.object({ kind: z.literal("state"), processes: patterns, states: z.array(z.enum(["started", "ready", "ended", "failed"])).min(1) }),
    /** A line of output matches a regular expression in the syntax of RE2. */
    z.object({ kind: z.literal("output"), processes: patterns, pattern: z.string().min(1).max(2_048) }),
    /** A field of a topic's samples fulfils a comparison for at least `for_ms`; `field` as of `mgr topic echo --field`; "" is the sample itself. */
    z.object({
      kind: z.literal("topic"),
      topic: z.string().min(1).max(1_024),
      field: z.string().max(1_024),
      comparison: z.enum(["<", "<=", ">", ">=", "==", "!="]),
      limit: z.number(),
      for_ms: spanMs,
    }),
    /** A topic that has been published is silent for this long. */
    z.object({ kind: z.literal("gap"), topic: z.string().min(1).max(1_024), gap_ms: z.int().min(1).max(MAX_SPAN_MS) }),
    /** A topic's rate within a second, in messages, leaves these limits; null: no limit. It must have been within them before. */
    z.object({
      kind: z.literal("rate"),
      topic: z.string().min(1).max(1_024),
      min: z.number().positive().nullable(),
      max: z.number().positive().nullable(),
    }),
  ]),
});
export type HostTrigger = z.infer<typeof hostTrigger>;

/** Content of the ring of a host, and its age limit. Sizes are in bytes. */
export const flightSpec = z.object({
  /** Bound of the ring in memory; 0: nothing is kept. */
  memory: count,
  /** Bound of the ring on disk, which outlives the daemon and a boot; 0: there is none. */
  disk: count,
  /** Age after which messages are dropped, milliseconds. */
  span_ms: z.int().min(1_000).max(MAX_SPAN_MS),
  /** Topics by fnmatch pattern, and the most messages of one topic that are kept in a second: of more, every second, third … one is kept. Null: all. */
  topics: patterns,
  max_rate: z.number().positive().nullable(),
  /** Processes whose output is kept, by pattern. */
  terminals: patterns,
  triggers: z.array(hostTrigger).max(MAX_TRIGGERS),
});
export type FlightSpec = z.infer<typeof flightSpec>;

/** Why an incident was begun. */
export const incidentCause = z.object({
  /** Name of the trigger in the configuration; `snapshot`: a user requested it. */
  trigger,
  /** What happened, for a person: `sim/camera crashed: exit code 3`. */
  text: z.string().max(MAX_CAUSE),
  /** When, by the clock of the host that names it. */
  at: nanoseconds,
});
export type IncidentCause = z.infer<typeof incidentCause>;

/** The part that one host has of an incident. */
export const flightPart = z.object({
  incident: incidentId,
  /** Null: another host, or the manager, began the incident. */
  cause: incidentCause.nullable(),
  /** How many times the trigger has fired since the incident was begun, the first included. */
  fired: count,
  /**
   * `writing`: the time after the trigger is not over. `failed`: `problem` says why. `removed`: its file was deleted; it is reported because its trigger
   * is counted in this incident when it fires again.
   */
  state: z.enum(["writing", "complete", "failed", "removed"]),
  problem: z.string().nullable(),
  /** The time that was asked for. */
  from: nanoseconds,
  until: nanoseconds,
  /** Time of the oldest message that the ring still had; null: there was none. */
  reaches: nanoseconds.nullable(),
  /** What is not in it, each as a sentence for a person: "the ring reaches back 12 s only", "4 messages of arm/state". */
  missing: z.array(z.string().max(1_024)).max(MAX_MISSING),
  messages: count,
  /** Size of its MCAP file, bytes. */
  size: count,
});
export type FlightPart = z.infer<typeof flightPart>;

/** `seq` counts these events over the life of the daemon. `part` null: it was deleted. */
const partEvent = z.object({ seq: count, incident: incidentId, part: flightPart.nullable() });
export type FlightPartEvent = z.infer<typeof partEvent>;

/** An entry that the manager adds to the ring of its host. `time` is in nanoseconds. */
export const flightNote = z.object({
  time: nanoseconds,
  /** Topic of the entry in the file: `mgr/log`, `mgr/services`, `mgr/parameters`, `mgr/network`. */
  topic: z.enum(["mgr/log", "mgr/services", "mgr/parameters", "mgr/network"]),
  value: z.unknown(),
});
export type FlightNote = z.infer<typeof flightNote>;

/** Present content of the ring. */
export const flightRing = z.object({
  spec: flightSpec.nullable(),
  bytes: count,
  disk_bytes: count,
  messages: count,
  /** Times of the oldest and the newest message; null: there is none. */
  oldest: nanoseconds.nullable(),
  newest: nanoseconds.nullable(),
});
export type FlightRing = z.infer<typeof flightRing>;

export const FLIGHT_REQUESTS = {
  /** Content of the ring and triggers of the host, in place of the earlier ones; the host saves them for its next start. */
  flight_configure: { request: z.object({ session, spec: flightSpec }), response: z.object({}) },
  flight_ring: { request: z.object({ session }), response: flightRing },
  /**
   * Begins this host's part of an incident: what the ring has from `from` on, and what comes until `until` (the past: only what the ring has).
   * Does nothing if the host has a part of it already. `busy`: the host has MAX_PARTS; `conflict`: it cannot keep anything.
   */
  flight_keep: {
    request: z.object({ session, incident: incidentId, cause: incidentCause.nullable(), from: nanoseconds, until: nanoseconds }),
    response: z.object({}),
  },
  /** All parts as of event `seq`. */
  flight_parts: { request: z.object({ session }), response: z.object({ ...listPage, seq: count }) },
  /** Reads bytes of a part that is complete. Fewer bytes than requested mean the end of the file. */
  flight_read: {
    request: z.object({ session, incident: incidentId, ...byteRange }),
    response: z.object({ size: count, data: z.instanceof(Uint8Array) }),
  },
  /** Deletes the file of a part; one that is being written ends. The part is `removed` until its trigger begins another incident. */
  flight_delete: { request: z.object({ session, incident: incidentId }), response: z.object({}) },
  flight_notes: { request: z.object({ session, notes: z.array(flightNote).max(1_000) }), response: z.object({}) },
} as const;

export const FLIGHT_NEWS = { flight_part: partEvent } as const;

/** `flight_seq`: number of the last change of the host's parts; omitted by a host that keeps nothing. */
export const FLIGHT_HEARTBEAT = { flight_seq: count.exactOptional() } as const;

/** The parts of a host that keeps nothing. */
export const NO_FLIGHT = { flight_parts: { ...EMPTY_LIST, seq: 0 } } as const;
