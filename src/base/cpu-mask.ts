/** Numbers of the CPUs in an affinity mask of the kernel, ascending. */
export function cpusOf(mask: Uint8Array): number[] {
  return [...mask].flatMap((byte, index) => [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bit) => (byte & (1 << bit) ? [8 * index + bit] : [])));
}

/** Converts the protocol's `0,1,2,3,6` to `0-3,6`. */
export function cpuRanges(list: string): string {
  const ranges: [number, number][] = [];
  for (const cpu of list.split(",").map(Number)) {
    const last = ranges.at(-1);
    if (last?.[1] === cpu - 1) last[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
