const BLOCKS = "▁▂▃▄▅▆▇█";

/** Values as blocks from 0 to the largest one; blanks where there is none. */
export function sparkline(values: readonly (number | null)[], most = Math.max(...values.map((value) => value ?? 0))): string {
  return values
    .map((value) => {
      if (value === null) return " ";
      const level = most <= 0 ? 0 : Math.floor((Math.max(0, value) / most) * BLOCKS.length);
      return BLOCKS[Math.min(level, BLOCKS.length - 1)];
    })
    .join("");
}
