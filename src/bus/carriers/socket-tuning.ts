import type { Socket } from "node:net";

/** System calls that Node does not offer. */
interface SocketTuning {
  /** Keeps the kernel from holding many unsent bytes. */
  limitUnsent(socket: Socket): void;
  /** Number of bytes that the kernel holds and has not sent. */
  unsentBytes(socket: Socket): number;
}

let tuning: SocketTuning | null = null;

/** Tunes TCP connections of the bus to other machines from now on. */
export function tuneSockets(given: SocketTuning): void {
  tuning = given;
}

/** Called when a connection begins. Returns a function for the number of unsent bytes in the kernel; undefined: not known, or within this machine. */
export function tuneSocket(socket: Socket): (() => number) | undefined {
  const { remoteAddress } = socket;
  // Within the machine, the kernel delivers at once.
  if (tuning === null || remoteAddress === undefined || /^(::ffff:)?127\.|^::1$/.test(remoteAddress)) return undefined;
  const { limitUnsent, unsentBytes } = tuning;
  limitUnsent(socket);
  return () => unsentBytes(socket);
}
