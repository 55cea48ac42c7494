import type { Trace } from "../plot/traces.ts";

/** The edge on which a trigger fires, or the side of the level on which each sample fires it. */
export const TRIGGER_KINDS = ["rising", "falling", "above", "below"] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];
/**
 * `auto`: scrolls while the trigger does not fire; `normal`: keeps what the last trigger has shown; `single`: pauses after the first one.
 */
export const TRIGGER_MODES = ["auto", "normal", "single"] as const;
export type TriggerMode = (typeof TRIGGER_MODES)[number];

/** Places the window of a plot where a trace crosses a level. */
export interface Trigger {
  readonly trace: Trace;
  readonly kind: TriggerKind;
  readonly level: number;
  readonly mode: TriggerMode;
  /** The share of the window before the trigger, from 0 to 1. */
  readonly before: number;
}
type Condition = Pick<Trigger, "kind" | "level">;

/** Finds where samples fulfil a condition; keeps the last sample, so that edges between two calls are found. */
export class TriggerSearch {
  readonly #condition: Condition;
  #time = Number.NaN;
  #value = Number.NaN;

  constructor(condition: Condition) {
    this.#condition = condition;
  }

  /**
   * Reads further samples. Returns the time of the first or last place where the trigger fires; null if it does not. The time of an edge is
   * interpolated. NaN is no value.
   */
  next(times: Float64Array, values: Float64Array, which: "first" | "last"): number | null {
    const { kind, level } = this.#condition;
    let found: number | null = null;
    for (let row = 0; row < times.length; row++) {
      const [time = 0, value = Number.NaN] = [times[row], values[row]];
      if (Number.isNaN(value)) continue;
      const [before, held] = [this.#time, this.#value];
      [this.#time, this.#value] = [time, value];
      if (!fires(kind, level, held, value)) continue;
      const isEdge = kind === "rising" || kind === "falling";
      found = isEdge ? before + ((level - held) / (value - held)) * (time - before) : time;
      if (which === "first") return found;
    }
    return found;
  }
}

function fires(kind: TriggerKind, level: number, before: number, now: number): boolean {
  switch (kind) {
    case "rising":
      return before < level && now >= level;
    case "falling":
      return before > level && now <= level;
    case "above":
      return now > level;
    case "below":
      return now < level;
  }
}
