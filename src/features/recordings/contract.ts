import { z } from "zod";
import { count, session } from "../../contract/fields.ts";
import { byteRange, EMPTY_LIST, listPage } from "../../contract/pages.ts";
import { RECORDED_BESIDE } from "./recorded-beside.ts";

/** Maximum number of recordings on one host; more are refused. */
export const MAX_RECORDINGS = 100;
/** Maximum number of files that one recording keeps on a host. */
export const MAX_RECORDING_FILES = 500;
/** Maximum number of topics of one recording whose counters are reported; the sums count all. */
export const MAX_REPORTED_TOPICS = 200;

const patterns = z.array(z.string().min(1).max(1_024)).max(1_000);
/** A name of up to 255 characters, each of which may take two UTF-16 units. */
const name = z.string().min(1).max(510);
/** Nanoseconds since 1970, as text: a number in JSON is not exact enough. */
const nanoseconds = z.string().regex(/^\d{1,20}$/);

/** Specification of a recording. Sizes are in bytes. */
export const recordingSpec = z.object({
  name,
  /** Names of topics, or fnmatch patterns. */
  topics: patterns,
  /** Names or patterns of processes whose output is recorded as lines. */
  terminals: patterns,
  /** Sources besides topics. Everything except `processes` comes from the manager and is recorded on its own host. */
  include: z.array(z.enum(RECORDED_BESIDE)).max(RECORDED_BESIDE.length),
  /** Folder: absolute, or relative to the folder of the configuration; null: in the state folder of the daemon. */
  path: z.string().max(4_096).nullable(),
  /** Maximum size of one file; then the next file begins. */
  max_size: z.int().min(65_536),
  max_duration_ms: z.int().min(1_000).nullable(),
  /** Maximum number of files on one host. The oldest file is removed when another one begins. */
  max_files: z.int().min(1).max(MAX_RECORDING_FILES),
  /** With less free space, the disk counts as full. */
  min_free_space: count,
  on_full: z.enum(["stop", "delete_oldest"]),
});
export type RecordingSpec = z.infer<typeof recordingSpec>;

export const recordingFile = z.object({
  file: z.string(),
  size: count,
  /** Times of the first and the last message; null: there are no messages. */
  start: nanoseconds.nullable(),
  end: nanoseconds.nullable(),
  messages: count,
  topics: count,
  missed: count,
  dropped: count,
  is_growing: z.boolean(),
  /** The program that wrote the file was killed; the file was completed later. */
  is_repaired: z.boolean(),
});
export type RecordingFileReport = z.infer<typeof recordingFile>;

/** Counters of one topic since the recording was started. */
const recordingTopic = z.object({
  name: z.string(),
  messages: count,
  /** Messages missing in the sequence of `Mgr-Seq`: the publisher sent them, but they did not arrive at the broker. */
  missed: count,
  /** Messages that were not written because the disk was too slow. */
  dropped: count,
});

/** A recording as one host has it. */
export const recordingReport = z.object({
  name,
  spec: recordingSpec,
  state: z.enum(["recording", "stopped", "error"]),
  /** The reason why the recording ended without a stop, or its present problem. */
  problem: z.string().nullable(),
  /** Start time in milliseconds since 1970. */
  started_at: z.number().nullable(),
  messages: count,
  bytes: count,
  missed: count,
  dropped: count,
  topics: z.array(recordingTopic),
  /** Oldest first. */
  files: z.array(recordingFile),
});
export type RecordingReport = z.infer<typeof recordingReport>;

/**
 * `seq` counts these events over the life of the daemon. `recording` null: the recording was deleted. `is_partial`: only the growing file is
 * included; the others have not changed.
 */
const recordingEvent = z.object({ seq: count, name, is_partial: z.boolean(), recording: recordingReport.nullable() });
export type RecordingEvent = z.infer<typeof recordingEvent>;

/** An entry that the manager adds to the recordings of its host. `time` is in nanoseconds. */
export const recordingNote = z.object({
  time: nanoseconds,
  kind: z.enum(RECORDED_BESIDE).exclude(["processes"]),
  value: z.unknown(),
});
export type RecordingNote = z.infer<typeof recordingNote>;

export const RECORDING_REQUESTS = {
  /** Does nothing if the recording is running. `conflict` if it cannot be written; the message has the reason. */
  record_start: { request: z.object({ session, spec: recordingSpec }), response: z.object({}) },
  /** Answered when the recording's file is complete. */
  record_stop: { request: z.object({ session, name }), response: z.object({}) },
  /** Deletes one file, or with null the whole recording. `conflict`: it is being written. */
  record_delete: { request: z.object({ session, name, file: z.string().max(255).nullable() }), response: z.object({}) },
  /** Lists all recordings as of event `seq`. */
  recordings: { request: z.object({ session }), response: z.object({ ...listPage, seq: count }) },
  /** Reads bytes of a file, which may be growing; `size` is its current size. Fewer bytes than requested mean the end of the file. */
  record_read: {
    request: z.object({ session, name, file: z.string().min(1).max(255), ...byteRange }),
    response: z.object({ size: count, data: z.instanceof(Uint8Array) }),
  },
  record_notes: { request: z.object({ session, notes: z.array(recordingNote).max(1_000) }), response: z.object({}) },
} as const;

export const RECORDING_NEWS = { recording: recordingEvent } as const;

/** `record_seq`: number of the last change of the host's recordings; omitted by a host that cannot record. */
export const RECORDING_HEARTBEAT = { record_seq: count.exactOptional() } as const;

/** The recordings of a host that cannot record. */
export const NO_RECORDINGS = { recordings: { ...EMPTY_LIST, seq: 0 } } as const;
