import type { OpenTerminal } from "./terminal.ts";

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

/** What has the focus until a terminal that loads takes it; null: none will. */
let coming: { focused: Element | null } | null = null;

/** Called when a terminal that is to take the keyboard begins to load. */
export function terminalComes(): void {
  coming = { focused: document.activeElement };
}

/** Called when it is there, or will not come. */
export function terminalArrived(): void {
  coming = null;
}

/** Whether a terminal takes the keyboard as soon as it is loaded: not if the user has moved the focus since. */
export const isTerminalComing = (): boolean => coming !== null && document.activeElement === coming.focused;

/** Gives the keyboard to the terminal in a pane, also if it is still loading. Returns whether there is one. */
export function focusTerminal(pane: number): boolean {
  const box = document.querySelector(`[data-pane="${pane}"] .terminal-box`);
  const input = box?.querySelector<HTMLElement>(".xterm-helper-textarea");
  if (input) input.focus();
  else if (box) terminalComes();
  return box !== null;
}

/** Everything that is kept of a process's output, as a file. */
export async function download(name: string): Promise<void> {
  const { downloadOutput } = await import("./terminal.ts");
  await downloadOutput(name);
}
