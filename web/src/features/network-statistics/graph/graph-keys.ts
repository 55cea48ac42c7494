import type { Box } from "./graph-lines.ts";

/** Penalty for nodes that are more beside than ahead, px: they come after all nodes ahead. */
const FAR = 1e6;

/** The node that an arrow key moves to: the nearest in its direction, preferring nodes straight ahead; null if there is none. */
export function nodeTowards(boxes: ReadonlyMap<string, Box>, nodes: readonly string[], from: string, key: string): string | null {
  const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const own = boxes.get(from);
  if (direction === undefined || own === undefined) return null;
  const [right = 0, down = 0] = direction;
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of nodes) {
    const box = boxes.get(name);
    if (box === undefined || name === from) continue;
    const x = box.x + box.width / 2 - own.x - own.width / 2;
    const y = box.y + box.height / 2 - own.y - own.height / 2;
    const ahead = x * right + y * down;
    if (ahead <= 1) continue;
    const aside = Math.abs(x * down + y * right);
    const cost = ahead + 2 * aside + (aside > ahead ? FAR : 0);
    if (cost < least) [best, least] = [name, cost];
  }
  return best;
}
