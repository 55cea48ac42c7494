import { client } from "../app/store.ts";
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

/** A terminal that takes the keyboard as soon as it is loaded, and what has the focus until then. */
let coming: { box: Element; focused: Element | null } | null = null;

/** Called when a terminal that is to take the keyboard begins to load. */
export function terminalComes(box: Element): void {
  coming = { box, focused: document.activeElement };
}

/** Called when it is there, or will not come. Returns whether it is still to take the keyboard. */
export function terminalArrived(box: Element | null): boolean {
  if (box === null || coming?.box !== box) return false;
  const isComing = isTerminalComing();
  coming = null;
  return isComing;
}

/** Whether a terminal takes the keyboard as soon as it is loaded: not if the user has moved the focus since. */
export const isTerminalComing = (): boolean => coming !== null && document.activeElement === coming.focused;

/** Gives the keyboard to the terminal in a pane, also if it is still loading. Returns whether there is one. */
export function focusTerminal(pane: number): boolean {
  const box = document.querySelector(`[data-pane="${pane}"] .terminal-box`);
  const input = box?.querySelector<HTMLElement>(".xterm-helper-textarea");
  if (input) input.focus();
  else if (box) terminalComes(box);
  return box !== null;
}

/** Downloads all retained output of a process as a file. */
export async function download(name: string): Promise<void> {
  const backlog = await client.request({ type: "get_process_output", name, lines: MAX_DOWNLOADED_LINES });
  if (backlog.type !== "process_output_snapshot") return;
  downloadText(backlog.output, "text/plain", `${name.replaceAll("/", "-")}.txt`);
}
