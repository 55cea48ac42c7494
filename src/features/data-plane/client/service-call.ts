import { MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { subjectTokens } from "../../../base/topics/topic-subject.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { jsonText } from "../samples/json-text.ts";
import { ServiceError } from "./service-error.ts";

export interface CallOptions {
  /** Default: `call`. */
  endpoint?: string;
  /** Time-out in milliseconds; default 10 s. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

export function endpointSubject(service: string, endpoint: string): string {
  return `svc.${subjectTokens(service)}.${endpoint}`;
}

/**
 * Calls a service. Rejects with ServiceError (from the service), `not_found` (no client provides it), `timeout`, or `host_unavailable` (the
 * connection was lost meanwhile).
 */
export async function callService(bus: Bus, service: string, request: unknown, options: CallOptions): Promise<unknown> {
  const { endpoint = "call", timeoutMs = TIMEOUT_MS } = options;
  const message = await bus.request(endpointSubject(service, endpoint), jsonText(request), { timeoutMs }).catch((error: unknown) => {
    // The connection is up, so the error means that there are no responders.
    if (error instanceof MgrError && error.code === "host_unavailable" && bus.isConnected)
      throw new MgrError("not_found", `no client provides the service '${service}' with endpoint '${endpoint}'`, { cause: error });
    throw error;
  });
  const code = message.headers?.get("Nats-Service-Error-Code") ?? "";
  if (code !== "") throw new ServiceError(Number(code), message.headers?.get("Nats-Service-Error") ?? "the service failed");
  const value = parseJson(new TextDecoder().decode(message.data));
  if (value === undefined) throw new MgrError("bad_field", `the service '${service}' answered with something that is not JSON`);
  return value;
}
