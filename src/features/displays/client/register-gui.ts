import type { Duplex } from "node:stream";
import { type ClientOptions, createWebSocketStream, type WebSocket } from "ws";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { webSocketUrl } from "../../../client/link/connect-options.ts";
import { type ControlLogin, openControlSocket } from "../../../client/link/control-socket.ts";
import { openWebSocket } from "../../../client/link/node-websocket.ts";
import { GUI_PATH, type GuiRequest, MAX_GUI_FRAME_BYTES, parseGuiRequest } from "../gui-frames.ts";

type GuiState = Omit<Extract<GuiRequest, { type: "gui_registered" }>, "type">;
/** The process that an X client belongs to. */
export type XClientOf = Pick<Extract<GuiRequest, { type: "open_x_connection" }>, "process" | "host">;

export interface GuiOptions {
  /** Name of the X display, for people. */
  display: string;
  /** Called once registered, and again when another `mgr gui` of the user begins or ends. */
  onState(state: GuiState): void;
  /** Called when an X client of a process has connected; the stream is its connection. */
  onXClient(client: XClientOf, stream: Duplex): void;
  /** Called when an X client could not be connected. */
  onProblem(client: XClientOf, reason: string): void;
}

export interface RegisteredGui {
  /** Resolves with the reason for which the connection has ended. */
  readonly ended: Promise<string>;
}

/** Close code: the user has too many connected `mgr gui`. */
const TRY_LATER = 1013;

/** Registers an X display with a manager until `signal` is aborted. Rejects with MgrError as `connect` does. The X connections end with it. */
export function registerGui(
  url: string,
  login: ControlLogin,
  { display, onState, onXClient, onProblem }: GuiOptions,
  signal: AbortSignal,
): Promise<RegisteredGui> {
  const address = webSocketUrl(url, undefined);
  address.pathname = GUI_PATH;
  address.search = new URLSearchParams({ display }).toString();
  const streams = new Set<Duplex>();

  return new Promise((resolve, reject) => {
    let tell: (reason: string) => void = () => {};
    const ended = new Promise<string>((resolveEnd) => {
      tell = resolveEnd;
    });
    const { socket, credentials } = openControlSocket(address, {
      login,
      signal,
      maxPayload: MAX_GUI_FRAME_BYTES,
      refused: reject,
      ended: (code, reason) => {
        for (const stream of streams) stream.destroy();
        reject(new MgrError(code === TRY_LATER ? "busy" : "host_unavailable", reason));
        tell(reason);
      },
    });
    const open = (connection: string) => {
      const streamUrl = new URL(address);
      streamUrl.search = new URLSearchParams({ connection }).toString();
      return openStream(streamUrl, credentials(), streams);
    };
    socket.on("message", (data, isBinary) => {
      const request = isBinary ? null : parseGuiRequest(parseJson(String(data)));
      if (request?.type === "gui_registered") {
        onState(request);
        resolve({ ended });
      } else if (request?.type === "open_x_connection") {
        open(request.connection).then(
          (stream) => onXClient(request, stream),
          (error: unknown) => onProblem(request, messageOf(error)),
        );
      }
    });
  });
}

/** The WebSocket of one X connection, as a stream with back-pressure. */
function openStream(address: URL, options: ClientOptions, streams: Set<Duplex>): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket: WebSocket = openWebSocket(address, { ...options, maxPayload: MAX_GUI_FRAME_BYTES }, reject);
    // The stream is made before the socket opens, so that data that arrives with the answer is not lost.
    const stream = createWebSocketStream(socket);
    streams.add(stream);
    stream.on("error", reject);
    stream.once("close", () => {
      streams.delete(stream);
      reject(new Error("the manager closed the X connection"));
    });
    socket.once("open", () => resolve(stream));
  });
}
