/** What one turn of the event loop may spend, milliseconds: keys that are typed into a terminal wait behind it. */
const SLICE_MS = 5;

/** Does long work a slice a turn, so that everything else runs in between. */
export async function inSlices(steps: Iterator<void>): Promise<void> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      if (steps.next().done) return;
    } while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
