import { clockSeconds } from "../../../ui/time.ts";

/** Labels of the time axis: the time of day, 0 to 24 h, with as many digits as neighbours need to differ. `times`: seconds since 1970. */
export function timeTexts(_plot: unknown, times: readonly (number | null)[], _axis: unknown, _space: unknown, step: number): string[] {
  const digits = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  return times.map((time) => (time === null ? "" : clockSeconds(time, digits)));
}
