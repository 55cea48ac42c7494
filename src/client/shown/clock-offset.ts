interface ClockOffset {
  /** A clock minus the one that it is compared with; null: it was not measured. */
  readonly offset_ms: number | null;
  /** The true offset differs from `offset_ms` by this much at most; null: it is not known. */
  readonly uncertainty_ms: number | null;
}

const DIGITS = 3;

/** Offset of a clock from another one: `+1300.021 ± 0.412 ms`; `same`: they are one clock; `not measured`. */
export function clockOffsetText({ offset_ms, uncertainty_ms }: ClockOffset): string {
  if (offset_ms === null) return "not measured";
  if (offset_ms === 0 && uncertainty_ms === 0) return "same";
  const offset = `${offset_ms < 0 ? "" : "+"}${offset_ms.toFixed(DIGITS)}`;
  return uncertainty_ms === null ? `${offset} ms` : `${offset} ± ${uncertainty_ms.toFixed(DIGITS)} ms`;
}
