/** Items sorted by a value; those with equal values keep their order. */
export function sorted<T>(items: readonly T[], by: (item: T) => string | number, turned: boolean): T[] {
  const found = items.toSorted((one, other) => {
    const [left, right] = [by(one), by(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  return turned ? found.reverse() : found;
}
