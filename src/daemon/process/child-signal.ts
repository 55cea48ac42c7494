const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

/** Calls back on SIGCHLD; returns the way to stop. One handler for all hosts of this program: Node warns of the eleventh. */
export function onChildSignal(listener: () => void): () => void {
  if (listeners.size === 0) process.on("SIGCHLD", tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) process.off("SIGCHLD", tell);
  };
}
