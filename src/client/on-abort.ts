interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly tell: () => void;
}

const known = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `callback` when `signal` is aborted, until the returned function is called. However many wait, the signal has one
 * listener: Node warns of a leak from the eleventh on, and the signal of a whole test is given to many waits.
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
