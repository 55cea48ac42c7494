import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";

export const VNC_PATH = "/mgr/vnc/ws";
/** Maximum frame size of a viewer, bytes: a clipboard text is the largest message of RFB. */
export const MAX_VNC_FRAME_BYTES = 1024 * 1024;
/** Number of unsent bytes from which the VNC server is not read: it skips frames for a slow viewer by itself. */
const HIGH_WATER_BYTES = 256 * 1024;
const LOW_WATER_BYTES = 64 * 1024;
/** Ping interval, milliseconds. A viewer that neither answers a ping nor receives data for two intervals is disconnected. */
const PING_INTERVAL_MS = 30_000;

/** Passes bytes in both directions between a viewer and a VNC server. Neither end is read while the other one does not keep up. */
export function proxyVnc(ws: WebSocket, server: Duplex): void {
  let isAlive = true;
  const sent = () => {
    isAlive = true;
    if (ws.readyState === ws.OPEN && ws.bufferedAmount < LOW_WATER_BYTES) server.resume();
  };
  server.on("data", (chunk: Buffer) => {
    if (ws.readyState !== ws.OPEN) {
      server.pause();
      return;
    }
    ws.send(chunk, { binary: true }, sent);
    if (ws.bufferedAmount >= HIGH_WATER_BYTES) server.pause();
  });
  server.on("drain", () => ws.resume());
  server.once("end", () => ws.close(1000, "the VNC server closed the connection"));
  server.once("error", () => ws.close(1011, "the connection to the VNC server was lost"));
  // After an end or an error the socket is closing already.
  server.once("close", () => ws.close(1000, "the VNC server closed the connection"));

  ws.on("message", (data: RawData, isBinary) => {
    isAlive = true;
    if (!isBinary) return ws.close(1003, "RFB is sent in binary frames");
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
    if (!server.writable) return undefined;
    if (!server.write(bytes)) ws.pause();
    return undefined;
  });
  ws.on("pong", () => {
    isAlive = true;
  });
  const beat = setInterval(() => {
    if (!isAlive) return ws.terminate();
    isAlive = false;
    return ws.ping();
  }, PING_INTERVAL_MS);
  // ws closes by itself after a protocol error of the viewer.
  ws.on("error", () => server.destroy());
  ws.once("close", () => {
    clearInterval(beat);
    server.destroy();
  });
  if (server.destroyed || server.readableEnded) ws.close(1011, "the connection to the VNC server was lost");
}
