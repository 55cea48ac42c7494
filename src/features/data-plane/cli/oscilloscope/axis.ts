export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Margin above and below the values, as a part of their range. */
const MARGIN = 0.05;
const MAX_DIGITS = 6;

/** Ticks at round values in `range`, at most `most`. */
export function ticks({ low, high }: Range, most: number): number[] {
  const step = roundStep((high - low) / Math.max(1, most - 1));
  const first = Math.ceil(low / step);
  const count = Math.min(most, Math.floor(high / step + 1e-9) - first + 1);
  // Ticks are products, because sums would accumulate errors.
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step);
}

/** The range with a margin, never empty. */
export function fitted({ low, high }: Range): Range {
  if (!(high >= low)) return { low: -1, high: 1 };
  const size = high - low;
  const room = size > Math.abs(high) * 1e-12 ? size * MARGIN : Math.max(Math.abs(high) * 0.1, 1e-9) || 1;
  return { low: low - room, high: high + room };
}

/** A number as short text, exact enough for a screen: 0.1235, 1200, 1.5e-9. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4)
    return value
      .toExponential(3)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  const text = value.toPrecision(MAX_DIGITS);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Rounds up to 1, 2 or 5 times a power of ten, not less than `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}
