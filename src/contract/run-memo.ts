import { z } from "zod";
import { parseJson } from "../base/json.ts";
import { NO_RESTARTS, type RestartCounters } from "./restart-policy.ts";

/** Maximum number of restarts in a memo; 4 KiB have room for about 350. */
const MAX_REMEMBERED = 256;
const count = z.int().min(0).max(1e12);
const memoShape = z.object({ restarts: count, attempt: count, failures: count, ago: z.array(count).max(MAX_REMEMBERED) });

/** Writes the restart counters of a run that is about to begin, for the next manager and for a host without one; `ago` counts from `now`. */
export function writeMemo({ restarts, attempt, failures, restartTimes }: RestartCounters, now: number): string {
  const ago = restartTimes.slice(-MAX_REMEMBERED).map((time) => Math.round(now - time));
  return JSON.stringify({ restarts, attempt, failures, ago });
}

/** Reads a memo; `began` is the monotonic time of the run's spawn. A foreign memo or one of another version is ignored. */
export function readMemo(memo: string, began: number): RestartCounters {
  const parsed = memoShape.safeParse(parseJson(memo));
  if (!parsed.success) return NO_RESTARTS;
  const { ago, ...counters } = parsed.data;
  return { ...counters, restartTimes: ago.map((each) => began - each) };
}

/** The memo of the run after one with `memo`: with other counters, and the same notes. */
export function nextMemo(memo: string, counters: RestartCounters, now: number): string {
  const whole = parseJson(memo);
  const { restarts: _restarts, attempt: _attempt, failures: _failures, ago: _ago, ...notes } = isObject(whole) ? whole : {};
  return Object.entries(notes).reduce((next, [key, note]) => withNote(next, key, note), writeMemo(counters, now));
}

/** Maximum length of a memo that the host keeps, characters. */
const MAX_MEMO_LENGTH = 4_096;

/** Adds a value under `key` to a memo, as JSON. The oldest restarts are dropped to make room for it. */
export function withNote(memo: string, key: string, value: unknown): string {
  const whole = { ...(parseJson(memo) as object), [key]: value };
  const parsed = memoShape.safeParse(whole);
  const ago = parsed.success ? [...parsed.data.ago] : [];
  for (;;) {
    const text = JSON.stringify({ ...whole, ago });
    if (text.length <= MAX_MEMO_LENGTH) return text;
    // No restarts are left to drop: the value is too long, and the counters matter more.
    if (ago.length === 0) return memo;
    ago.splice(0, Math.ceil(ago.length / 2));
  }
}

/** The value under `key`; undefined if the memo has none. */
export function readNote(memo: string, key: string): unknown {
  if (!memo.includes(`"${key}"`)) return undefined;
  const parsed = parseJson(memo);
  return isObject(parsed) ? parsed[key] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object";
}
