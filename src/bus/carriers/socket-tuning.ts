import type { Socket } from "node:net";

let tune: (socket: Socket) => void = () => {};

/** From now on `tuning` is called for each TCP connection of the bus to another machine. It needs calls of the system that Node does not have. */
export function tuneSockets(tuning: (socket: Socket) => void): void {
  tune = tuning;
}

/** Called when a connection of the bus begins. */
export function tuneSocket(socket: Socket): void {
  const { remoteAddress } = socket;
  // Within the machine, the kernel delivers at once.
  if (remoteAddress !== undefined && !/^(::ffff:)?127\.|^::1$/.test(remoteAddress)) tune(socket);
}
