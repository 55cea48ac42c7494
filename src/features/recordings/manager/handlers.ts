import type { FrameObject } from "../../../transport/frame-schedule.ts";
import type { HandlerTable } from "../../../transport/handlers/handler.ts";

/** null: all of them. */
const aboutRecording = (name: string | null): FrameObject => ({ kind: "recording", name });

export const recordingHandlers: HandlerTable<"request_recordings" | "start_recording" | "stop_recording" | "delete_recording"> = {
  request_recordings: {
    kind: "request",
    about: () => aboutRecording(null),
    answer: (_frame, { control }) => [{ type: "recordings_snapshot", recordings: control.recordings.list() }],
  },
  start_recording: {
    kind: "request",
    about: ({ name }) => aboutRecording(name),
    answer: async ({ type: _type, request_id: _id, ...request }, { control, principal }) => {
      await control.recordings.start(request, principal.user);
      return [{ type: "recording_action_result", ok: true, action: "start", name: request.name }];
    },
  },
  stop_recording: {
    kind: "request",
    about: ({ name }) => aboutRecording(name),
    answer: async ({ name }, { control, principal }) => {
      await control.recordings.stop(name, principal.user);
      return [{ type: "recording_action_result", ok: true, action: "stop", name }];
    },
  },
  delete_recording: {
    kind: "request",
    about: ({ name }) => aboutRecording(name),
    answer: async ({ name, host, file }, { control, principal }) => {
      await control.recordings.remove(name, file === undefined ? null : { file, ...(host === undefined ? {} : { host }) }, principal.user);
      return [{ type: "recording_action_result", ok: true, action: "delete", name }];
    },
  },
};
