import { effect, type ReadonlySignal } from "@preact/signals";

/**
 * Maximum time that the first drawing waits for the snapshot, ms. The snapshot is usually on its way: drawing the page without processes first
 * takes longer than the rest of the way, and a browser receives no messages while it draws. On a busy machine it comes up to 460 ms after the code.
 */
export const MAX_WAIT_MS = 500;

/** Draws the page once: when its state is known, when the connection has failed, or after `MAX_WAIT_MS`. */
export function drawFirst(connection: ReadonlySignal<{ readonly kind: "connecting" | "open" | "lost" }>, draw: () => void): void {
  let timer = setTimeout(begin, MAX_WAIT_MS);
  const stop = effect(() => {
    if (connection.value.kind === "connecting") return;
    clearTimeout(timer);
    // A task of its own, after the one that has read the snapshot.
    timer = setTimeout(begin);
  });
  function begin(): void {
    stop();
    draw();
  }
}
