import { type ClientOptions, WebSocket } from "ws";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { webSocketUrl } from "../../../client/link/connect-options.ts";
import type { NodeConnectOptions } from "../../../client/link/node-options.ts";
import { endWhenSilent, openWebSocket, sessionOf, webSocketOptions } from "../../../client/link/node-websocket.ts";
import { ByteChannel } from "../byte-channel.ts";
import { CLOSED_ON_PURPOSE, FORWARD_PATH, type ForwardOpened, MAX_FORWARD_FRAME_BYTES, parseForwardOpened } from "../forward-socket.ts";

type Login = Pick<NodeConnectOptions, "user" | "password" | "token" | "dial" | "ca">;

/** A forward that a manager has opened. */
export interface OpenedForward extends Pick<ForwardOpened, "id" | "host"> {
  /** Resolves with the reason for which the forward has ended, and whether the manager closed it on purpose. */
  readonly ended: Promise<ForwardEnd>;
  /** Opens a connection to the port. Rejects with the reason of the manager or the host. */
  connect(): Promise<ByteChannel>;
}

export interface ForwardEnd {
  readonly reason: string;
  readonly isWanted: boolean;
}

/** Opens a forward to a TCP port of a host, until `signal` is aborted. Rejects with MgrError as `connect` does. Its connections end with it. */
export function openForward(
  url: string,
  login: Login,
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<OpenedForward> {
  const address = webSocketUrl(url, undefined);
  address.pathname = FORWARD_PATH;
  address.search = new URLSearchParams({ host: target.host, port: String(target.port) }).toString();
  const channels = new Set<ByteChannel>();
  let credentials: ClientOptions = webSocketOptions(login);

  return new Promise((resolve, reject) => {
    let reason = "";
    const socket = openWebSocket(address, { ...credentials, maxPayload: MAX_FORWARD_FRAME_BYTES }, reject);
    endWhenSilent(socket);
    const end = () => socket.terminate();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    // The login is checked once; its session authenticates the connections that follow.
    socket.once("upgrade", ({ headers }) => {
      const cookie = sessionOf(headers["set-cookie"]);
      if (cookie !== null) credentials = webSocketOptions({ ...login, cookie });
    });
    socket.on("error", (error) => {
      reason = messageOf(error);
    });
    const ended = new Promise<ForwardEnd>((tell) => {
      socket.once("close", (code, text) => {
        signal.removeEventListener("abort", end);
        reason = text.toString() || reason || `closed with code ${code}`;
        for (const channel of channels) channel.destroy(new MgrError("host_unavailable", reason));
        reject(new MgrError("host_unavailable", reason));
        tell({ reason, isWanted: code === CLOSED_ON_PURPOSE });
      });
    });
    const connect = async (id: string) => {
      const connectionUrl = new URL(address);
      connectionUrl.search = new URLSearchParams({ forward: id }).toString();
      const channel = await openChannel(connectionUrl, credentials);
      if (socket.readyState !== WebSocket.OPEN) channel.destroy(new MgrError("host_unavailable", "the forward has ended"));
      channels.add(channel);
      channel.once("close", () => channels.delete(channel));
      return channel;
    };
    socket.on("message", (data, isBinary) => {
      const opened = isBinary ? null : parseForwardOpened(parseJson(String(data)));
      if (opened !== null) resolve({ id: opened.id, host: opened.host, ended, connect: () => connect(opened.id) });
    });
  });
}

function openChannel(address: URL, options: ClientOptions): Promise<ByteChannel> {
  return new Promise((resolve, reject) => {
    const socket = openWebSocket(address, { ...options, maxPayload: MAX_FORWARD_FRAME_BYTES }, reject);
    // The channel is made before the socket opens, so that data that arrives with the answer is not lost.
    const channel = new ByteChannel(socket);
    channel.on("error", reject);
    socket.once("open", () => resolve(channel));
  });
}
