import type { WebSocket } from "ws";
import { MAX_FRAME_BYTES } from "../protocol/frames/decode.ts";

/**
 * Options of the ws server that upgrades `/ws`: oversized frames are refused by their header, never buffered, and each connection has one
 * frame handled per turn: thousands that arrive in one packet must not block other clients.
 */
export const WEBSOCKET_SERVER_OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_FRAME_BYTES,
  allowSynchronousEvents: false,
} as const;

const TOO_LARGE = 1009;

/**
 * Calls `announce` just before the close frame for an oversized message is sent. ws closes by itself, and calls its `error` listeners only after
 * the close frame, when nothing can be sent any more; but it closes through the public `close`, where one more frame can be sent.
 */
export function beforeOversizeClose(ws: WebSocket, announce: () => void): void {
  const close = ws.close.bind(ws);
  ws.close = (code, reason) => {
    if (code === TOO_LARGE && ws.readyState === ws.OPEN) announce();
    close(code, reason);
  };
}
