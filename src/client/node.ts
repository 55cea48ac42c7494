import { FUNCTION, TEXT } from "../base/options.ts";
import { checkConnectOptions, linkBehaviour, webSocketUrl } from "./link/connect-options.ts";
import type { NodeConnectOptions } from "./link/node-options.ts";
import { endWhenSilent, openWebSocket, webSocketOptions } from "./link/node-websocket.ts";
import { type WebSocketLike, webSocketLink } from "./link/websocket-link.ts";
import { ManagerClient } from "./manager-client.ts";

/**
 * Connects to a manager from Node. `url` is its base URL, for example `http://localhost:8130`. Rejects with MgrError: `bad_field` (address
 * or options), `forbidden` (the login), `not_found` (the view), `busy` (throttled), `host_unavailable` (no manager answers there), with the
 * manager's own message.
 */
export async function connect(url: string, options: NodeConnectOptions = {}): Promise<ManagerClient> {
  checkConnectOptions(options, { dial: FUNCTION, ca: TEXT });
  const address = webSocketUrl(url, options.view, options.client);
  const wsOptions = webSocketOptions(options);
  const open = (fail: (error: Error) => void) => {
    const socket = openWebSocket(address, wsOptions, fail);
    endWhenSilent(socket);
    return socket as WebSocketLike;
  };
  const client = new ManagerClient(webSocketLink({ open, ...linkBehaviour(options) }));
  await client.opened();
  return client;
}
