/** `mgr/client` in a browser: the same API, over the browser's own WebSocket. */
import { MgrError } from "../base/errors.ts";
import type { ClientFrame } from "../protocol/frames/frames.ts";
import { authorizationOf, type ConnectOptions, checkConnectOptions, linkBehaviour, webSocketUrl } from "./link/connect-options.ts";
import { type WebSocketLike, type WebSocketLinkOptions, webSocketLink } from "./link/websocket-link.ts";
import { ManagerClient } from "./manager-client.ts";

export * from "./common.ts";

/**
 * Connects to a manager from a page. A page cannot add credentials to a WebSocket's request: `user` and `password`, or `token`, are first exchanged for
 * the session cookie, which the browser then sends by itself. The manager answers pages of its own origin, and of `allowed_origins` on the
 * same site; to pages of other sites the browser gives no cookie (docs/security.md, "Pages of other origins"). Rejects with MgrError:
 * `forbidden` (the login), `bad_field` (`cookie`), `host_unavailable`.
 */
export async function connect(url: string, options: ConnectOptions = {}): Promise<ManagerClient> {
  checkConnectOptions(options);
  if (options.cookie !== undefined)
    throw new MgrError("bad_field", "a page cannot send a cookie of its own: give user and password, or log in to the manager's page");
  const address = webSocketUrl(url, options.view, options.client);
  const authorization = authorizationOf(options);
  if (authorization !== undefined) await logIn(url, authorization);
  const client = new ManagerClient(browserLink(address, linkBehaviour(options)));
  await client.opened();
  return client;
}

/** A frame that changes nothing and that the view of the connection allows. */
const probeOf = (address: URL | string): ClientFrame =>
  new URL(address).searchParams.has("log_only")
    ? { type: "request_logs", limit: 1, request_id: "alive" }
    : { type: "unsubscribe_process_output", patterns: [], request_id: "alive" };

/** A link over the browser's own WebSocket. `open`: opens it in another way. */
export function browserLink(
  address: URL | string,
  behaviour: ReturnType<typeof linkBehaviour> & Partial<Pick<WebSocketLinkOptions, "open">> = {},
) {
  return webSocketLink({ open: () => new WebSocket(address) as unknown as WebSocketLike, probe: probeOf(address), ...behaviour });
}

async function logIn(url: string, authorization: string): Promise<void> {
  const address = new URL("/mgr/log?limit=1", url.replace(/^ws/, "http"));
  // First without the browser's own credentials: if those are refused, the browser prompts its user and does not answer meanwhile. Then
  // once more with them, because the browser does not store the cookie otherwise.
  for (const credentials of ["omit", "include"] as const) {
    const response = await fetch(address, { headers: { authorization }, credentials }).catch((cause: unknown) => {
      throw new MgrError("host_unavailable", `${address.origin} does not respond, or does not accept pages of another origin`, { cause });
    });
    const text = await response.text();
    if (!response.ok) throw new MgrError(response.status === 429 ? "busy" : "forbidden", `${response.status}: ${text.trim()}`);
  }
}
