import { MgrError } from "../../../base/errors.ts";
import { parseTime } from "../../../protocol/time.ts";
import { DEFAULT_POINTS } from "../series.ts";

/** Default length of a history, milliseconds. */
const DEFAULT_RANGE_MS = 3_600_000;

/** Throws `bad_field` for a range that is empty. */
export function rangeOf(
  { from, until, points = DEFAULT_POINTS }: { from?: string; until?: string; points?: number },
  now: number,
): { from: number; until: number; points: number } {
  const end = until === undefined ? now : parseTime(until);
  const begin = from === undefined ? end - DEFAULT_RANGE_MS : parseTime(from);
  if (begin >= end) throw new MgrError("bad_field", "'from' has to be before 'until'");
  return { from: begin, until: end, points };
}
