import { aboutNamed, type HandlerTable } from "../../../transport/handlers/handler.ts";
import type { recordingCommands } from "../wire.ts";
import type { Recordings } from "./recordings.ts";

/** `name` is null for all recordings. */
const aboutRecording = aboutNamed("recording");

export function recordingHandlers(recordings: Recordings): HandlerTable<keyof typeof recordingCommands> {
  return {
    request_recordings: {
      kind: "request",
      about: () => ({ kind: "recording", name: null }),
      answer: () => [{ type: "recordings_snapshot", recordings: recordings.list() }],
    },
    start_recording: {
      kind: "request",
      about: aboutRecording,
      answer: async ({ type: _type, request_id: _id, ...request }, { principal }) => {
        await recordings.start(request, principal.user);
        return [{ type: "recording_action_result", ok: true, action: "start", name: request.name }];
      },
    },
    stop_recording: {
      kind: "request",
      about: aboutRecording,
      answer: async ({ name }, { principal }) => {
        await recordings.stop(name, principal.user);
        return [{ type: "recording_action_result", ok: true, action: "stop", name }];
      },
    },
    delete_recording: {
      kind: "request",
      about: aboutRecording,
      answer: async ({ name, host, file }, { principal }) => {
        await recordings.remove(name, file === undefined ? null : { file, ...(host === undefined ? {} : { host }) }, principal.user);
        return [{ type: "recording_action_result", ok: true, action: "delete", name }];
      },
    },
  };
}
