import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import type { replayCommands } from "../wire.ts";
import type { Playbacks } from "./playbacks.ts";

export function replayHandlers(playbacks: Playbacks): HandlerTable<keyof typeof replayCommands> {
  return {
    request_playbacks: { kind: "request", answer: () => [{ type: "playbacks_snapshot", playbacks: playbacks.list() }] },
    play_recording: {
      kind: "request",
      // Files of the recording must not be deleted before they are open.
      about: ({ name }) => ({ kind: "recording", name }),
      answer: async ({ type: _type, request_id: _id, ...request }, { principal }) => [
        { type: "playback", playback: await playbacks.play(request, principal.user) },
      ],
    },
    control_playback: {
      kind: "command",
      about: ({ playback }) => ({ kind: "playback", name: playback }),
      run: ({ type: _type, request_id: _id, ...request }, { principal }) => playbacks.control(request, principal.user),
    },
  };
}
