import type { z } from "zod";
import { parseJson } from "../../base/json.ts";
import { fitsInUtf8, hasLength, shortened } from "../../base/text/text-length.ts";
import { visible } from "../../base/text/visible-text.ts";
import { errorFrame } from "./encode.ts";
import { type RequestId, requestId } from "./field-kinds.ts";
import { CLIENT_FRAMES, type ClientFrame, type ClientFrameType, isClientFrameType } from "./frames.ts";
import { type RefusalFrame, refusalFrame } from "./refusal.ts";

/** Maximum size of a client frame, bytes of UTF-8 (docs/design/wire-rules.md, "Conventions for every frame"). */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Maximum length of an unknown type that is repeated in an answer, characters. */
const MAX_REPEATED_TYPE = 255;
const MAX_SHOWN_TYPE = 80;

export type Decoded = { ok: true; frame: ClientFrame; request_id?: RequestId } | { ok: false; error: RefusalFrame };

/**
 * Decodes the text of a WebSocket message: the client frame, or the error frame that answers it. Never throws. The fields of `frame` are
 * checked, unknown keys removed, and counts reduced to their maximum.
 */
export function decodeFrame(text: string): Decoded {
  if (!fitsInUtf8(text, MAX_FRAME_BYTES)) {
    return refuse(errorFrame({ code: "too_large", message: `The frame is over ${MAX_FRAME_BYTES} bytes.` }));
  }
  const json = parseJson(text);
  if (json === undefined) {
    return refuse(errorFrame({ code: "bad_json", message: `The frame is not JSON; send an object such as {"type":"get_snapshot"}.` }));
  }
  if (json === null || typeof json !== "object" || Array.isArray(json)) {
    return refuse(errorFrame({ code: "bad_frame", message: `The frame is not a JSON object; send one such as {"type":"get_snapshot"}.` }));
  }
  return decodeObject(json as Readonly<Record<string, unknown>>);
}

function decodeObject(json: Readonly<Record<string, unknown>>): Decoded {
  const id = Object.hasOwn(json, "request_id") ? requestId.safeParse(json.request_id) : undefined;
  const echo = id?.success ? { request_id: id.data } : {};
  const type = Object.hasOwn(json, "type") ? json.type : undefined;
  if (typeof type !== "string") {
    return refuse(errorFrame({ code: "bad_frame", message: "The frame has no 'type', or one that is not a string." }, echo));
  }
  if (!isClientFrameType(type)) {
    const answered = hasLength(type, 0, MAX_REPEATED_TYPE) ? { type, ...echo } : echo;
    return refuse(errorFrame({ code: "unknown_action", message: `unknown action '${shown(type)}'` }, answered));
  }
  const parsed = CLIENT_FRAMES[type].schema.safeParse(json);
  if (parsed.success) return { ok: true, frame: parsed.data, ...echo };
  const { request_id: _unchecked, ...asked } = json;
  return refuse(refusalFrame({ ...asked, type, ...echo }, { code: "bad_field", message: problemOf(type, json, parsed.error) }));
}

function refuse(error: RefusalFrame): Decoded {
  return { ok: false, error };
}

/** The first problem as a sentence: "'lines' of 'get_process_output' must be …". */
function problemOf(type: ClientFrameType, json: unknown, { issues }: z.ZodError): string {
  const [issue] = issues;
  if (!issue) return `A field of '${type}' is wrong.`;
  const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const missing = isMissing(json, issue.path) ? "is missing: it " : "";
  return `'${path.slice(1)}' of '${type}' ${missing}${issue.message}.`;
}

function isMissing(json: unknown, path: readonly PropertyKey[]): boolean {
  let value = json;
  for (const key of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return false;
}

/** An unknown type, for an error message: shortened, and without invisible characters. */
function shown(type: string): string {
  return visible(shortened(type, MAX_SHOWN_TYPE));
}
