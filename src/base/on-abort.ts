interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly tell: () => void;
}

const known = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `callback` when `signal` is aborted, until the returned function is called. The signal has one listener for all callbacks: Node
 * warns of a leak from the eleventh on, and many waits of a test share one signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, tell } = known.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    signal.removeEventListener("abort", tell);
    known.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const callbacks = new Set<() => void>();
  const tell = () => {
    for (const callback of [...callbacks]) callback();
  };
  signal.addEventListener("abort", tell, { once: true });
  const listeners = { callbacks, tell };
  known.set(signal, listeners);
  return listeners;
}
