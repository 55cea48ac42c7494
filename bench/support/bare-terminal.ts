// The peer's terminal: a program under a pseudo terminal, its bytes on a unix socket, and nothing else.
import { createServer } from "node:net";
import { spawn } from "node-pty";

const [, , path = "", program = "", ...args] = process.argv;
const server = createServer((socket) => {
  socket.setNoDelay(true);
  const terminal = spawn(program, args, { encoding: null });
  // With `encoding: null` it gives bytes, whatever its types say.
  terminal.onData((bytes) => socket.write(bytes as string | Buffer));
  socket.on("data", (bytes) => terminal.write(bytes.toString()));
  socket.once("close", () => terminal.kill());
});
server.listen(path, () => process.send?.({}));
process.on("disconnect", () => process.exit());
