import { z } from "zod";
import { readNote, withNote } from "../../../contract/run-memo.ts";
import { X_DISPLAY_KINDS, X_DISPLAY_REASONS } from "../../../protocol/process/process.ts";
import type { Process } from "../../../protocol/resources/resources.ts";

const xDisplay = z.object({
  kind: z.enum(X_DISPLAY_KINDS),
  /** Name of the X display. */
  display: z.string(),
  username: z.string().nullable(),
  /** `<ip>:<port>` of the client whose display it is. */
  peer: z.string().nullable(),
  reason: z.enum(X_DISPLAY_REASONS),
});
/** The X display of a run's clients, and the reason for it. */
export type XDisplay = z.infer<typeof xDisplay>;

const KEY = "x_display";

/** A memo with the X display of the run. */
export function withXDisplay(memo: string, display: XDisplay): string {
  return withNote(memo, KEY, display);
}

/** Null also if the memo has no X display. */
export function readXDisplay(memo: string): XDisplay | null {
  // A memo is read for each step of each process; few have an X display.
  const note = readNote(memo, KEY);
  return note === undefined ? null : (xDisplay.safeParse(note).data ?? null);
}

/** The desktop that shows new windows for a user; null: none is connected. `peer`: null on the manager's own machine. */
export type DesktopOf = (user: string) => { readonly peer: string | null; readonly display: string } | null;

/** The fields of a process whose X clients show on `target`. A desktop can be connected again while the process runs. */
export function xDisplayFields(target: XDisplay | null, desktopOf: DesktopOf): Partial<Process> {
  if (target === null) return {};
  const isGui = target.kind === "gui";
  const desktop = isGui && target.username !== null ? desktopOf(target.username) : null;
  return {
    x_display_kind: target.kind,
    x_display: desktop?.display ?? target.display,
    x_display_username: target.username,
    x_display_peer: (isGui ? desktop?.peer : target.peer) ?? null,
    x_display_reason: target.reason,
  };
}
