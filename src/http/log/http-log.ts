/** Where src/http writes what a person should know. `msg` is a sentence; it may hold a client's words, so show it escaped. */
export type HttpLog = (level: "debug" | "info" | "warning" | "error", msg: string) => void;

/** Log text for a defect. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
