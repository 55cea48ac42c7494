import { z } from "zod";
import { isErrorCode, MgrError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";

/**
 * Answers on the bus. JSON `{ok: true, result}` or `{ok: false, error: {code, message, details}}`; a result whose field
 * `data` holds bytes has them behind the JSON instead:
 *
 *   u8 1 · u32 length of the JSON, big-endian · JSON without `data` · bytes of `data`
 */
const BINARY = 1;
const FIXED = 5;

const envelope = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.string(), message: z.string(), details: z.unknown() }) }),
]);

export function encodeResult(result: object): Uint8Array {
  const { data, ...rest } = result as { data?: unknown };
  if (!(data instanceof Uint8Array)) return Buffer.from(JSON.stringify({ ok: true, result }));
  const json = Buffer.from(JSON.stringify({ ok: true, result: rest }));
  const bytes = Buffer.allocUnsafe(FIXED + json.length + data.length);
  bytes.writeUInt8(BINARY, 0);
  bytes.writeUInt32BE(json.length, 1);
  bytes.set(json, FIXED);
  bytes.set(data, FIXED + json.length);
  return bytes;
}

export function encodeError(error: MgrError): Uint8Array {
  const { code, message, details } = error;
  return Buffer.from(JSON.stringify({ ok: false, error: { code, message, details } }));
}

/** Returns the result, unchecked. Throws the MgrError that was sent, or `internal` if the message is not an envelope. */
export function decodeAnswer(message: Uint8Array): unknown {
  const answer = envelope.safeParse(parse(message));
  if (!answer.success) throw new MgrError("internal", "the answer on the bus has an unknown format", { cause: answer.error });
  if (answer.data.ok) return answer.data.result;
  const { code, message: text, details } = answer.data.error;
  throw new MgrError(isErrorCode(code) ? code : "internal", text, { details });
}

function parse(message: Uint8Array): unknown {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
  if (bytes[0] !== BINARY) return jsonOf(bytes);
  const jsonEnd = bytes.length < FIXED ? Number.POSITIVE_INFINITY : FIXED + bytes.readUInt32BE(1);
  if (jsonEnd > bytes.length) return null;
  const answer = jsonOf(bytes.subarray(FIXED, jsonEnd));
  // A copy, so that the larger block of the message is not kept in memory.
  return withData(answer, Uint8Array.from(bytes.subarray(jsonEnd)));
}

/** Created once: creating a schema takes longer than the rest of an answer. */
const resultBeforeData = z.object({ ok: z.literal(true), result: z.looseObject({}) });

function withData(answer: unknown, data: Uint8Array): unknown {
  const parsed = resultBeforeData.safeParse(answer);
  return parsed.success ? { ok: true, result: { ...parsed.data.result, data } } : null;
}

/** The value of a message; undefined if it is not JSON. */
export function jsonOf(bytes: Uint8Array): unknown {
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
}
