import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { user } from "../../state/login.ts";
import { current, showBeside } from "../../state/navigation.ts";
import { frames$ } from "../../state/store.ts";
import type { View } from "../../state/views.ts";
import { toast } from "../../ui/toasts.ts";
import { vncSessions } from "./sessions.ts";

/** The display that shows a process to this user; null if there is none. */
export function displayOf({ name, node, x_display_kind, x_display_username, x_display }: Process): View | null {
  for (const session of vncSessions.value) {
    const isServer = session.process === name;
    if (session.kind === "private") {
      if (isServer) return { kind: "display" };
    } else if (isServer || (x_display_kind === "configured_vnc" && x_display === nameAt(node, session))) {
      return { kind: "session", name: session.session_id };
    }
  }
  return x_display_kind === "web" && x_display_username === user ? { kind: "display" } : null;
}

/** The name of a display in `x_display` of processes of `node`. */
function nameAt(node: string, session: { node: string; vnc_display: number }): string {
  return `${session.node === node ? "" : session.node}:${session.vnc_display}`;
}

/** Offers to show the user's own display when a program that they have started draws on it. */
export function offerDisplays(): void {
  frames$.subscribe((frame) => {
    if (frame.type !== "web_x_display_used" || current.peek().kind === "display") return;
    const { process } = frame;
    toast(`${process} opens its windows on your display.`, { action: { label: "Show it", run: () => showBeside({ kind: "display" }) } });
  });
}
