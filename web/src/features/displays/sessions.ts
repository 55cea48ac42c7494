import { signal } from "@preact/signals";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { frames$ } from "../../state/store.ts";

type Session = Extract<ManagerFrame, { type: "snapshot" }>["vnc_sessions"][number];

/** The displays that this user may see. */
export const vncSessions = signal<readonly Session[]>([]);

frames$.subscribe((frame) => {
  if (frame.type !== "snapshot") return;
  drawnWithNextFrame(() => {
    vncSessions.value = frame.vnc_sessions;
  });
});
