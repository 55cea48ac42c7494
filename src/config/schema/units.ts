import { MAX_DURATION_MS } from "../../base/timing/clock.ts";

const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const BYTES = { B: 1, KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 } as const;

export const DURATION_PATTERN = String.raw`^\d+(\.\d+)?(ms|s|m|h)$`;
export const SIZE_PATTERN = String.raw`^\d+(\.\d+)?(B|KiB|MiB|GiB)$`;

/** Milliseconds of "500ms", "5s", "2m", "1h" or a number of seconds; undefined if it is none of these or over 24 days. */
export function parseDuration(value: unknown): number | undefined {
  const milliseconds = typeof value === "number" ? value * 1_000 : measure(value, DURATION_PATTERN, MILLISECONDS);
  return milliseconds !== undefined && milliseconds >= 0 && milliseconds <= MAX_DURATION_MS ? Math.round(milliseconds) : undefined;
}

/** Bytes of "64KiB", "4MiB", "1GiB", "512B" or a number of bytes; undefined if it is none of these or no whole number. */
export function parseSize(value: unknown): number | undefined {
  const bytes = typeof value === "number" ? value : measure(value, SIZE_PATTERN, BYTES);
  return bytes !== undefined && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined;
}

/** The way in which a configuration writes a duration. */
export function durationText(milliseconds: number): string {
  return milliseconds % 1_000 === 0 ? `${milliseconds / 1_000}s` : `${milliseconds}ms`;
}

/** The way in which a configuration writes a size: in the largest unit in which it is a whole number. */
export function sizeText(bytes: number): string {
  const [unit, factor] = Object.entries(BYTES).findLast(([, each]) => bytes >= each && bytes % each === 0) ?? ["B", 1];
  return `${bytes / factor}${unit}`;
}

function measure(value: unknown, pattern: string, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value !== "string" || !new RegExp(pattern).test(value)) return undefined;
  const number = Number.parseFloat(value);
  const unit = units[value.replace(/^[\d.]+/, "")];
  return unit === undefined ? undefined : number * unit;
}
