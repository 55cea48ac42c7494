import { levelOf, pathOf } from "./sparkline-path.ts";

interface Props {
  readonly values: readonly number[];
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
  /** Drawn as a level line. */
  readonly limit?: number | null;
}

/** A line of values from 0 up, the newest at the right. */
export function Sparkline({ values, label, width = 96, height = 20, limit = null }: Props) {
  return (
    <svg class="sparkline" role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      {limit !== null && <path class="limit" d={levelOf(limit, values, width, height)} />}
      {values.length > 1 && <path d={pathOf(values, width, height, limit ?? 0)} />}
    </svg>
  );
}
