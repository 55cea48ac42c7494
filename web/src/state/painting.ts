import { options } from "preact";

/** A page out of sight gets no frames; its title still tells what fails. Milliseconds. */
const UNSEEN_MS = 300;

/**
 * What comes from the manager is drawn with the next frame, however many messages bring it: a thousand processes that
 * start are a few thousand messages. What the user does is drawn at once, before the next key can come.
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
