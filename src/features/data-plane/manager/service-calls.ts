import { MgrError, messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import type { BusMessage } from "../../../bus/broker/bus-message.ts";
import { isInbox, mayCross } from "../../../bus/broker/leaf/link-filter.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import type { KnownService } from "./broker-tables.ts";

/** Name of the interface in the metadata of a service, "" if it has none. */
export function interfaceName({ record }: KnownService): string {
  const parsed = parseJson(record.interface);
  const name = parsed !== null && typeof parsed === "object" && "name" in parsed ? parsed.name : "";
  return typeof name === "string" ? name : "";
}

/**
 * Calls an endpoint of a service and resolves with its JSON answer. Rejects with `not_found`, `host_unavailable`, `timeout`, and with `bad_field` or
 * `conflict` with the message of the service.
 */
export async function callEndpoint(
  bus: Promise<Bus> | null,
  service: KnownService,
  call: { readonly endpoint: string; readonly request: unknown; readonly timeoutMs: number },
): Promise<unknown> {
  const { name, endpoints } = service.record;
  const what = `'${call.endpoint}' of service '${name}'`;
  const subject = endpoints.find((each) => each.name === call.endpoint)?.subject;
  if (subject === undefined) {
    const known = endpoints.map((each) => each.name).join(", ") || "none";
    throw new MgrError("not_found", `service '${name}' has no endpoint '${call.endpoint}'; it has: ${known}`);
  }
  if (!isServable(subject)) throw new MgrError("conflict", `${what} was not called: services must not have the subject '${subject}'`);
  if (bus === null) throw new MgrError("host_unavailable", `${what} was not called: this manager has no bus`);
  const late = () => new MgrError("timeout", `${what} did not answer within ${call.timeoutMs / 1_000} s`);
  const deadline = performance.now() + call.timeoutMs;
  const open = await withTimeout(bus, call.timeoutMs, late);
  const left = Math.max(0, deadline - performance.now());
  const answer = await withTimeout(request(open, subject, call), left, late).catch((error: unknown) => {
    const isSilent = error instanceof MgrError && error.code === "host_unavailable";
    throw isSilent ? new MgrError("host_unavailable", `${what} was not called: ${messageOf(error)}`, { cause: error }) : error;
  });
  return resultOf(what, answer);
}

/**
 * Whether the manager may call a service on this subject. Services choose their subjects, and the manager may publish on every subject. It must not
 * be tricked into commanding a host, answering a request of another client, or publishing another client's topic.
 */
export function isServable(subject: string): boolean {
  return mayCross(subject) && !isInbox(subject) && !/^(\$|topic\.)/.test(subject);
}

function request(bus: Bus, subject: string, call: { request: unknown; timeoutMs: number }): Promise<BusMessage> {
  // The caller's time-out ends first.
  return bus.request(subject, JSON.stringify(call.request), { timeoutMs: call.timeoutMs + 1_000 });
}

function resultOf(what: string, { data, headers }: BusMessage): unknown {
  const code = headers?.get("Nats-Service-Error-Code") ?? "";
  if (code !== "") {
    const words = headers?.get("Nats-Service-Error") || "it gave no reason";
    throw new MgrError(code === "400" ? "bad_field" : "conflict", `${what} failed: ${words} (code ${code})`);
  }
  const text = Buffer.from(data).toString();
  if (text === "") return null;
  const value = parseJson(text);
  if (value === undefined) throw new MgrError("conflict", `${what} answered something that is not JSON`);
  return value;
}
