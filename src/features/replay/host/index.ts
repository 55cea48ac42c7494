import { z } from "zod";
import { MgrError } from "../../../base/errors.ts";
import { count } from "../../../contract/fields.ts";
import { takenState } from "../../../daemon/handover/taken-state.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { recordingsHost } from "../../recordings/host/index.ts";
import { NO_PLAYBACKS, type REPLAY_REQUESTS } from "../contract.ts";
import { Playbacks } from "./playbacks.ts";

/** State for the program that replaces this one. The threads of plays end with their program, which the manager sees by their absence. */
const replayState = z.object({ seq: count });

/** Plays recordings of this host. */
export const replayHost: HostFeature<keyof typeof REPLAY_REQUESTS> = {
  name: "replay",
  begin({ bus, clock, lists, log, publish, taken, use }) {
    const files = use(recordingsHost);
    const seq = takenState(taken, replayState, log)?.seq ?? 0;
    const playbacks =
      bus === null || files === null
        ? null
        : new Playbacks({ clock, url: bus.localUrl, pathsOf: files.pathsOf, send: (event) => publish("playback", event), seq });
    const own = () => {
      if (playbacks === null) throw new MgrError("conflict", "this host cannot play: it has no recordings or no broker");
      return playbacks;
    };
    return {
      service: null,
      handlers: {
        open_playback: async (request) => ({ topics: await own().open(request) }),
        begin_playback: async (request) => ({ playback: await own().begin(request) }),
        control_playback: (request) => {
          own().control(request);
          return {};
        },
        playbacks: () => (playbacks === null ? NO_PLAYBACKS.playbacks : { ...lists.pages.of(playbacks.list()), seq: playbacks.seq }),
      },
      ...(playbacks === null
        ? {}
        : {
            heartbeat: () => ({ playback_seq: playbacks.seq }),
            close: () => playbacks.close(),
            // One more: the manager requests the list.
            handOver: () => ({ state: { seq: playbacks.seq + 1 }, descriptors: {}, bytes: {} }),
          }),
    };
  },
};
