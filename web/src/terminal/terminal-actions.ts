import { poppedOut } from "../state/navigation.ts";
import { client } from "../state/store.ts";
import { downloadText } from "../ui/browser/download.ts";
import type { OpenTerminal } from "./terminal.ts";

const MAX_DOWNLOADED_LINES = 100_000;

/** The actions on the terminal of a shown process. */
export interface TerminalActions {
  terminal: OpenTerminal | null;
  search: () => void;
  togglePause: () => void;
}

const shown = new Map<string, TerminalActions>();

/** Registers the terminal of a process view, for the palette; the newest view of a process counts. Returns a function that unregisters it. */
export function offerTerminal(name: string, actions: TerminalActions): () => void {
  shown.set(name, actions);
  return () => {
    if (shown.get(name) === actions) shown.delete(name);
  };
}

export function terminalOf(name: string): TerminalActions | undefined {
  return shown.get(name);
}

/** The terminal that the user waits for, whether it then takes the focus, and the element that has the focus until then. */
let coming: { box: Element; takesFocus: boolean; focused: Element | null } | null = null;

/** Called when a terminal that the user waits for begins to load. */
export function terminalComes(box: Element, takesFocus: boolean): void {
  coming = { box, takesFocus, focused: document.activeElement };
}

/** Called when the terminal is loaded, or will not be. Returns whether it should still take the focus. */
export function terminalArrived(box: Element | null): boolean {
  if (box === null || coming?.box !== box) return false;
  const isToFocus = coming.takesFocus && isTerminalComing();
  coming = null;
  return isToFocus;
}

/** Whether the user waits for a terminal that is still loading; false if the user has moved the focus since. */
export const isTerminalComing = (): boolean => coming !== null && document.activeElement === coming.focused;

/** Focuses the terminal in a pane, even if it is still loading. Returns whether there is one. */
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
