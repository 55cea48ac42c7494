import type { WebSocket } from "ws";

/**
 * Interval of pings, ms: network devices may drop a connection that is idle for longer. A program that does not answer within two intervals has lost
 * its network, or its machine sleeps.
 */
const PING_INTERVAL_MS = 20_000;

/** Pings a WebSocket, and ends it when its other end does not answer. */
export function endWhenUnanswered(ws: WebSocket): void {
  let isAlive = true;
  const beat = setInterval(() => {
    if (!isAlive) return ws.terminate();
    isAlive = false;
    return ws.ping();
  }, PING_INTERVAL_MS);
  ws.on("pong", () => {
    isAlive = true;
  });
  ws.once("close", () => clearInterval(beat));
}

/** Pings a WebSocket that carries a byte stream, which may be idle for hours. */
export function pingWhileIdle(ws: WebSocket): void {
  const beat = setInterval(() => {
    if (ws.readyState === ws.OPEN && ws.bufferedAmount === 0) ws.ping();
  }, PING_INTERVAL_MS);
  ws.once("close", () => clearInterval(beat));
}
