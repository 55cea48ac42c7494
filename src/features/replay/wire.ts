import { z } from "zod";
import { flag, hostName, objectName, pattern, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";
import { MAX_FILES, MAX_PATTERNS } from "./limits.ts";
import { MAX_RATE, MIN_RATE } from "./player/play-options.ts";

export const PLAYBACK_ACTIONS = ["pause", "resume", "step", "seek", "rate", "loop", "stop"] as const;

const playback = z
  .object({
    id: z.string(),
    recording: z.string().describe("Name of the recording."),
    host: z.string().describe("Canonical name of the host that plays it."),
    user: z.string().describe("Who started it."),
    state: z.enum(["playing", "paused", "ended"]),
    host_ready: z.boolean().describe("False: the daemon of the host is not connected. It plays on there, and these are its last figures."),
    start_time: timestamp.describe("The moment of the recording at which it begins."),
    position: z.number().describe("Seconds since its beginning, in time of the recording."),
    length: z.number().describe("Seconds."),
    rate: z.number().describe("Seconds of the recording a second."),
    loop: z.boolean(),
    published: z.int().describe("Messages that were published, repetitions included."),
    late: z.number().describe("Seconds that it took longer, because messages could not be read or published in time."),
    topics: z.array(z.string()).describe("The first 100 of the topics that it publishes."),
    topic_count: z.int(),
    notes: z.array(z.string()).describe("What differs from the recording, and what could not be read."),
    problem: z
      .string()
      .nullable()
      .describe("Why it has ended early. Such a play is listed until it is stopped, or its recording is played again."),
  })
  .meta({ id: "Playback", description: "A recording that a host publishes again." });
export type Playback = z.infer<typeof playback>;

const patternsSay = `must be an array of at most ${MAX_PATTERNS} patterns`;
const patterns = z.array(pattern, { error: patternsSay }).max(MAX_PATTERNS, { error: patternsSay });
const remapsSay = `must be an array of at most ${MAX_PATTERNS} texts OLD=NEW`;
const remaps = z.array(text(3, 2_049, remapsSay), { error: remapsSay }).max(MAX_PATTERNS, { error: remapsSay });
const filesSay = `must be an array of 1 to ${MAX_FILES} names of files`;
const rateSays = `must be a number from ${MIN_RATE} to ${MAX_RATE}`;
const rate = z.number({ error: rateSays }).min(MIN_RATE, { error: rateSays }).max(MAX_RATE, { error: rateSays });
const secondsSay = "must be a number of seconds, at least 0";
const seconds = z.number({ error: secondsSay }).min(0, { error: secondsSay }).max(1e9, { error: secondsSay });
const actionSays = `must be one of ${PLAYBACK_ACTIONS.join(", ")}`;

/** The field that an action needs. */
const NEEDED: Readonly<Record<string, string>> = { seek: "position", rate: "rate", loop: "loop" };

export const replayCommands = clientFrames("Recordings", {
  request_playbacks: {
    fields: {},
    answer: "playbacks_snapshot",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "The recordings that are played now.",
  },
  play_recording: {
    fields: {
      name: objectName.describe("Name of a recording that is not running."),
      host: hostName.describe("The host whose files are played; needed if several have some.").exactOptional(),
      files: z
        .array(text(1, 255), { error: filesSay })
        .min(1, { error: filesSay })
        .max(MAX_FILES, { error: filesSay })
        .describe("Names of files; default: all of the host.")
        .exactOptional(),
      topics: patterns.describe("Names or patterns of topics; default: all, except for what is recorded beside them.").exactOptional(),
      remap: remaps.describe("Other names of topics: `old=new`, or `old*=new*` for all that begin so.").exactOptional(),
      rate: rate.describe("Seconds of the recording a second; default 1.").exactOptional(),
      from: seconds.describe("Where it begins, seconds since the first message.").exactOptional(),
      until: seconds.describe("Where it ends.").exactOptional(),
      loop: flag.describe("Begins again at the end.").exactOptional(),
      paused: flag.describe("Begins paused.").exactOptional(),
      skip_live: flag.describe("Leaves out topics that are published now, instead of refusing.").exactOptional(),
      clock: flag.describe("Whether the time of the play is published as `mgr/clock`; default true.").exactOptional(),
    },
    answer: "playback",
    scope: "global",
    role: "operator",
    meaning:
      "Publishes the topics of a recording again, on the host that has the files. A topic that is published now is a `conflict`. Events `playback_upsert` follow.",
  },
  control_playback: {
    fields: {
      playback: text(1, 64).describe("Id of the play."),
      action: z.enum(PLAYBACK_ACTIONS, { error: actionSays }).describe("`step` publishes the next message and pauses."),
      position: seconds.describe("Of `seek`: seconds since the beginning of the play.").exactOptional(),
      rate: rate.describe("Of `rate`.").exactOptional(),
      loop: flag.describe("Of `loop`.").exactOptional(),
    },
    answer: null,
    scope: "global",
    role: "operator",
    check: (values) => {
      const field = NEEDED[String(values.action)];
      return field !== undefined && values[field] === undefined ? { field, says: `is needed for '${String(values.action)}'` } : null;
    },
    meaning: "Controls a play. `stop` of one that has ended removes it from the list.",
  },
});

export const replayFrames = managerFrames("Recordings", {
  playbacks_snapshot: answer({ playbacks: z.array(playback) }, "The plays of all hosts, by the time of their start."),
  playback: answer({ playback }, "The recording is played."),
  playback_upsert: change(
    { playback },
    "A play has begun, was controlled or has ended; its position a few times a second while it plays.",
    ({ playback: { id } }) => `playback:${id}`,
  ),
  playback_remove: change({ id: z.string() }, "A play is over."),
});
