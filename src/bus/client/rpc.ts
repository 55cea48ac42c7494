import { z } from "zod";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import { MAX_MESSAGE_BYTES } from "../../contract/messages.ts";
import type { BusMessage, HostBus } from "../broker/bus-message.ts";
import { decodeAnswer, encodeError, encodeResult, jsonOf } from "./rpc-envelope.ts";

/**
 * Sends the request within this call: requests of one caller arrive in the order of the calls. Rejects with the error of the
 * other side, `too_large` (not sent), `busy`, `timeout`, `host_unavailable` (no responders, link lost), or
 * `internal` for an answer that does not fit its schema.
 */
export async function callProcedure<Response extends object>(
  bus: HostBus,
  subject: string,
  response: z.ZodType<Response>,
  call: { request: object; timeoutMs: number },
): Promise<Response> {
  const bytes = Buffer.from(JSON.stringify(call.request));
  if (bytes.length > MAX_MESSAGE_BYTES) {
    throw new MgrError("too_large", `the request ${subject} has ${bytes.length} bytes, the limit is ${MAX_MESSAGE_BYTES}`);
  }
  const message = await bus.request(subject, bytes, { timeoutMs: call.timeoutMs });
  const result = response.safeParse(decodeAnswer(message.data));
  if (result.success) return result.data;
  throw new MgrError("internal", `the answer to ${subject} does not fit its schema: ${z.prettifyError(result.error)}`, {
    cause: result.error,
  });
}

/** Checks and carries out one request; throws or rejects with MgrError. Called in the order of arrival, within the arrival. */
export type Handle = (request: unknown) => Promise<object>;

/** Answers one message; never throws. Answers are sent when they are ready, in any order. */
export async function answerProcedure(bus: HostBus, message: BusMessage, serve: { handle: Handle; log: WarningLog }): Promise<void> {
  const { subject, reply } = message;
  // No await before `handle` is called: commands have to take effect in the order of their arrival.
  const answer = await carryOut(message, serve.handle).catch((error: unknown) => encodeFailure(subject, error, serve.log));
  if (!reply) return;
  try {
    bus.publish(reply, answer);
  } catch (error) {
    // The requester's link is lost or full. Its request times out, and it repeats it if it still needs the answer.
    serve.log("warning", `the answer to ${subject} could not be sent: ${messageOf(error)}`);
  }
}

async function carryOut(message: BusMessage, handle: Handle): Promise<Uint8Array> {
  const bytes = encodeResult(await handle(jsonOf(message.data)));
  if (bytes.length <= MAX_MESSAGE_BYTES) return bytes;
  throw new Error(`the answer has ${bytes.length} bytes and should have been paged: the limit is ${MAX_MESSAGE_BYTES}`);
}

function encodeFailure(subject: string, error: unknown, log: WarningLog): Uint8Array {
  if (error instanceof MgrError) return encodeError(error);
  log("error", `a defect while answering ${subject}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return encodeError(new MgrError("internal", `${subject} failed with an internal error. See the host's log for details`));
}
