import type { Socket } from "node:net";

/** The carrier of a connection: a unix or TCP socket, an in-process pair or a WebSocket. */
export interface ByteStream {
  /** Bytes written that the other side or the kernel has not taken yet. */
  readonly unsent: number;
  /** Writes `chunks`, which must not be modified afterwards. Does nothing once the stream is closed. */
  write(chunks: readonly Uint8Array[]): void;
  /** Starts the flow of events; called exactly once. Events are never delivered before, and never from within another call. */
  open(handlers: ByteStreamHandlers): void;
  pause(): void;
  resume(): void;
  /** Sends what was written, then closes this half. */
  end(): void;
  /** Closes at once; `closed` follows. */
  destroy(): void;
}

export interface ByteStreamHandlers {
  data(bytes: Uint8Array): void;
  /** `unsent` fell to 0 after it had been large. */
  drained(): void;
  /** Called once, at the end; `error` if the end was not regular. */
  closed(error: Error | null): void;
}

/** Wraps a socket of `node:net` or a compatible stream, and handles its errors from now on. */
export function socketStream(socket: Socket): ByteStream {
  let error: Error | null = null;
  socket.on("error", (cause) => {
    error = cause;
  });
  socket.setNoDelay(true);
  return {
    get unsent() {
      return socket.writableLength;
    },
    write(chunks) {
      if (!socket.writable) return;
      // Corked, so that several blocks are one system call.
      if (chunks.length > 1) socket.cork();
      for (const chunk of chunks) socket.write(chunk);
      if (chunks.length > 1) socket.uncork();
    },
    open(handlers) {
      socket.on("data", handlers.data);
      socket.on("drain", handlers.drained);
      if (socket.closed) queueMicrotask(() => handlers.closed(error));
      else socket.on("close", () => handlers.closed(error));
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}
