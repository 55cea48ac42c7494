import { cpusOf } from "../../../base/cpu-mask.ts";
import { readAffinity } from "../../../daemon/native/process-calls.ts";

/** CPU lists as text, by mask: thousands of tasks share few masks. */
const texts = new Map<string, string>();
const MAX_TEXTS = 1_000;

/** The CPUs that a task may run on: numbers with commas, ascending; null: there is no such task. */
export function affinityText(tid: number): string | null {
  const mask = readAffinity(tid);
  if (mask === null) return null;
  const key = mask.toString("latin1");
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size >= MAX_TEXTS) texts.clear();
  const text = cpusOf(mask).join(",");
  texts.set(key, text);
  return text;
}
