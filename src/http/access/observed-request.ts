import type { Principal } from "../../base/access/principal.ts";
import type { CommandObserver, CommandOutcome, CommandRefusal, ObservedCommand } from "../../base/command-observer.ts";
import { type ErrorCode, MgrError } from "../../base/errors.ts";
import { LOGIN_TOKEN, URL_TOKEN } from "../auth/authenticate.ts";
import { clientName } from "../request/client-name.ts";
import { type Refusal, refusal, refusalResponse } from "../request/refusal.ts";
import type { RequestHeaders } from "../request/request-headers.ts";
import { REQUEST_TOKEN } from "./proof.ts";

/** Parameters that prove who sends a request, and are none of its arguments. */
const PROOFS = new Set([LOGIN_TOKEN, URL_TOKEN, REQUEST_TOKEN, "client"]);
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "bad_field",
  401: "forbidden",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "too_large",
  500: "internal",
};

interface Request {
  readonly method: string;
  readonly url: URL;
  readonly headers: RequestHeaders;
  readonly principal: Principal;
}

/** Carries out an HTTP request that changes something, once the observer has seen it. */
export async function observedRequest(observer: CommandObserver, request: Request, handle: () => Promise<Response>): Promise<Response> {
  const end = await Promise.resolve(observer.before(commandOf(request))).catch(asMgrError);
  if (end instanceof MgrError) return refusalResponse(refusal(503, `${end.message}.`));
  try {
    const response = await handle();
    end(outcomeOf(response));
    return response;
  } catch (error) {
    end({ ok: false, code: "internal", message: "Internal error. See the manager's log for details." });
    throw error;
  }
}

/** A request of a user who may not send it, and why. */
export function refusedRequest(request: Request, { text }: Refusal): [ObservedCommand, CommandRefusal] {
  return [commandOf(request), { ok: false, code: "forbidden", message: text }];
}

function commandOf({ method, url, headers, principal }: Request): ObservedCommand {
  const args = Object.fromEntries([...url.searchParams].filter(([name]) => !PROOFS.has(name)));
  const client = clientName(headers, url.searchParams);
  const target = url.searchParams.get("name");
  return { name: `${method} ${url.pathname}`, sender: principal, client, requestId: null, target, args, secrets: [] };
}

function outcomeOf({ status, ok }: Response): CommandOutcome {
  return ok ? { ok } : { ok, code: CODES[status] ?? "host_unavailable", message: `HTTP status ${status}` };
}

function asMgrError(error: unknown): MgrError {
  if (error instanceof MgrError) return error;
  throw error;
}
