// The peer's display page: noVNC as its package has it, and a proxy that only passes bytes to a VNC server on a unix socket.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, connect } from "node:net";
import { dirname, join } from "node:path";
import { WebSocketServer } from "ws";

const [, , path = "", width = "", height = ""] = process.argv;
const NOVNC = dirname(dirname(createRequire(import.meta.url).resolve("@novnc/novnc")));
const PAGE = `<!doctype html><title>bare</title><body style="margin:0"><div id="box" style="width:${width}px;height:${height}px"></div>
<script type="module">
  import RFB from "/core/rfb.js";
  const rfb = new RFB(document.querySelector("#box"), location.href.replace("http", "ws"), { shared: true });
  rfb.scaleViewport = true;
</script>`;

const server = createServer((request, response) => {
  const url = request.url ?? "/";
  const file = join(NOVNC, new URL(url, "http://bare").pathname);
  if (url === "/") response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE);
  else if (file.endsWith(".js") && existsSync(file)) response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(file));
  else response.writeHead(404).end();
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on("connection", (ws) => {
  const vnc = connect(path);
  vnc.on("data", (bytes) => ws.send(bytes));
  vnc.on("error", () => ws.terminate());
  ws.on("message", (data: Buffer) => vnc.write(data));
  ws.on("close", () => vnc.destroy());
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.on("message", () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }));
process.on("disconnect", () => process.exit());
process.send?.({});
