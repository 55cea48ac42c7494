interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

const known = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `callback` when `signal` is aborted, until the returned function is called. The signal has one listener for all callbacks: Node
 * warns of a leak from the eleventh on, and many waits of a test share one signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, notify } = known.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    signal.removeEventListener("abort", notify);
    known.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const callbacks = new Set<() => void>();
  const notify = () => {
    for (const callback of [...callbacks]) callback();
  };
  signal.addEventListener("abort", notify, { once: true });
  const listeners = { callbacks, notify };
  known.set(signal, listeners);
  return listeners;
}
