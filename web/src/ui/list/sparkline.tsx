import { pathOf } from "./sparkline-path.ts";

interface Props {
  readonly values: readonly number[];
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
}

/** A line of values from 0 up, the newest at the right. */
export function Sparkline({ values, label, width = 96, height = 20 }: Props) {
  return (
    <svg class="sparkline" role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      {values.length > 1 && <path d={pathOf(values, width, height)} />}
    </svg>
  );
}
