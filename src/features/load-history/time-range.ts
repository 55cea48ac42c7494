import { z } from "zod";
import { parseTime } from "../../protocol/time.ts";

const timeSays = "must be a time such as 2026-11-21T08:14:02.123";
/** A time in a request. */
export const requestTime = z.string({ error: timeSays }).refine(isTime, { error: timeSays });

/** Fields of a request about a part of the past. */
export const timeRange = {
  from: requestTime.describe("By the clock of the host (events: of the manager); default an hour before 'until'.").exactOptional(),
  until: requestTime.describe("Default now.").exactOptional(),
};

function isTime(text: string): boolean {
  try {
    parseTime(text);
    return true;
  } catch {
    return false;
  }
}
