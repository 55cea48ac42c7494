import { messageOf } from "../../../../base/errors.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import { masked, readSecret } from "../../../../files/secret.ts";
import type { WebhookWay } from "../../config-ways.ts";
import type { Notification } from "../../notification.ts";
import { bodyOf } from "./formats.ts";
import type { Outcome } from "./outcome.ts";

/** Maximum size of an answer that is read, bytes, and of the part that is shown, characters. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_SHOWN_CHARS = 200;
const MAX_REDIRECTS = 3;
/** Longest time that a receiver may request before the next attempt, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Answers after which another attempt can succeed, beside those of a defective server. */
const AGAIN = new Set([408, 425, 429]);

interface WebhookRequest {
  readonly way: WebhookWay;
  readonly notification: Notification;
  readonly instance: string;
  /** Folder of relative paths. */
  readonly base: string;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Sends a notification by POST. Never rejects. */
export async function sendWebhook({ way, notification, instance, base, signal }: WebhookRequest): Promise<Outcome> {
  const secrets: string[] = [];
  const secret = (where: Parameters<typeof readSecret>[0]) => {
    const value = readSecret(where, base);
    secrets.push(value);
    return value;
  };
  try {
    const address = typeof way.url === "string" ? way.url : secret(way.url);
    secrets.push(...secretParts(address));
    const body = bodyOf(way.format, { notification, instance, routingKey: way.routing_key && secret(way.routing_key) });
    const headers = {
      ...body.headers,
      "content-type": body.type,
      "idempotency-key": notification.key,
      "user-agent": "mgr",
      ...(way.token === null ? {} : { authorization: `Bearer ${secret(way.token)}` }),
    };
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(way.timeout)]);
    const response = await post(new URL(address), { headers, body: body.text, signal: attempt });
    const answer = visible((await beginningOf(response)).slice(0, MAX_SHOWN_CHARS));
    return outcomeOf(response, masked(answer === "" ? `${response.status}` : `${response.status}: ${answer}`, secrets));
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const text = isLate ? `no answer within ${way.timeout / 1_000} s` : `${messageOf(error)}${cause}`;
    return { kind: "again", text: masked(visible(text), secrets).slice(0, MAX_SHOWN_CHARS) };
  }
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Follows redirects that keep method and body, on the same origin only: another host must not get the headers and the text. */
async function post(address: URL, { headers, body, signal }: Post): Promise<Response> {
  let url = address;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    const isKept = response.status === 307 || response.status === 308;
    const location = response.headers.get("location");
    if (!isKept || location === null || redirects >= MAX_REDIRECTS || !URL.canParse(location, url.href)) return response;
    const next = new URL(location, url);
    if (next.origin !== url.origin) return response;
    await response.body?.cancel();
    url = next;
  }
}

/** The text of an answer, up to a limit; the rest is not received. */
async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    text += decoder.decode(value, { stream: true });
    if (size <= MAX_ANSWER_BYTES) continue;
    await reader.cancel();
    break;
  }
  return text.trim();
}

function outcomeOf({ ok, status, headers }: Response, text: string): Outcome {
  if (ok) return { kind: "sent", text };
  if (status >= 300 && status < 400)
    return { kind: "refused", text: `${text} (a redirect to another address, which is not followed: configure that address)` };
  if (status < 500 && !AGAIN.has(status)) return { kind: "refused", text };
  const after = Number(headers.get("retry-after") ?? Number.NaN) * 1_000;
  return { kind: "again", text, ...(after > 0 ? { afterMs: Math.min(after, MAX_RETRY_AFTER_MS) } : {}) };
}

/** The secret parts of an address: all behind the host, and the login before it. */
function secretParts(address: string): string[] {
  if (!URL.canParse(address)) return [address];
  const { username, password, pathname, search } = new URL(address);
  return [address, `${pathname}${search}`.length > 1 ? `${pathname}${search}` : "", password, username];
}
