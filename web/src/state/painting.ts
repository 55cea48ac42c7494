import { options } from "preact";

/** Delay of drawing in a hidden page, ms: it gets no frames, but its title still shows failures. */
const UNSEEN_MS = 300;

/**
 * Draws changes from the manager with the next frame, however many messages contain them: a thousand processes that start send a few thousand
 * messages. The user's own changes are drawn at once, before the next key.
 */
export function drawnWithNextFrame(change: () => void): void {
  const before = options.debounceRendering;
  options.debounceRendering = nextFrame;
  try {
    change();
  } finally {
    if (before) options.debounceRendering = before;
    else delete options.debounceRendering;
  }
}

function nextFrame(draw: () => void): void {
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    draw();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_MS);
}
