/** The ports from `first` to `last`. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const MAX_PORT = 65_535;

export const EVERY_PORT: PortRange = { first: 1, last: MAX_PORT };

/** The range that `8080`, `"8080"` or `"8000-8010"` means; null: it is none. */
export function parsePortRange(value: unknown): PortRange | null {
  const [, from, to = from] =
    /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(typeof value === "number" ? String(value) : typeof value === "string" ? value : "") ?? [];
  const [first, last] = [Number(from ?? 0), Number(to ?? 0)];
  return first >= 1 && first <= last && last <= MAX_PORT ? { first, last } : null;
}

export function includesPort(ranges: readonly PortRange[], port: number): boolean {
  return ranges.some(({ first, last }) => port >= first && port <= last);
}
