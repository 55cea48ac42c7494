import type { Socket } from "node:net";

/** Calls of the system that Node does not have. */
interface SocketTuning {
  /** Keeps the kernel from holding much that it has not sent. */
  limitUnsent(socket: Socket): void;
  /** Bytes that the kernel holds and has not sent. */
  unsentBytes(socket: Socket): number;
}

let tuning: SocketTuning | null = null;

/** From now on TCP connections of the bus to other machines are tuned. */
export function tuneSockets(given: SocketTuning): void {
  tuning = given;
}

/** Called when a connection begins. Returns how many bytes the kernel holds and has not sent; undefined: not known, or within this machine. */
export function tuneSocket(socket: Socket): (() => number) | undefined {
  const { remoteAddress } = socket;
  // Within the machine, the kernel delivers at once.
  if (tuning === null || remoteAddress === undefined || /^(::ffff:)?127\.|^::1$/.test(remoteAddress)) return undefined;
  const { limitUnsent, unsentBytes } = tuning;
  limitUnsent(socket);
  return () => unsentBytes(socket);
}
