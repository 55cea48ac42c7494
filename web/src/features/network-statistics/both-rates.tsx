import { byteRate } from "../../../../src/client/shown/units.ts";

/** Bytes a second; where there is little room those of the next column, too. */
export function BothRates({ first, second }: { first: number; second: number }) {
  return (
    <>
      <span class="rate">{byteRate(first)}</span>
      <span class="rate narrow soft">{byteRate(second)}</span>
    </>
  );
}
