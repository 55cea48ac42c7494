import type { DayPart } from "../../config.ts";

/** Whether a time of the wall clock is in one of the parts of the day, by local time. */
export function isQuiet(parts: readonly DayPart[], wall: number): boolean {
  if (parts.length === 0) return false;
  const at = new Date(wall);
  const minute = 60 * at.getHours() + at.getMinutes();
  return parts.some(({ from, until }) => (from < until ? from <= minute && minute < until : minute >= from || minute < until));
}
