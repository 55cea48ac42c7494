import { z } from "zod";
import { errorFrame, type Refusal } from "./encode.ts";
import type { RequestId } from "./field-kinds.ts";
import { CLIENT_FRAMES, type ClientFrameType, type ErrorFrame, MANAGER_FRAMES, type ManagerFrame } from "./frames.ts";

export type FailedResult = Extract<ManagerFrame, { ok: false }>;
export type RefusalFrame = ErrorFrame | FailedResult;

/** A request frame, decoded or not. Its fields are trusted to be JSON values only. */
export interface AskedFrame {
  readonly type: ClientFrameType;
  readonly request_id?: RequestId;
}

/** Longer naming fields are not repeated: clients do not match by them, and they would be sent back. */
const MAX_REPEATED = 1_024;

const NAMING = new Map(
  Object.entries(MANAGER_FRAMES).flatMap(([type, entry]) => (entry.kind === "result" ? [[type, z.object(entry.naming)] as const] : [])),
);

/**
 * How a failed frame is answered (docs/design/wire-rules.md, "Answers and errors"): by its own result frame with `ok: false`
 * where there is one and the fields that name what was asked can be read, else by `error`.
 * Frames out of scope are always answered by `errorFrame`.
 */
export function refusalFrame(asked: AskedFrame, refusal: Refusal): RefusalFrame {
  return failedResult(asked, refusal) ?? errorFrame(refusal, asked);
}

function failedResult(asked: AskedFrame, { code, message }: Refusal): FailedResult | null {
  const { answer, fields, ...spec } = CLIENT_FRAMES[asked.type];
  const naming = answer === null ? undefined : NAMING.get(answer);
  if (!naming) return null;
  const named = Object.entries(asked).filter(([key]) => Object.hasOwn(fields, key));
  const read = naming.safeParse({ ...Object.fromEntries(named), ...("constant" in spec ? spec.constant : {}) });
  if (!read.success || Object.values<unknown>(read.data).some((value) => typeof value === "string" && value.length > MAX_REPEATED))
    return null;
  const echo = asked.request_id === undefined ? {} : { request_id: asked.request_id };
  // The naming schema of the answer has just validated what the table says of this type.
  return { type: answer, ok: false, code, message, ...read.data, ...echo } as FailedResult;
}
