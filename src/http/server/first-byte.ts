import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";

/**
 * Passes on a new connection once its first byte has arrived. The byte, which distinguishes TLS from HTTP, stays unread. A client that sends
 * nothing for `deadline` ms is disconnected: Node's own deadlines begin only when its HTTP parser gets the connection.
 */
export function onFirstByte(socket: Socket, deadline: number, accept: (firstByte: number) => void): void {
  const timer = setTimeout(() => socket.destroy(), deadline);
  const cut = () => socket.destroy();
  const unsubscribe = () => {
    clearTimeout(timer);
    socket.off("readable", check).off("end", cut).off("close", unsubscribe);
  };
  function check() {
    const chunk: Buffer | null = socket.read(1);
    if (chunk === null) return;
    unsubscribe();
    socket.unshift(chunk);
    accept(chunk[0] ?? 0);
    // The listener is removed only now: the parser has attached its own.
    socket.off("error", cut);
  }
  socket.on("readable", check).on("error", cut).once("end", cut).once("close", unsubscribe);
}

/** The first byte of a TLS record that holds a handshake (RFC 8446, 5.1); no HTTP request begins with it. */
export const TLS_HANDSHAKE = 0x16;

/** Does the TLS handshake on a connection whose ClientHello is still unread. If it fails, the connection is closed without a message. */
export function shakeHands(raw: Socket, secureContext: SecureContext, accept: (socket: TLSSocket) => void): void {
  const socket = new TLSSocket(raw, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] });
  const cut = () => raw.destroy();
  // The server allows half-open connections, but one that ends during the handshake is of no use.
  raw.once("end", cut);
  socket.on("error", cut);
  socket.once("close", cut);
  socket.once("secure", () => {
    raw.off("end", cut);
    accept(socket);
    // The listener is removed only now: the HTTP server has attached its own.
    socket.off("error", cut);
  });
}
