import { batch, signal } from "@preact/signals";
import type { Playback } from "../../../../src/features/replay/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { refusalOf } from "../../state/access.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { client, frames$ } from "../../state/store.ts";
import { isConnected } from "../../ui/connected.ts";
import { complain } from "../../ui/toasts.ts";

/** A play, and when its position was known, by `performance.now()`. */
export interface ShownPlayback {
  readonly playback: Playback;
  readonly at: number;
}

export const playbacks = signal<readonly ShownPlayback[]>([]);

function request(): void {
  if (refusalOf({ type: "request_playbacks" }) === null) client.request({ type: "request_playbacks" }).catch(complain);
}
frames$.subscribe((frame) => {
  if (frame.type === "snapshot") request();
  drawnWithNextFrame(() => batch(() => receive(frame)));
});
if (isConnected.peek()) request();

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "playbacks_snapshot":
      playbacks.value = frame.playbacks.map(shown);
      return;
    case "playback_upsert":
      put(shown(frame.playback));
      return;
    case "playback_remove":
      playbacks.value = playbacks.peek().filter(({ playback }) => playback.id !== frame.id);
      return;
  }
}

const shown = (playback: Playback): ShownPlayback => ({ playback, at: performance.now() });

function put(one: ShownPlayback): void {
  const all = playbacks.peek();
  const index = all.findIndex(({ playback }) => playback.id === one.playback.id);
  playbacks.value = index < 0 ? [...all, one] : all.with(index, one);
}

/** The position now, seconds. */
export function positionOf({ playback, at }: ShownPlayback): number {
  const { state, host_ready, position, length, rate } = playback;
  const passed = state === "playing" && host_ready ? ((performance.now() - at) / 1_000) * rate : 0;
  return Math.min(length, position + passed);
}

/** Moves a play. Its position is shown at once, so that the next key continues from there. */
export async function seek({ playback }: ShownPlayback, wanted: number): Promise<void> {
  const position = Math.min(playback.length, Math.max(0, wanted));
  put(shown({ ...playback, position }));
  await client.request({ type: "control_playback", playback: playback.id, action: "seek", position }).catch(complain);
}
