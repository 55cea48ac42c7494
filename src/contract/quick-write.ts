import { RUN_ID } from "./run.ts";

const MAX_SESSION_UNITS = 64;

/** The request `write` as it is made for each key (protocol/quick-stdin.ts): what the schema would return, or null, and the schema has to look. */
export function quickWrite(value: unknown): { session: string; run_id: string; text: string } | null {
  if (value === null || typeof value !== "object") return null;
  const { session, run_id, text } = value as Readonly<Record<string, unknown>>;
  if (typeof session !== "string" || session.length === 0 || session.length > MAX_SESSION_UNITS) return null;
  return typeof run_id === "string" && RUN_ID.test(run_id) && typeof text === "string" ? { session, run_id, text } : null;
}
