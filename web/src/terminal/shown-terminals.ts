import { signal } from "@preact/signals";

/** Number of terminals of this page that show a process, by its name. */
const shown = signal<ReadonlyMap<string, number>>(new Map());

/** Names of the processes with a terminal. */
export const namesWithTerminal = (): Iterable<string> => shown.value.keys();

/** Counts a terminal. Returns a function to call when it is closed, which calls `onLast` if it was the last one of the process. */
export function enterTerminal(name: string, onLast: () => void): () => void {
  shown.value = new Map(shown.peek()).set(name, (shown.peek().get(name) ?? 0) + 1);
  return () => {
    const left = new Map(shown.peek());
    const count = (left.get(name) ?? 1) - 1;
    if (count > 0) left.set(name, count);
    else left.delete(name);
    shown.value = left;
    if (count <= 0) onLast();
  };
}
