import type { Socket } from "node:net";

/**
 * Hands a new connection on when its first byte is there, which stays unread: it tells TLS from HTTP. A client that
 * stays silent for `deadline` ms is cut; Node's own deadlines begin only when its HTTP parser gets the connection.
 */
export function onFirstByte(socket: Socket, deadline: number, accept: (firstByte: number) => void): void {
  const timer = setTimeout(() => socket.destroy(), deadline);
  const cut = () => socket.destroy();
  const leave = () => {
    clearTimeout(timer);
    socket.off("readable", look).off("end", cut).off("close", leave);
  };
  function look() {
    const chunk: Buffer | null = socket.read(1);
    if (chunk === null) return;
    leave();
    socket.unshift(chunk);
    accept(chunk[0] ?? 0);
    // Only now: the parser has attached its own listener.
    socket.off("error", cut);
  }
  socket.on("readable", look).on("error", cut).once("end", cut).once("close", leave);
}
