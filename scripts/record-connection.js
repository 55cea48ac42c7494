// Records what a browser and a manager say to each other: a proxy between the two that writes every WebSocket frame as a JSON line
// {at, from, frame}; `at` is milliseconds since the start.
//   node scripts/record-connection.js http://localhost:8130 9000 > connection.jsonl     then open http://localhost:9000
import { createServer, request } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

const [target, port] = process.argv.slice(2);
if (!target || !port) {
  console.error("usage: node scripts/record-connection.js MANAGER_URL PORT > FILE");
  process.exit(2);
}
const record = (from, data) => console.log(JSON.stringify({ at: Math.round(performance.now()), from, frame: JSON.parse(data.toString()) }));

const server = createServer((incoming, outgoing) => {
  const { method, headers, url } = incoming;
  const passed = request(new URL(url, target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on("error", (error) => outgoing.writeHead(502).end(`The manager at ${target} cannot be reached: ${error.message}\n`));
  incoming.pipe(passed);
});

const viewers = new WebSocketServer({ noServer: true });
server.on("upgrade", (incoming, socket, head) => {
  socket.on("error", () => socket.destroy());
  // The cookie, the credentials, the origin and the host are the browser's; the rest of the handshake is made anew.
  const { authorization, cookie, origin, host } = incoming.headers;
  const headers = Object.fromEntries(Object.entries({ authorization, cookie, origin, host }).filter(([, value]) => value !== undefined));
  const manager = new WebSocket(new URL(incoming.url, target.replace(/^http/, "ws")), { headers });
  manager.on("error", () => socket.destroy());
  manager.once("open", () =>
    viewers.handleUpgrade(incoming, socket, head, (viewer) => {
      for (const [one, other, from] of [
        [viewer, manager, "client"],
        [manager, viewer, "manager"],
      ]) {
        one.on("message", (data, isBinary) => {
          if (!isBinary) record(from, data);
          other.send(data, { binary: isBinary });
        });
        one.on("close", () => other.close());
        one.on("error", () => other.terminate());
      }
    }),
  );
});
server.listen(Number(port), "127.0.0.1", () => console.error(`Recording. Open http://localhost:${port}; Ctrl-C ends it.`));
