import { byteRate } from "../../../../src/client/shown/units.ts";

/** A rate in bytes per second; on narrow screens also that of the next column. */
export function BothRates({ first, second }: { first: number; second: number }) {
  return (
    <>
      <span class="rate">{byteRate(first)}</span>
      <span class="rate narrow soft">{byteRate(second)}</span>
    </>
  );
}
