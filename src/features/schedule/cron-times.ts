import { Cron } from "croner";
import { messageOf } from "../../base/errors.ts";

type CronTiming = { readonly pattern: string; readonly timezone: string | null };

/** Parsed expressions, by pattern and time zone: each is used again for every run. */
const parsed = new Map<string, Cron>();
/** Maximum number of parsed expressions that are kept: as many as different ones in a large configuration. */
const MAX_PARSED = 1_000;

/** The first time of the expression after `after`, both in Unix milliseconds; null: there is none. Throws for an invalid expression. */
export function nextCronTime(timing: CronTiming, after: number): number | null {
  return cronOf(timing).nextRun(new Date(after))?.getTime() ?? null;
}

/** The end of the sentence "the expression …", for one that cannot be used; null: it is valid. `now`: Unix milliseconds. */
export function cronProblem(pattern: string, now: number): string | null {
  const isNickname = /^@[a-z]+$/i.test(pattern);
  if (!isNickname && ![5, 6].includes(pattern.split(/\s+/).length))
    return "must have five fields (minute, hour, day of month, month, day of week), or six with seconds before them, or be a name such as @daily";
  try {
    return nextCronTime({ pattern, timezone: "UTC" }, now) === null ? "has no time at which the process would be started" : null;
  } catch (error) {
    return `is not valid: ${messageOf(error).replace(/^Cron\w+: /, "")}`;
  }
}

/** Whether the name is a time zone that this machine knows. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Croner only computes the times here: its timers trust the wall clock, and know nothing of runs that were missed. */
function cronOf({ pattern, timezone }: CronTiming): Cron {
  const key = `${timezone ?? ""}\0${pattern}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  // As in Vixie cron, a list of hours is a fixed time: it is neither left out nor repeated when the clocks change.
  const cron = new Cron(pattern, {
    paused: true,
    mode: "5-or-6-parts",
    fixedTimeRule: "no-wildcard",
    ...(timezone === null ? {} : { timezone }),
  });
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(key, cron);
  return cron;
}
