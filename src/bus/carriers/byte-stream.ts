import type { Socket } from "node:net";
import { DrainNotice } from "./drain-notice.ts";
import { tuneSocket } from "./socket-tuning.ts";

/** The carrier of a connection: a unix or TCP socket, an in-process pair or a WebSocket. */
export interface ByteStream {
  /** Number of written bytes that the other side or the kernel has not accepted yet. */
  readonly unsent: number;
  /** Number of bytes that the kernel has accepted and not sent; undefined: it is not known, or always small. */
  readonly held?: (() => number) | undefined;
  /** Writes `chunks`, which must not be modified afterwards. Does nothing once the stream is closed. */
  write(chunks: readonly Uint8Array[]): void;
  /** Starts the flow of events; called exactly once. Events are never delivered before, and never from within another call. */
  open(handlers: ByteStreamHandlers): void;
  pause(): void;
  resume(): void;
  /** Sends the written bytes, then closes this half. */
  end(): void;
  /** Closes at once; `closed` follows. */
  destroy(): void;
}

export interface ByteStreamHandlers {
  data(bytes: Uint8Array): void;
  /** Called when `unsent` fell to 0: the carrier had not accepted all at once. */
  drained(): void;
  /** Called once, at the end; with `error` if the end was not regular. */
  closed(error: Error | null): void;
}

/** Wraps a socket of `node:net` or a compatible stream, and handles its errors from now on. */
export function socketStream(socket: Socket): ByteStream {
  let error: Error | null = null;
  socket.on("error", (cause) => {
    error = cause;
  });
  socket.setNoDelay(true);
  const held = tuneSocket(socket);
  // The event `drain` comes only after more than the stream's own limit.
  const notice = new DrainNotice(() => socket.writableLength);
  return {
    held,
    get unsent() {
      return socket.writableLength;
    },
    write(chunks) {
      if (!socket.writable) return;
      // Corked, so that several blocks are one system call.
      if (chunks.length > 1) socket.cork();
      for (const [index, chunk] of chunks.entries()) socket.write(chunk, index === chunks.length - 1 ? notice.sent : undefined);
      if (chunks.length > 1) socket.uncork();
      notice.wrote();
    },
    open(handlers) {
      socket.on("data", handlers.data);
      notice.drained = handlers.drained;
      if (socket.closed) queueMicrotask(() => handlers.closed(error));
      else socket.on("close", () => handlers.closed(error));
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}
