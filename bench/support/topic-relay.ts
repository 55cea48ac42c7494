// The peer of topics.ts: passes what comes from one connection of a unix socket to the next one, and does nothing else.
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

const [, , path = ""] = process.argv;
let waiting: Socket | null = null;
const server = createServer((socket) => {
  socket.on("error", () => {});
  if (waiting === null) {
    waiting = socket;
    socket.once("close", () => {
      if (waiting === socket) waiting = null;
    });
    return;
  }
  socket.pipe(waiting);
  waiting = null;
}).listen(path);
await once(server, "listening");
process.on("disconnect", () => process.exit());
process.send?.({});
