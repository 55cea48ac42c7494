import { z } from "zod";
import { errorFrame, type Refusal } from "./encode.ts";
import type { RequestId } from "./field-kinds.ts";
import type { ClientFrameSpec, ManagerFrameSpec } from "./frame-table.ts";
import {
  CLIENT_FRAMES,
  type ClientFrameType,
  type ErrorFrame,
  MANAGER_FRAMES,
  type ManagerFrame,
  type ManagerFrameType,
} from "./frames.ts";

export type FailedResult = Extract<ManagerFrame, { ok: false }>;
export type RefusalFrame = ErrorFrame | FailedResult;

/** A request frame, decoded or not. Its fields are trusted to be JSON values only. */
export interface AskedFrame {
  readonly type: ClientFrameType;
  readonly request_id?: RequestId;
}

/** Maximum length of a naming field that is repeated in the answer: clients do not need longer ones to find their request. */
const MAX_REPEATED = 1_024;

/** Schemas of the naming fields by the type of the answer, each built for the first failure. */
const namings = new Map<string, z.ZodType<Readonly<Record<string, unknown>>>>();

/**
 * The answer to a failed frame (docs/design/wire-rules.md, "Answers and errors"): its result frame with `ok: false`, if it has one and its
 * naming fields can be read; otherwise `error`. Frames out of scope are always answered by `errorFrame`.
 */
export function refusalFrame(asked: AskedFrame, refusal: Refusal): RefusalFrame {
  return failedResult(asked, refusal) ?? errorFrame(refusal, asked);
}

function failedResult(asked: AskedFrame, { code, message }: Refusal): FailedResult | null {
  const { answer, fields, constant = {} }: ClientFrameSpec = CLIENT_FRAMES[asked.type];
  const naming = answer === null ? null : namingOf(answer);
  if (naming === null) return null;
  const named = Object.entries(asked).filter(([key]) => Object.hasOwn(fields, key));
  const read = naming.safeParse({ ...Object.fromEntries(named), ...constant });
  if (!read.success || Object.values<unknown>(read.data).some((value) => typeof value === "string" && value.length > MAX_REPEATED))
    return null;
  const echo = asked.request_id === undefined ? {} : { request_id: asked.request_id };
  // The naming schema of this type has just validated the fields.
  return { type: answer, ok: false, code, message, ...read.data, ...echo } as FailedResult;
}

/** Null: it is not the type of a result. */
function namingOf(answer: string): z.ZodType<Readonly<Record<string, unknown>>> | null {
  const known = namings.get(answer);
  if (known !== undefined) return known;
  const spec: ManagerFrameSpec | undefined = Object.hasOwn(MANAGER_FRAMES, answer) ? MANAGER_FRAMES[answer as ManagerFrameType] : undefined;
  if (spec?.kind !== "result") return null;
  const naming = z.object(spec.naming);
  namings.set(answer, naming);
  return naming;
}
