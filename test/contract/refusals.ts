import { isOfType } from "./check.ts";
import { CLIENT_FRAMES } from "./client-frames.ts";
import { MANAGER_FRAMES } from "./manager-frames.ts";

/**
 * What refuses a client frame: its own result frame with `ok: false` where its row has one and the fields that name
 * what was asked can be read, be they right or not; else `error` (docs/design/wire-rules.md, "Answers and errors").
 */
export function refusalOf(frame: Readonly<Record<string, unknown>>): { type: string; [field: string]: unknown } {
  const row = CLIENT_FRAMES[String(frame.type)];
  const naming = row?.answer == null ? undefined : MANAGER_FRAMES[row.answer]?.naming;
  // What is no field of the frame (`action`) is known without it.
  const asked = Object.entries(naming ?? {}).filter(([field]) => row !== undefined && Object.hasOwn(row.fields, field));
  const readable = asked.every(([field, type]) => isOfType(type, frame[field]));
  return row?.answer && naming && readable ? { type: row.answer, ok: false } : { type: "error", request_type: frame.type };
}
