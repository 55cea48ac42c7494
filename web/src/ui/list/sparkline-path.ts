const POINTS = 60;

/** The path of a line of values, from 0 up to the highest, or to `least` if that is higher, with the newest at the right. */
export function pathOf(values: readonly number[], width: number, height: number, least = 0): string {
  const most = topOf(values, least);
  const step = width / (POINTS - 1);
  const left = width - (values.length - 1) * step;
  return values
    .map((value, index) => `${index === 0 ? "M" : "L"}${(left + index * step).toFixed(1)} ${heightOf(value, most, height).toFixed(1)}`)
    .join("");
}

/** The path of a level line across the whole width, on the scale of `pathOf` with it as `least`. */
export function levelOf(level: number, values: readonly number[], width: number, height: number): string {
  return `M0 ${heightOf(level, topOf(values, level), height).toFixed(1)}H${width}`;
}

const topOf = (values: readonly number[], least: number): number => Math.max(...values, least, Number.MIN_VALUE);
const heightOf = (value: number, most: number, height: number): number => height - 1 - (value / most) * (height - 2);
