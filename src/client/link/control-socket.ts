import type { ClientOptions, WebSocket } from "ws";
import { messageOf } from "../../base/errors.ts";
import type { NodeConnectOptions } from "./node-options.ts";
import { endWhenSilent, openWebSocket, sessionOf, webSocketOptions } from "./node-websocket.ts";

export type ControlLogin = Pick<NodeConnectOptions, "user" | "password" | "token" | "dial" | "ca">;

interface ControlSocketOptions {
  readonly login: ControlLogin;
  /** Maximum size of a frame, bytes. */
  readonly maxPayload: number;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** Called with the reason if the manager refuses the connection. */
  readonly refused: (error: Error) => void;
  /** Called once, when the connection has ended. */
  readonly ended: (code: number, reason: string) => void;
}

export interface ControlSocket {
  readonly socket: WebSocket;
  /** Options of the connections that belong to it. The login is checked once; its session authenticates them. */
  credentials(): ClientOptions;
}

/** Opens a WebSocket to which further connections belong, such as those of a forward. */
export function openControlSocket(address: URL, { login, maxPayload, signal, refused, ended }: ControlSocketOptions): ControlSocket {
  let credentials: ClientOptions = webSocketOptions(login);
  let problem = "";
  const socket = openWebSocket(address, { ...credentials, maxPayload }, refused);
  endWhenSilent(socket);
  const end = () => socket.terminate();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  socket.once("upgrade", ({ headers }) => {
    const cookie = sessionOf(headers["set-cookie"]);
    if (cookie !== null) credentials = webSocketOptions({ ...login, cookie });
  });
  socket.on("error", (error) => {
    problem = messageOf(error);
  });
  socket.once("close", (code, text) => {
    signal.removeEventListener("abort", end);
    ended(code, text.toString() || problem || `closed with code ${code}`);
  });
  return { socket, credentials: () => credentials };
}
