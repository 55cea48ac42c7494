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

/** Everything that is kept of a process's output, as a file. */
export async function download(name: string): Promise<void> {
  const { downloadOutput } = await import("./terminal.ts");
  await downloadOutput(name);
}
