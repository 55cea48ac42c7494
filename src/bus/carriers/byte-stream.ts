import type { Socket } from "node:net";
import { DrainNotice } from "./drain-notice.ts";
import { descriptorOf, startReading, stopReading, unacceptedBytes } from "./socket-handle.ts";
import { tuneSocket } from "./socket-tuning.ts";
import { UnsentTail } from "./unsent-tail.ts";

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
  /** The connection for another program that continues it; undefined: it cannot be continued, and has to be closed. */
  readonly handOver?: StreamHandOver | undefined;
}

export interface StreamHandOver {
  /** Reads nothing more until `resume` of the stream; what was read before is delivered within this call. */
  halt(): void;
  /** Descriptor of the connection; -1: it is closed. */
  descriptor(): number;
  /** The written bytes that the kernel has not accepted. */
  unaccepted(): Uint8Array;
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
  const tail = new UnsentTail();
  let isHalted = false;
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
      tail.wrote(chunks, socket.writableLength);
    },
    open(handlers) {
      socket.on("data", handlers.data);
      notice.drained = () => {
        tail.clear();
        handlers.drained();
      };
      if (socket.closed) queueMicrotask(() => handlers.closed(error));
      else socket.on("close", () => handlers.closed(error));
    },
    pause: () => void socket.pause(),
    resume() {
      if (isHalted) startReading(socket);
      isHalted = false;
      socket.resume();
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    handOver: {
      halt() {
        isHalted = true;
        socket.pause();
        stopReading(socket);
        // Emits what is in the buffer of the socket.
        socket.read();
      },
      descriptor: () => descriptorOf(socket),
      unaccepted: () => tail.last(unacceptedBytes(socket)),
    },
  };
}
