import { z } from "zod";
import { MgrError, messageOf } from "../../base/errors.ts";
import { MAX_MESSAGE_BYTES } from "../../contract/messages.ts";
import type { BusLog, BusMessage, HostBus } from "./bus-message.ts";
import { decodeAnswer, encodeError, encodeResult, jsonOf } from "./rpc-envelope.ts";

/** One kind of request: both ends check both schemas. A result may hold bytes in its field `data`. */
export interface Procedure<Request = unknown, Response extends object = object> {
  readonly request: z.ZodType<Request>;
  readonly response: z.ZodType<Response>;
  /** A faster check that returns what `request` would return; null: `request` has to check the value. */
  readonly quick?: (value: unknown) => Request | null;
}

/**
 * Sends the request within this call: requests of one caller arrive in the order of the calls. Rejects with the error of the
 * other side, `bad_field` or `too_large` (not sent), `busy`, `timeout`, `host_unavailable` (no responders, link lost), or
 * `internal` for an answer that does not fit its schema.
 */
export async function callProcedure<Request, Response extends object>(
  bus: HostBus,
  subject: string,
  procedure: Procedure<Request, Response>,
  call: { request: Request; timeoutMs: number },
): Promise<Response> {
  const bytes = Buffer.from(JSON.stringify(checkRequest(procedure, subject, call.request)));
  if (bytes.length > MAX_MESSAGE_BYTES) {
    throw new MgrError("too_large", `the request ${subject} has ${bytes.length} bytes, the limit is ${MAX_MESSAGE_BYTES}`);
  }
  const message = await bus.request(subject, bytes, { timeoutMs: call.timeoutMs });
  const result = procedure.response.safeParse(decodeAnswer(message.data));
  if (result.success) return result.data;
  throw new MgrError("internal", `the answer to ${subject} does not fit its schema: ${z.prettifyError(result.error)}`, {
    cause: result.error,
  });
}

/** Carries out one request; throws or rejects with MgrError. Called in the order of arrival, within the arrival. */
export type Handle<Request, Response> = (request: Request) => Promise<Response>;

/** Answers one message; never throws. Answers go out as they come, in any order. */
export async function answerProcedure<Request, Response extends object>(
  bus: HostBus,
  message: BusMessage,
  procedure: Procedure<Request, Response>,
  serve: { handle: Handle<Request, Response>; log: BusLog },
): Promise<void> {
  const { subject, reply } = message;
  // No await before `handle` is called: commands have to take effect in the order in which they came.
  const answer = await carryOut(message, procedure, serve.handle).catch((error: unknown) => encodeFailure(subject, error, serve.log));
  if (!reply) return;
  try {
    bus.publish(reply, answer);
  } catch (error) {
    // The requester's link is gone or full: it gets a time-out, and repeats the request if it still needs the answer.
    serve.log("warning", `the answer to ${subject} could not be sent: ${messageOf(error)}`);
  }
}

async function carryOut<Request, Response extends object>(
  message: BusMessage,
  procedure: Procedure<Request, Response>,
  handle: Handle<Request, Response>,
): Promise<Uint8Array> {
  const request = checkRequest(procedure, message.subject, jsonOf(message.data));
  const response = procedure.response.parse(await handle(request));
  const bytes = encodeResult(response);
  if (bytes.length <= MAX_MESSAGE_BYTES) return bytes;
  throw new Error(`the answer has ${bytes.length} bytes and should have been paged: the limit is ${MAX_MESSAGE_BYTES}`);
}

function encodeFailure(subject: string, error: unknown, log: BusLog): Uint8Array {
  if (error instanceof MgrError) return encodeError(error);
  log("error", `a defect while answering ${subject}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return encodeError(new MgrError("internal", `${subject} failed in a way that was not foreseen; the host's log has the details`));
}

function checkRequest<Request>({ request, quick }: Procedure<Request>, subject: string, value: unknown): Request {
  const known = quick?.(value) ?? null;
  if (known !== null) return known;
  const checked = request.safeParse(value);
  if (checked.success) return checked.data;
  const { error: cause } = checked;
  throw new MgrError("bad_field", `the request ${subject} does not fit its schema: ${z.prettifyError(cause)}`, { cause });
}
