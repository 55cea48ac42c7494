/** The log of src/http. `msg` is a sentence that may contain text from a client, so it must be escaped when shown. */
export type HttpLog = (level: "debug" | "info" | "warning" | "error", msg: string) => void;

/** Log text for an unexpected error. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
