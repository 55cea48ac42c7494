import type { Socket } from "node:net";

const open = new Set<Socket>();

/** TCP connections of this process to buses of other machines, while they are open. Their quality is measured. */
export const dialedSockets: ReadonlySet<Socket> = open;

export function noteDialed(socket: Socket): void {
  open.add(socket);
  socket.once("close", () => open.delete(socket));
}
