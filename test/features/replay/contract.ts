import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, row } from "../../contract/rows.ts";

export const replayContract: FeatureContract = {
  clientFrames: {
    request_playbacks: row({}, "playbacks_snapshot"),
    play_recording: row(
      {
        name: "string",
        host: optional("string"),
        files: optional(arrayOf("string")),
        topics: optional(arrayOf("string")),
        remap: optional(arrayOf("string")),
        rate: optional("number"),
        from: optional("number"),
        until: optional("number"),
        loop: optional("boolean"),
        paused: optional("boolean"),
        skip_live: optional("boolean"),
        clock: optional("boolean"),
      },
      "playback",
    ),
    control_playback: row({
      playback: "string",
      action: oneOf("pause", "resume", "step", "seek", "rate", "loop", "stop"),
      position: optional("number"),
      rate: optional("number"),
      loop: optional("boolean"),
    }),
  },
  managerFrames: {
    playbacks_snapshot: event({ playbacks: arrayOf(table("playback")) }),
    playback: event({ playback: table("playback") }),
    playback_upsert: event({ playback: table("playback") }),
    playback_remove: event({ id: "string" }),
  },
  resources: {
    playback: {
      id: "string",
      recording: "string",
      host: "string",
      user: "string",
      state: oneOf("playing", "paused", "ended"),
      host_ready: "boolean",
      start_time: "timestamp",
      position: "number",
      length: "number",
      rate: "number",
      loop: "boolean",
      published: "integer",
      late: "number",
      topics: arrayOf("string"),
      topic_count: "integer",
      notes: arrayOf("string"),
      problem: nullable("string"),
    },
  },
};
