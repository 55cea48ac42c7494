import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { event, type FeatureContract, result, route, row } from "../../contract/rows.ts";

/** docs/recordings.md. */
export const RECORDED_BESIDE = ["processes", "log", "services", "parameters"];
/** docs/recordings.md. */
export const RECORDING_STATES = ["idle", "starting", "recording", "stopping", "error"];

const name = "string";

export const recordingsContract: FeatureContract = {
  clientFrames: {
    request_recordings: row({}, "recordings_snapshot"),
    start_recording: row(
      {
        name,
        topics: optional(arrayOf("string")),
        terminals: optional(arrayOf("string")),
        include: optional(arrayOf(oneOf(...RECORDED_BESIDE))),
        max_size: optional("integer"),
        max_duration: optional("integer"),
        max_files: optional("integer"),
        min_free_space: optional("integer"),
        delete_oldest: optional("boolean"),
      },
      "recording_action_result",
    ),
    stop_recording: row({ name }, "recording_action_result"),
    delete_recording: row({ name, host: optional("string"), file: optional("string") }, "recording_action_result"),
  },
  managerFrames: {
    recordings_snapshot: event({ recordings: arrayOf(table("recording")) }),
    recording_upsert: event({ recording: table("recording") }),
    recording_remove: event({ name }),
    recording_action_result: result({ action: oneOf("start", "stop", "delete"), name }),
  },
  resources: {
    recording: {
      name: "string",
      state: oneOf(...RECORDING_STATES),
      problem: nullable("string"),
      start_time: nullable("timestamp"),
      patterns: arrayOf("string"),
      hosts: arrayOf("string"),
      size: "integer",
      messages: "integer",
      missed: "integer",
      dropped: "integer",
      topics: arrayOf(table("recorded topic")),
      files: arrayOf(table("recorded file")),
    },
    "recorded topic": { name: "string", host: "string", messages: "integer", missed: "integer", dropped: "integer" },
    "recorded file": {
      host: "string",
      file: "string",
      size: "integer",
      start_time: nullable("timestamp"),
      end_time: nullable("timestamp"),
      topics: "integer",
      messages: "integer",
      missed: "integer",
      dropped: "integer",
      is_growing: "boolean",
      is_repaired: "boolean",
    },
  },
  taken: { start_recording: { max_size: 65_536 } },
  routes: [
    // Without a query there is nothing to send.
    route(["GET", "/mgr/recording/:label"], { name: "string", host: "string", file: "string", merge: "flag" }, "text/plain", {
      status: 400,
    }),
    route(["GET", "/mgr/recording"], { name: "string", host: "string", file: "string", merge: "flag" }, "text/plain", { status: 400 }),
  ],
};
