/**
 * Rows that stay where they are: those of `before` in their order with what is known of them now, also those that are gone, then the new ones.
 */
export function heldRows<T>(before: readonly T[], now: readonly T[], keyOf: (row: T) => string): T[] {
  const found = new Map(now.map((row) => [keyOf(row), row]));
  const held = before.map((row) => {
    const key = keyOf(row);
    const newest = found.get(key) ?? row;
    found.delete(key);
    return newest;
  });
  return [...held, ...found.values()];
}
