/** Numbers of the CPUs in an affinity mask of the kernel, ascending. */
export function cpusOf(mask: Uint8Array): number[] {
  return [...mask].flatMap((byte, index) => [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bit) => (byte & (1 << bit) ? [8 * index + bit] : [])));
}
