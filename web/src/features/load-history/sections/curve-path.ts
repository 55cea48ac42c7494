/** CPU that fills the height of a curve at least, percent: what hardly works has a flat curve. */
const LEAST_SCALE = 20;

/** The path of a curve from 0 up in a box; null values are gaps. */
export function curvePath(values: readonly (number | null)[], { width, height }: { width: number; height: number }): string {
  const most = Math.max(LEAST_SCALE, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  let path = "";
  let isGap = true;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isGap = true;
      continue;
    }
    const place = `${(index * step).toFixed(1)} ${(height - 1 - (value / most) * (height - 2)).toFixed(1)}`;
    // A single point is drawn by its round ends.
    path += isGap ? `M${place}L${place}` : `L${place}`;
    isGap = false;
  }
  return path;
}
