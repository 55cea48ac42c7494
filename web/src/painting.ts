import { options } from "preact";

/** A page out of sight gets no frames; its title still tells what fails. Milliseconds. */
const UNSEEN_MS = 300;
/** Drawing what comes may take this share of the time; the rest is for keys and terminals. */
const SHARE = 1 / 3;
/** So much may be drawn at once before that counts. Milliseconds. */
const BURST_MS = 40;
/** The longest rest: a change is painted within 100 ms. */
const MOST_REST_MS = 50;

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

/** What drawing has taken beyond its share, milliseconds, and when that was counted. */
let owed = 0;
let countedAt = 0;

function count(took: number): void {
  const now = performance.now();
  owed = Math.max(0, owed - (now - countedAt) * SHARE) + took;
  countedAt = now;
}

function nextFrame(draw: () => void): void {
  count(0);
  const rest = Math.min(MOST_REST_MS, (owed - BURST_MS) / SHARE);
  if (rest > 0) setTimeout(() => inFrame(draw), rest);
  else inFrame(draw);
}

function inFrame(draw: () => void): void {
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    const begin = performance.now();
    draw();
    count(performance.now() - begin);
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_MS);
}
