import { type ClientOptions, WebSocket } from "ws";
import { type AnyErrorCode, MgrError } from "../../base/errors.ts";
import { certificateProblem } from "./certificate-problem.ts";
import { authorizationOf } from "./connect-options.ts";
import type { NodeConnectOptions } from "./node-options.ts";

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The manager pings every 20 s. If nothing arrives for this long, milliseconds, the other end is considered dead. */
const SILENCE_MS = 60_000;

/** Name of the cookie of a login. */
export const SESSION_COOKIE = "mgr_web_session";

/** Options of a WebSocket, with the credentials. */
export function webSocketOptions(
  options: Pick<NodeConnectOptions, "user" | "password" | "token" | "cookie" | "dial" | "ca">,
): ClientOptions {
  const headers: Record<string, string> = {};
  const authorization = authorizationOf(options);
  if (options.cookie !== undefined) headers.Cookie = `${SESSION_COOKIE}=${options.cookie}`;
  else if (authorization !== undefined) headers.Authorization = authorization;
  const { dial, ca } = options;
  return {
    headers,
    ...(dial === undefined ? {} : { createConnection: dial }),
    ...(ca === undefined ? {} : { ca: trusting(ca) }),
  };
}

/** Value of the TLS option `ca`: the well-known authorities are added, because the option replaces them. */
export function trusting(ca: string): string[] {
  // TLS takes some milliseconds to load, and the connection of a local command does not need it.
  return [...process.getBuiltinModule("node:tls").rootCertificates, ca];
}

/** Opens a WebSocket. `fail` is called with the reason if the manager refuses the connection. */
export function openWebSocket(url: URL, options: ClientOptions, fail: (error: Error) => void): WebSocket {
  const socket = new WebSocket(url, { ...options, perMessageDeflate: false, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
  socket.once("error", (cause) => {
    const problem = certificateProblem(cause);
    if (problem !== null) fail(new MgrError("forbidden", problem, { cause }));
  });
  // A refused upgrade has its reason as text, which is shown to the user.
  socket.once("unexpected-response", (request, response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      if (text.length < 4_096) text += chunk;
    });
    response.once("close", () => {
      const status = response.statusCode ?? 0;
      fail(new MgrError(refusalCode(status), refusalText(status, text.trim(), response.headers.location)));
      request.destroy();
    });
  });
  return socket;
}

/** Detects connections that break without a close, such as by an unplugged cable. */
export function endWhenSilent(socket: WebSocket): void {
  socket.once("open", () => {
    const timer = setTimeout(() => socket.terminate(), SILENCE_MS);
    socket.on("ping", () => timer.refresh());
    socket.on("message", () => timer.refresh());
    socket.once("close", () => clearTimeout(timer));
  });
}

/** The session in the cookies that an answer sets; null: it sets none. */
export function sessionOf(cookies: readonly string[] = []): string | null {
  const [, value = null] =
    cookies.map((cookie) => new RegExp(`^${SESSION_COOKIE}=([^;]*)`).exec(cookie)).find((match) => match !== null) ?? [];
  return value;
}

/** HTTP status of a refused upgrade → code (docs/design/wire-rules.md, "HTTP refusals"). */
function refusalCode(status: number): AnyErrorCode {
  if (status === 404) return "not_found";
  if (status === 400) return "bad_field";
  if (status === 429) return "busy";
  if (status === 401 || status === 403) return "forbidden";
  // `https_only` redirects all plain HTTP clients: a retry does not help.
  return status >= 300 && status < 400 ? "bad_field" : "host_unavailable";
}

/** The message of a refusal. */
export function refusalText(status: number, text: string, location: string | undefined): string {
  if (location !== undefined && status >= 300 && status < 400) return `${status}: redirected to ${location}; connect to that address`;
  if (status === 401) return `login refused (401): ${text}`;
  return status === 200 ? `the server at this address is not a manager: it answered 200: ${text.slice(0, 200)}` : `${status}: ${text}`;
}
