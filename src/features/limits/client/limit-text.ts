import { memoryText } from "../../../client/shown/load-text.ts";
import { byteRate, spanText } from "../../../client/shown/units.ts";
import type { Measure } from "../measures.ts";
import type { ReachedLimit } from "../wire.ts";

const WORDS: Record<Measure, string> = {
  memory: "memory",
  cpu: "CPU",
  descriptors: "open descriptors",
  run_time: "run time",
  log_growth: "output",
};

const FIGURES: Record<Measure, (figure: number) => string> = {
  memory: memoryText,
  cpu: (percent) => `${percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`,
  descriptors: String,
  run_time: spanText,
  log_growth: byteRate,
};

/** Which figure was over which limit for how long: "memory 2.10 GiB, over 2.00 GiB for 31 s". */
export function reachedText({ measure, value, above, over_ms }: Pick<ReachedLimit, "measure" | "value" | "above" | "over_ms">): string {
  const figure = FIGURES[measure];
  // A figure just over its limit may read as the limit itself.
  return `${WORDS[measure]} ${figure(value)}, over ${figure(above)}${over_ms === 0 ? "" : ` for ${spanText(over_ms)}`}`;
}

const DONE = { notify: "", restart: "restarted", stop: "stopped" };

/** Why a process needs attention: one part of a sentence for each limit. */
export function limitReasons(reached: readonly ReachedLimit[], time: (timestamp: string) => string): string[] {
  return reached.map((limit) => {
    const { action, at, times } = limit;
    const done = DONE[action] === "" ? `since ${time(at)}` : `${DONE[action]} at ${time(at)}`;
    return `${reachedText(limit)} (${done}${times > 1 ? `, ${times} times` : ""})`;
  });
}
