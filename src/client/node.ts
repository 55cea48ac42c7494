import { WebSocket } from "ws";
import { type AnyErrorCode, MgrError } from "../base/errors.ts";
import { ManagerClient } from "./manager-client.ts";
import { type WebSocketLike, type WebSocketLinkOptions, webSocketLink } from "./websocket-link.ts";

export interface ConnectOptions {
  user?: string;
  password?: string;
  /** The manager's local token instead of user and password. */
  token?: string;
  /** A session cookie's value instead of user and password. */
  cookie?: string;
  /** A focused view (protocol.md, "GET /ws"). */
  view?: { single_process: string } | { single_group: string } | { log_only: true };
  retry?: WebSocketLinkOptions["retry"];
}

/** The WebSocket address of a manager's base address: http → ws, https → wss, and the path `/ws`. */
export function webSocketUrl(base: string, view: ConnectOptions["view"]): URL {
  const url = new URL(base);
  url.protocol = url.protocol === "https:" || url.protocol === "wss:" ? "wss:" : "ws:";
  url.pathname = "/ws";
  url.search = "";
  for (const [key, value] of Object.entries(view ?? {})) url.searchParams.set(key, value === true ? "1" : String(value));
  return url;
}

/** Connects to a manager from Node. `url` is its base address, for example `http://localhost:8130`. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<ManagerClient> {
  const headers: Record<string, string> = {};
  if (options.token !== undefined) headers.Authorization = `Bearer ${options.token}`;
  else if (options.cookie !== undefined) headers.Cookie = `mgr_web_session=${options.cookie}`;
  else if (options.user !== undefined) {
    headers.Authorization = `Basic ${Buffer.from(`${options.user}:${options.password ?? ""}`).toString("base64")}`;
  }
  const address = webSocketUrl(url, options.view);
  const link = webSocketLink({
    open: (fail) => open(address, headers, fail),
    // Throttled or shutting down is a matter of time.
    isFinal: (error) => error instanceof MgrError && error.code !== "busy" && error.code !== "host_unavailable",
    retry: options.retry ?? false,
  });
  const client = new ManagerClient(link);
  await client.opened();
  return client;
}

function open(url: URL, headers: Record<string, string>, fail: (error: Error) => void): WebSocketLike {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, handshakeTimeout: 10_000 });
  // A refused upgrade carries its reason as text: that is what a person has to read.
  socket.once("unexpected-response", (request, response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      if (text.length < 4_096) text += chunk;
    });
    response.once("close", () => {
      const status = response.statusCode ?? 0;
      fail(new MgrError(refusalCode(status), `${status}: ${text.trim()}`));
      request.destroy();
    });
  });
  return socket as WebSocketLike;
}

/** HTTP status of a refused upgrade → code (protocol-decisions, "HTTP"). */
function refusalCode(status: number): AnyErrorCode {
  if (status === 404) return "not_found";
  if (status === 400) return "bad_field";
  if (status === 429) return "busy";
  return status >= 500 ? "host_unavailable" : "forbidden";
}
