const POINTS = 60;

/** The path of a line of values, from 0 up to the highest, with the newest at the right. */
export function pathOf(values: readonly number[], width: number, height: number): string {
  const most = Math.max(...values, Number.MIN_VALUE);
  const step = width / (POINTS - 1);
  const left = width - (values.length - 1) * step;
  return values
    .map(
      (value, index) =>
        `${index === 0 ? "M" : "L"}${(left + index * step).toFixed(1)} ${(height - 1 - (value / most) * (height - 2)).toFixed(1)}`,
    )
    .join("");
}
