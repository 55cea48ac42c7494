import type { FrameOf } from "../../../protocol/frames/frames.ts";
import type { Playback } from "../wire.ts";

export type PlayRequest = Omit<FrameOf<"play_recording">, "type" | "request_id">;
export type ControlRequest = Omit<FrameOf<"control_playback">, "type" | "request_id">;

/** Recordings that hosts play. Rejections are MgrError, with a message that says what to do. */
export interface Playbacks {
  list(): Playback[];
  /** Resolves when it plays. Rejects with `not_found`, `conflict`, `busy`, `bad_field`, `too_large` and `host_unavailable`. */
  play(request: PlayRequest, by: string): Promise<Playback>;
  /** Rejects with `not_found` and `host_unavailable`. */
  control(request: ControlRequest, by: string): Promise<void>;
}
