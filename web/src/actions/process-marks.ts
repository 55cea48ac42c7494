/** A short text for a process that is marked, such as "new output"; null: it is not. Reads signals, so that what draws it is drawn again. */
export type ProcessMarker = (name: string) => string | null;

const markers: ProcessMarker[] = [];

/** Adds marks beside the names of processes, in the tree and in tables. */
export function addProcessMarker(marker: ProcessMarker): void {
  markers.push(marker);
}

/** The texts of the marks of a process; null: it has none. */
export function markOf(name: string): string | null {
  return markers.flatMap((marker) => marker(name) ?? []).join(", ") || null;
}
