import type { z } from "zod";

/**
 * The catalogue of errors. The code is for programs; the message is a sentence for people that says what to do.
 *
 * `wire: true` are the closed set of codes that a client may see (docs/design/wire-rules.md, "Conventions for every frame");
 * the others travel only between manager and host and are translated by `wireCode`.
 */
export const ERROR_CATALOGUE = {
  bad_json: { wire: true, meaning: "the text frame is not JSON" },
  bad_frame: { wire: true, meaning: "the frame is not one JSON object with a string `type` in a text frame" },
  unknown_action: { wire: true, meaning: "no frame of this type exists" },
  bad_field: { wire: true, meaning: "a field is missing, of the wrong type or out of range" },
  too_large: { wire: true, meaning: "the frame is over the size limit" },
  not_found: { wire: true, meaning: "no object with this name" },
  conflict: { wire: true, meaning: "the object is in a state that does not allow this" },
  not_running: { wire: true, meaning: "the process is not running" },
  host_unavailable: { wire: true, meaning: "the host's daemon cannot be reached" },
  out_of_scope: { wire: true, meaning: "outside the view of this focused connection" },
  timeout: { wire: true, meaning: "no response in time" },
  busy: { wire: true, meaning: "a bounded queue is full; try again later" },
  forbidden: { wire: true, meaning: "the user has no permission for this" },
  shutting_down: { wire: true, meaning: "the manager is shutting down and accepts no commands" },
  internal: { wire: true, meaning: "internal error; the log has the details" },
  stale_session: { wire: false, meaning: "the host requires a new hello before it accepts commands" },
  spawn_failed: { wire: false, meaning: "the program could not be started" },
} as const satisfies Record<string, { wire: boolean; meaning: string }>;

export type AnyErrorCode = keyof typeof ERROR_CATALOGUE;
type HostOnlyCode = "stale_session" | "spawn_failed";
/** The codes of the wire: what an `error` frame or a failed result frame may carry. */
export type ErrorCode = Exclude<AnyErrorCode, HostOnlyCode>;

export const ERROR_CODES = (Object.keys(ERROR_CATALOGUE) as AnyErrorCode[]).filter((code): code is ErrorCode => ERROR_CATALOGUE[code].wire);

/** An error with a code of the catalogue. Everything that is thrown on purpose is one. */
export class MgrError extends Error {
  override readonly name = "MgrError";
  readonly code: AnyErrorCode;
  /** Further facts for programs, for example the living run of a `conflict`. JSON values only. */
  readonly details: unknown;

  constructor(code: AnyErrorCode, message: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? null;
  }
}

/** The error for commands once the manager's shutdown has begun. */
export function shuttingDown(): MgrError {
  return new MgrError("shutting_down", "The manager is shutting down; nothing was done. Try again after it has been restarted (mgr up).");
}

export function isErrorCode(code: unknown): code is AnyErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CATALOGUE, code);
}

/** The code a client sees for `error`: host-only codes become `host_unavailable`, foreign errors `internal`. */
export function wireCode(error: unknown): ErrorCode {
  if (!(error instanceof MgrError)) return "internal";
  if (error.code === "stale_session") return "host_unavailable";
  if (error.code === "spawn_failed") return "conflict";
  return error.code;
}

/** Whether `error`, or one of its causes, is a disk that has no room left for this user. */
export function isDiskFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && (each.code === "ENOSPC" || each.code === "EDQUOT")) return true;
  return false;
}

/** The error for a start that a full disk does not allow. */
export function diskFull(stateDir: string, cause: unknown): MgrError {
  return new MgrError("conflict", `the disk of ${stateDir} is full: make room there, then start again (${messageOf(cause)})`, { cause });
}

const SHORTAGES = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EDQUOT"]);

/** Whether the system ran out of descriptors, memory or disk space: this is temporary, and independent of the request. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && SHORTAGES.has(error.code);
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The first problem of a value, for people: `parameters[0].type: expected string, received number`. `whole` names the value itself. */
export function firstIssue(error: z.ZodError, whole = "it"): string {
  const [issue] = error.issues;
  if (issue === undefined) return `${whole} is malformed`;
  const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `${path.replace(/^\./, "") || whole}: ${issue.message.replace(/^Invalid input: /, "")}`;
}
