import { z } from "zod";
import { flag, integer, objectName, pattern, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { RECORDED_BESIDE } from "./recorded-beside.ts";

const counters = {
  messages: z.int(),
  missed: z.int().describe("Gaps in the numbers that the publisher counts with (`Mgr-Seq`)."),
  dropped: z.int().describe("Not written, because the disk was too slow."),
};

const recordedTopic = z
  .object({ name: z.string(), host: z.string(), ...counters })
  .meta({ id: "RecordedTopic", description: "A topic of a recording, since the recording was started." });

const recordedFile = z
  .object({
    host: z.string(),
    file: z.string().describe("Name of the file, for the download and for `delete_recording`."),
    size: z.int().describe("Bytes."),
    start_time: timestamp.nullable().describe("Of its first message."),
    end_time: timestamp.nullable().describe("Of its last message."),
    topics: z.int().describe("Number of topics."),
    ...counters,
    is_growing: z.boolean().describe("It is being written."),
    is_repaired: z.boolean().describe("Its daemon was killed while it was written; it was completed later."),
  })
  .meta({ id: "RecordedFile", description: "A file of a recording, on one host." });

export const recording = z
  .object({
    name: z.string(),
    state: z.enum(["idle", "starting", "recording", "stopping", "error"]),
    problem: z.string().nullable().describe("Why it ended by itself or could not start, and what to do."),
    start_time: timestamp.nullable().describe("When it was started last."),
    patterns: z.array(z.string()).describe("Names and patterns of the topics that it records."),
    hosts: z.array(z.string()).describe("Hosts that record it or have files of it."),
    size: z.int().describe("Bytes of all files."),
    ...counters,
    topics: z.array(recordedTopic).describe("At most 200 of each host; the counters of the recording count all."),
    files: z.array(recordedFile).describe("Oldest first."),
  })
  .meta({ id: "Recording", description: "Topics written to MCAP files, on the hosts of their publishers." });
export type Recording = z.infer<typeof recording>;

const MAX_PATTERNS = 1_000;
const patternsSay = `must be an array of at most ${MAX_PATTERNS} patterns`;
const patterns = z.array(pattern, { error: patternsSay }).max(MAX_PATTERNS, { error: patternsSay });
const includeSays = `must be an array of ${RECORDED_BESIDE.join(", ")}`;
const recordingName = objectName.describe("Name of a recording.");
const action = (name: string) => ({ action: name });

export const recordingCommands = clientFrames("Recordings", {
  request_recordings: {
    fields: {},
    answer: "recordings_snapshot",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "All recordings.",
  },
  start_recording: {
    fields: {
      name: recordingName,
      topics: patterns.describe("Names or patterns of topics; default: those of `record` in the configuration, or all.").exactOptional(),
      terminals: patterns.describe("Names or patterns of processes whose output is recorded as lines.").exactOptional(),
      include: z
        .array(z.enum(RECORDED_BESIDE, { error: includeSays }), { error: includeSays })
        .max(RECORDED_BESIDE.length, { error: includeSays })
        .describe("What is recorded beside topics.")
        .exactOptional(),
      max_size: integer(65_536, Number.MAX_SAFE_INTEGER).describe("Bytes of one file; then another one begins.").exactOptional(),
      max_duration: integer(1, 2_000_000).describe("Seconds in one file; then another one begins.").exactOptional(),
      max_files: integer(1, 500).describe("Files on each host; the oldest is removed.").exactOptional(),
      min_free_space: integer(0, Number.MAX_SAFE_INTEGER).describe("Bytes; with less the disk counts as full.").exactOptional(),
      delete_oldest: flag.describe("On a full disk remove the oldest files of this recording, instead of stopping.").exactOptional(),
    },
    answer: "recording_action_result",
    constant: action("start"),
    scope: "global",
    role: "operator",
    meaning: "Records topics to disk. What is left out is as in `record` of the configuration. `recording_upsert` follows.",
  },
  stop_recording: {
    fields: { name: recordingName },
    answer: "recording_action_result",
    constant: action("stop"),
    scope: "global",
    role: "operator",
    meaning: "Ends a recording; answered when its files are complete.",
  },
  delete_recording: {
    fields: {
      name: recordingName,
      host: objectName.describe("With `file`: the host that has it, if several have one of this name.").exactOptional(),
      file: objectName.describe("Only this file.").exactOptional(),
    },
    answer: "recording_action_result",
    constant: action("delete"),
    scope: "global",
    role: "operator",
    meaning:
      "Removes a recording with all its files, or one file. One that runs is a `conflict`. `recording_remove` or `recording_upsert` follows.",
  },
});

export const recordingFrames = managerFrames("Recordings", {
  recordings_snapshot: answer({ recordings: z.array(recording) }, "All recordings."),
  recording_upsert: change(
    { recording },
    "A recording appeared or changed; counters at most twice a second.",
    ({ recording }) => `recording:${recording.name}`,
  ),
  recording_remove: change({ name: z.string() }, "A recording was deleted."),
  recording_action_result: result(
    { action: z.enum(["start", "stop", "delete"]), name: z.string() },
    {},
    "A recording command was carried out, or not.",
  ),
});
