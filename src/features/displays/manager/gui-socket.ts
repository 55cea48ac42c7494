import { createWebSocketStream, type WebSocket } from "ws";
import { messageOf } from "../../../base/errors.ts";
import { shortened } from "../../../base/text/text-length.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { endWhenUnanswered, pingWhileIdle } from "../../../transport/websocket-pings.ts";
import type { Guis } from "./guis.ts";

/** Maximum length of a shown display name, characters. */
const MAX_DISPLAY_LENGTH = 255;

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
  endWhenUnanswered(ws);
  ws.on("message", () => ws.close(1003, "a display is registered by connecting; nothing is sent here"));
  ws.once("close", () => disconnect());
}

/** Delivers one X connection that `guis` awaits. */
export function deliverXConnection(ws: WebSocket, guis: Guis, { user, connection }: { user: string; connection: string }): void {
  const stream = createWebSocketStream(ws);
  pingWhileIdle(ws);
  // Until the receiver has the stream, no other listener handles its errors.
  stream.on("error", () => stream.destroy());
  guis.deliver(user, connection, stream);
}
