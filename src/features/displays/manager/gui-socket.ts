import { createWebSocketStream, type WebSocket } from "ws";
import { messageOf } from "../../../base/errors.ts";
import { shortened } from "../../../base/text-length.ts";
import { visible } from "../../../base/visible-text.ts";
import type { Guis } from "./guis.ts";

/** Maximum length of a shown display name, characters. */
const MAX_DISPLAY_LENGTH = 255;
/** Ping interval, milliseconds. A desktop that does not answer within two intervals is disconnected (it sleeps, or its network is lost). */
const PING_INTERVAL_MS = 20_000;

/** Registers the X display behind a WebSocket until it closes. `peer`: `<ip>:<port>`, "" over the local socket. */
export function registerGuiSocket(
  ws: WebSocket,
  guis: Guis,
  { user, peer, display }: { user: string; peer: string; display: string },
): void {
  // ws closes by itself after a protocol error.
  ws.on("error", () => ws.terminate());
  let disconnect: () => void;
  try {
    disconnect = guis.enter({
      user,
      peer: peer === "" ? null : peer,
      display: visible(shortened(display, MAX_DISPLAY_LENGTH)),
      send: (request) => {
        if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(request));
      },
    });
  } catch (error) {
    ws.close(1013, messageOf(error).slice(0, 120));
    return;
  }
  let isAlive = true;
  const beat = setInterval(() => {
    if (!isAlive) return ws.terminate();
    isAlive = false;
    return ws.ping();
  }, PING_INTERVAL_MS);
  ws.on("pong", () => {
    isAlive = true;
  });
  ws.on("message", () => ws.close(1003, "a display is registered by connecting; nothing is sent here"));
  ws.once("close", () => {
    clearInterval(beat);
    disconnect();
  });
}

/** Delivers one X connection that `guis` awaits. */
export function deliverXConnection(ws: WebSocket, guis: Guis, { user, connection }: { user: string; connection: string }): void {
  const stream = createWebSocketStream(ws);
  // Pings keep the connection open: windows may be idle for hours, and network devices may drop an idle connection.
  const beat = setInterval(() => {
    if (ws.readyState === ws.OPEN && ws.bufferedAmount === 0) ws.ping();
  }, PING_INTERVAL_MS);
  ws.once("close", () => clearInterval(beat));
  // Until the receiver has the stream, no other listener handles its errors.
  stream.on("error", () => stream.destroy());
  guis.deliver(user, connection, stream);
}
