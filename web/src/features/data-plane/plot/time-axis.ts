import type uPlot from "uplot";
import { clockSeconds } from "../../../ui/time.ts";

/** Width of a label, px. */
const LABEL_WIDTH = 64;

/** Labels of an axis that ends at the edge of its plot: those that have no room there are left out. */
export const insideTimeTexts: typeof timeTexts = (plot, times, ...rest) => {
  const last = plot.over.clientWidth - LABEL_WIDTH / 2;
  return timeTexts(plot, times, ...rest).map((text, index) => (plot.valToPos(times[index] ?? 0, "x") > last ? "" : text));
};

/** Labels of the time axis: the time of day, 0 to 24 h, with as many digits as neighbours need to differ. `times`: seconds since 1970. */
export function timeTexts(
  _plot: Pick<uPlot, "over" | "valToPos">,
  times: readonly (number | null)[],
  _axis: unknown,
  _space: unknown,
  step: number,
): string[] {
  const digits = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  return times.map((time) => (time === null ? "" : clockSeconds(time, digits)));
}
