import type { Server, Socket } from "node:net";

/** The parts of libuv's handle of a socket that Node has no public API for. */
interface SocketHandle {
  readonly fd: number;
  /** Whether the socket is being read, as Node sees it. */
  reading: boolean;
  /** Bytes that were given to the handle so far, also those that it still holds. */
  readonly bytesWritten: number;
  /** Bytes that the handle holds because the kernel has not accepted them. */
  readonly writeQueueSize: number;
  readStart(): number;
  readStop(): number;
}

/** Null: the socket is closed. */
function handleOf(socket: Socket): SocketHandle | null {
  return (socket as Socket & { _handle?: SocketHandle | null })._handle ?? null;
}

/** Returns the descriptor of a socket, -1 if it has none. */
export function descriptorOf(socket: Socket): number {
  return handleOf(socket)?.fd ?? -1;
}

/** Returns the descriptor of a listening socket, -1 if it is closed. */
export function serverDescriptor(server: Server): number {
  const { _handle: handle } = server as Server & { _handle?: Pick<SocketHandle, "fd"> | null };
  return handle?.fd ?? -1;
}

/**
 * Reads nothing more from the kernel: `pause` of a socket stops that only when its buffer is full. What was read before is in the buffer
 * of the socket.
 */
export function stopReading(socket: Socket): void {
  const handle = handleOf(socket);
  if (handle === null) return;
  handle.reading = false;
  handle.readStop();
}

export function startReading(socket: Socket): void {
  const handle = handleOf(socket);
  if (handle === null || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}

/** Number of written bytes that the kernel has not accepted: `writableLength` counts a write as a whole until all of it is accepted. */
export function unacceptedBytes(socket: Socket): number {
  const handle = handleOf(socket);
  return handle === null ? 0 : handle.writeQueueSize + socket.bytesWritten - handle.bytesWritten;
}
