import { poppedOut } from "../state/navigation.ts";
import { client } from "../state/store.ts";
import { downloadText } from "../ui/download.ts";
import type { OpenTerminal } from "./terminal.ts";

const MAX_DOWNLOADED_LINES = 100_000;

/** What can be done with the terminal of a process that is shown. */
export interface TerminalActions {
  terminal: OpenTerminal | null;
  search: () => void;
  togglePause: () => void;
}

const shown = new Map<string, TerminalActions>();

/** A process view tells what its terminal can do, for the palette; the newest view of a process counts. */
export function offerTerminal(name: string, actions: TerminalActions): () => void {
  shown.set(name, actions);
  return () => {
    if (shown.get(name) === actions) shown.delete(name);
  };
}

export function terminalOf(name: string): TerminalActions | undefined {
  return shown.get(name);
}

/** A terminal that the user waits for, whether it then takes the keyboard, and what has the focus until then. */
let coming: { box: Element; takesFocus: boolean; focused: Element | null } | null = null;

/** Called when a terminal that the user waits for begins to load. */
export function terminalComes(box: Element, takesFocus: boolean): void {
  coming = { box, takesFocus, focused: document.activeElement };
}

/** Called when it is there, or will not come. Returns whether it is still to take the keyboard. */
export function terminalArrived(box: Element | null): boolean {
  if (box === null || coming?.box !== box) return false;
  const isToFocus = coming.takesFocus && isTerminalComing();
  coming = null;
  return isToFocus;
}

/** Whether the user waits for a terminal that is still loading: not if the user has moved the focus since. */
export const isTerminalComing = (): boolean => coming !== null && document.activeElement === coming.focused;

/** Gives the keyboard to the terminal in a pane, also if it is still loading. Returns whether there is one. */
export function focusTerminal(pane: number): boolean {
  const box = document.querySelector(poppedOut ? ".terminal-box" : `[data-pane="${pane}"] .terminal-box`);
  const input = box?.querySelector<HTMLElement>(".xterm-helper-textarea");
  if (input) input.focus();
  else if (box) terminalComes(box, true);
  return box !== null;
}

/** Downloads all retained output of a process as a file. */
export async function download(name: string): Promise<void> {
  const backlog = await client.request({ type: "get_process_output", name, lines: MAX_DOWNLOADED_LINES });
  if (backlog.type !== "process_output_snapshot") return;
  downloadText(backlog.output, "text/plain", `${name.replaceAll("/", "-")}.txt`);
}
