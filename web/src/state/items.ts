/** The items sorted by name. */
export function inOrder<T extends { readonly name: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The list with an item inserted in order, or replaced. */
export function withItem<T extends { readonly name: string }>(items: readonly T[], item: T, keyOf: (item: T) => unknown): T[] {
  const key = keyOf(item);
  const at = items.findIndex((one) => keyOf(one) === key);
  return at >= 0 && items[at]?.name === item.name ? items.with(at, item) : inOrder([...items.filter((one) => keyOf(one) !== key), item]);
}
