import type { HandlerTable } from "./handler.ts";

export const recordingHandlers: HandlerTable<"request_recordings" | "start_recording" | "stop_recording" | "delete_recording"> = {
  request_recordings: {
    kind: "request",
    answer: (_frame, { control }) => [{ type: "recordings_snapshot", recordings: control.recordings.list() }],
  },
  start_recording: {
    kind: "request",
    answer: async ({ type: _type, request_id: _id, ...request }, { control, principal }) => {
      await control.recordings.start(request, principal.user);
      return [{ type: "recording_action_result", ok: true, action: "start", name: request.name }];
    },
  },
  stop_recording: {
    kind: "request",
    answer: async ({ name }, { control, principal }) => {
      await control.recordings.stop(name, principal.user);
      return [{ type: "recording_action_result", ok: true, action: "stop", name }];
    },
  },
  delete_recording: {
    kind: "request",
    answer: async ({ name, host, file }, { control, principal }) => {
      await control.recordings.remove(name, file === undefined ? null : { file, ...(host === undefined ? {} : { host }) }, principal.user);
      return [{ type: "recording_action_result", ok: true, action: "delete", name }];
    },
  },
};
