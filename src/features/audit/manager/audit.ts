import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";

type Ok<T> = Extract<T, { ok: true }>;
export type AuditRequest = Omit<FrameOf<"request_audit">, "type" | "request_id">;
export type AuditPage = Pick<Ok<AnswerOf<"request_audit">>, "entries" | "before" | "problem" | "unrecorded">;

/** The recorded commands. */
export interface Audit {
  /** Rejects with `bad_field` and `busy`. */
  page(request: AuditRequest): Promise<AuditPage>;
}
