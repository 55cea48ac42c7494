import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { type ByteStream, type ByteStreamHandlers, socketStream } from "./byte-stream.ts";

/** Time limit for the handshake of the other side, milliseconds. */
const HANDSHAKE_MS = 5_000;

/**
 * The server's end of a connection that is upgraded to TLS as in the NATS protocol: the first write, the greeting, is not encrypted;
 * everything else is.
 */
export function greetThenSecure(socket: Socket, context: () => SecureContext): ByteStream {
  const clear = socketStream(socket);
  let secure: ByteStream | null = null;
  let handlers: ByteStreamHandlers | null = null;
  let isGreeted = false;
  let waiting: Uint8Array[] = [];
  let isEnded = false;

  const turn = () => {
    if (socket.destroyed) return;
    const tls = new TLSSocket(socket, { isServer: true, secureContext: context() });
    const deadline = setTimeout(() => tls.destroy(new Error("no TLS handshake in time")), HANDSHAKE_MS);
    tls.once("secure", () => clearTimeout(deadline));
    tls.once("close", () => clearTimeout(deadline));
    secure = socketStream(tls);
    if (handlers) secure.open(handlers);
    if (waiting.length > 0) secure.write(waiting);
    waiting = [];
    if (isEnded) secure.end();
  };
  return {
    get unsent() {
      return (secure ?? clear).unsent + waiting.reduce((sum, { length }) => sum + length, 0);
    },
    write(chunks) {
      if (secure) secure.write(chunks);
      else if (isGreeted) waiting.push(...chunks);
      else {
        isGreeted = true;
        socket.write(Buffer.concat(chunks), (error) => {
          if (error) socket.destroy();
          else turn();
        });
      }
    },
    open(given) {
      handlers = given;
      if (secure) secure.open(given);
      else
        socket.once("close", () => {
          if (!secure) given.closed(null);
        });
    },
    pause: () => secure?.pause(),
    resume: () => secure?.resume(),
    end() {
      isEnded = true;
      if (secure) secure.end();
    },
    destroy: () => (secure ?? clear).destroy(),
  };
}
