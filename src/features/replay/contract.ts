import { z } from "zod";
import { count, session, streamName } from "../../contract/fields.ts";
import { EMPTY_LIST, listPage } from "../../contract/pages.ts";
import { MAX_FILES, MAX_PATTERNS } from "./limits.ts";
import { MAX_RATE, MIN_RATE } from "./player/play-options.ts";

/** Maximum number of plays at the same time on one host: each is a thread with memory of its own. */
export const MAX_PLAYS = 4;
/** Maximum number of topics of one play: they are reserved in one registration. */
export const MAX_PLAYED_TOPICS = 1_000;
/** Maximum number of topics of a play that are reported. */
export const MAX_REPORTED_TOPICS = 100;
/** A play whose manager does not begin it for this long after it was opened is ended, milliseconds. */
export const BEGIN_WITHIN_MS = 30_000;
/** Longest note or problem of a play, UTF-16 code units. */
export const MAX_SENTENCE = 1_024;
export const MAX_NOTES = 20;

const playback = streamName;
const patterns = z.array(z.string().min(1).max(2_049)).max(MAX_PATTERNS);
const sentence = z.string().max(MAX_SENTENCE);
const topicNames = z.array(z.string().min(1).max(510)).max(MAX_PLAYED_TOPICS);
const seconds = z.number().min(0);
const rate = z.number().min(MIN_RATE).max(MAX_RATE);

export const playOptions = z.object({
  recording: z.string().min(1).max(510),
  /** Names of files of the recording; null: all. */
  files: z.array(z.string().min(1).max(255)).max(MAX_FILES).nullable(),
  user: z.string(),
  /** Names and fnmatch patterns; none: all topics. */
  topics: patterns,
  /** `old=new`. */
  remap: patterns,
  rate,
  /** Seconds since the first message; null: the beginning, and the end. */
  from: seconds.nullable(),
  until: seconds.nullable(),
  is_looping: z.boolean(),
  is_paused: z.boolean(),
  /** Whether `mgr/clock` is published. */
  has_clock: z.boolean(),
});
export type PlayOptions = z.infer<typeof playOptions>;

export const controlAction = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["pause", "resume", "step", "stop"]) }),
  /** Milliseconds since the beginning of the play. */
  z.object({ action: z.literal("seek"), position_ms: z.number().min(0) }),
  z.object({ action: z.literal("rate"), rate }),
  z.object({ action: z.literal("loop"), is_looping: z.boolean() }),
]);
export type ControlAction = z.infer<typeof controlAction>;

/** State of a play. Positions are milliseconds since its beginning. */
export const playState = z.object({
  position_ms: z.number().min(0),
  length_ms: z.number().min(0),
  rate,
  is_paused: z.boolean(),
  is_looping: z.boolean(),
  published: count,
  /** How much longer it took because messages could not be read or published in time. */
  late_ms: z.number().min(0),
  /** Differences from the recording, and files that could not be read. */
  notes: z.array(sentence).max(MAX_NOTES),
});
export type PlayState = z.infer<typeof playState>;

/** A play of this host, or one that has just ended. */
export const hostPlayback = z.object({
  name: playback,
  recording: z.string(),
  user: z.string(),
  /** When the play begins in the recording, milliseconds since 1970. */
  start_ms: z.number(),
  /** The first of the topics under which it publishes, and the number of all. */
  topics: z.array(z.string()).max(MAX_REPORTED_TOPICS),
  topic_count: count,
  has_ended: z.boolean(),
  /** Why it has ended early. */
  problem: sentence.nullable(),
  ...playState.shape,
});
export type HostPlayback = z.infer<typeof hostPlayback>;

/** `seq` counts these events over the life of the daemon. `playback` null: it is forgotten, after an event that said that it has ended. */
const playbackEvent = z.object({ seq: count, name: playback, playback: hostPlayback.nullable() });
export type PlaybackEvent = z.infer<typeof playbackEvent>;

export const REPLAY_REQUESTS = {
  /**
   * Opens the files of a recording; answered with the names under which their topics will be published. It plays after `begin_playback`. `busy`: too
   * many plays; `not_found`, `bad_field`, `too_large`: it cannot be played.
   */
  open_playback: {
    request: z.object({ session, playback, options: playOptions }),
    response: z.object({ topics: topicNames }),
  },
  /** Reserves the topics, except those left out, and plays. `conflict`: one of them has a publisher; then the play has ended. */
  begin_playback: {
    request: z.object({
      session,
      playback,
      left_out: z.array(z.object({ name: z.string(), publisher: z.string() })).max(MAX_PLAYED_TOPICS),
    }),
    response: z.object({ playback: hostPlayback }),
  },
  /** `not_found`: it has ended. */
  control_playback: { request: z.object({ session, playback, control: controlAction }), response: z.object({}) },
  /** All plays that have begun, as of event `seq`. */
  playbacks: { request: z.object({ session }), response: z.object({ ...listPage, seq: count }) },
} as const;

export const REPLAY_NEWS = { playback: playbackEvent } as const;

/** `playback_seq`: number of the last event. */
export const REPLAY_HEARTBEAT = { playback_seq: count.exactOptional() } as const;

/** The plays of a host that cannot play. */
export const NO_PLAYBACKS = { playbacks: { ...EMPTY_LIST, seq: 0 } } as const;
