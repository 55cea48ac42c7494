interface Items {
  labels: readonly string[];
  /** Index of the item that has the focus. */
  at: number;
}

/** The item of a menu that a key moves to; null if the key has no meaning. Letters move to the next label that begins with them. */
export function nextItem(key: string, { labels, at }: Items): number | null {
  const count = labels.length;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (Math.max(at, 0) - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key.length !== 1 || key === " ") return null;
  const letter = key.toLowerCase();
  for (let step = 1; step <= count; step++) {
    const index = (at + step) % count;
    if (labels[index]?.toLowerCase().startsWith(letter)) return index;
  }
  return null;
}
