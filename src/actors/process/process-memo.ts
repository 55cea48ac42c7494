import { z } from "zod";
import { parseJson } from "../../base/json.ts";
import type { ProcessContext } from "./process-types.ts";

/** Maximum number of restarts in a memo; 4 KiB have room for about 350. */
const MAX_REMEMBERED = 256;
const count = z.number().int().min(0).max(1e12);
const memoShape = z.object({ restarts: count, attempt: count, failures: count, ago: z.array(count).max(MAX_REMEMBERED) });

/** Writes the restart counters of a run for the next manager; `ago` counts from the run's spawn. */
export function writeMemo(context: ProcessContext): string {
  const now = context.clock.monotonic();
  const ago = context.restartTimes.slice(-MAX_REMEMBERED).map((time) => Math.round(now - time));
  const { restarts, attempt, failures } = context;
  return JSON.stringify({ restarts, attempt, failures, ago });
}

/** Reads a memo; `began` is the monotonic time of the run's spawn. A foreign memo or one of another version is ignored. */
export function readMemo(memo: string, began: number): Pick<ProcessContext, "restarts" | "attempt" | "failures" | "restartTimes"> {
  const parsed = memoShape.safeParse(parseJson(memo));
  if (!parsed.success) return { restarts: 0, attempt: 0, failures: 0, restartTimes: [] };
  const { ago, ...counters } = parsed.data;
  return { ...counters, restartTimes: ago.map((each) => began - each) };
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
  return parsed !== null && typeof parsed === "object" ? (parsed as Record<string, unknown>)[key] : undefined;
}
