import { type ClientOptions, WebSocket } from "ws";
import { MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { webSocketUrl } from "../../../client/link/connect-options.ts";
import { type ControlLogin, openControlSocket } from "../../../client/link/control-socket.ts";
import { openWebSocket } from "../../../client/link/node-websocket.ts";
import { ByteChannel } from "../byte-channel.ts";
import { CLOSED_ON_PURPOSE, FORWARD_PATH, type ForwardOpened, MAX_FORWARD_FRAME_BYTES, parseForwardOpened } from "../forward-socket.ts";

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
  login: ControlLogin,
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<OpenedForward> {
  const address = webSocketUrl(url, undefined);
  address.pathname = FORWARD_PATH;
  address.search = new URLSearchParams({ host: target.host, port: String(target.port) }).toString();
  const channels = new Set<ByteChannel>();

  return new Promise((resolve, reject) => {
    let tell: (end: ForwardEnd) => void = () => {};
    const ended = new Promise<ForwardEnd>((resolveEnd) => {
      tell = resolveEnd;
    });
    const { socket, credentials } = openControlSocket(address, {
      login,
      signal,
      maxPayload: MAX_FORWARD_FRAME_BYTES,
      refused: reject,
      ended: (code, reason) => {
        for (const channel of channels) channel.destroy(new MgrError("host_unavailable", reason));
        reject(new MgrError("host_unavailable", reason));
        tell({ reason, isWanted: code === CLOSED_ON_PURPOSE });
      },
    });
    const connect = async (id: string) => {
      const connectionUrl = new URL(address);
      connectionUrl.search = new URLSearchParams({ forward: id }).toString();
      const channel = await openChannel(connectionUrl, credentials());
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
