import { batch, signal } from "@preact/signals";
import type { Recording } from "../../../../src/features/recordings/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { inOrder, withItem } from "../../state/items.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { client, frames$ } from "../../state/store.ts";
import { socketQuery } from "../../state/views.ts";
import { complain } from "../../ui/toasts.ts";

export const recordings = signal<readonly Recording[]>([]);

/** Follows the manager's frames, at most two a second for each recording. */
frames$.subscribe((frame) => {
  // A window with one process receives no recordings, nor does a user with roles on some processes.
  const isForUser = frame.type === "snapshot" && (frame.access?.grants.some(({ on }) => on === null) ?? true);
  if (isForUser && socketQuery(location) === "") client.request({ type: "request_recordings" }).catch(complain);
  drawnWithNextFrame(() => batch(() => receive(frame)));
});

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "recordings_snapshot":
      recordings.value = inOrder(frame.recordings);
      return;
    case "recording_upsert":
      recordings.value = withItem(recordings.peek(), frame.recording, ({ name }) => name);
      return;
    case "recording_remove":
      recordings.value = recordings.peek().filter(({ name }) => name !== frame.name);
      return;
  }
}
