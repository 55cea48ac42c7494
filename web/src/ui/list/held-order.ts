/**
 * Rows that keep their place: those of `before` in their order with their newest values, even if they are gone, then the new ones.
 */
export function keepOrder<T>(before: readonly T[], now: readonly T[], keyOf: (row: T) => string): T[] {
  const found = new Map(now.map((row) => [keyOf(row), row]));
  const held = before.map((row) => {
    const key = keyOf(row);
    const newest = found.get(key) ?? row;
    found.delete(key);
    return newest;
  });
  return [...held, ...found.values()];
}
