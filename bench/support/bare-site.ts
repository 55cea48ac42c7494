import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Client } from "./client.ts";

const require = createRequire(import.meta.url);

/** The peer of the page: one HTML text and what it needs of xterm.js, and a WebSocket. */
export class BareSite implements AsyncDisposable {
  readonly url: string;
  readonly sockets: WebSocketServer;
  readonly #server: Server;

  private constructor(server: Server, sockets: WebSocketServer) {
    this.#server = server;
    this.sockets = sockets;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async serve(html: string, onSocket: (ws: WebSocket) => void): Promise<BareSite> {
    const files: Record<string, [string, string]> = {
      "/": ["text/html; charset=utf-8", html],
      "/xterm.js": ["text/javascript", readFileSync(require.resolve("@xterm/xterm"), "utf8")],
      "/xterm.css": ["text/css", readFileSync(require.resolve("@xterm/xterm/css/xterm.css"), "utf8")],
    };
    const server = createServer((request, response) => {
      const [type, body] = files[request.url ?? ""] ?? [];
      response.writeHead(body === undefined ? 404 : 200, { "content-type": type ?? "text/plain" }).end(body);
    });
    const sockets = new WebSocketServer({ server, perMessageDeflate: false });
    sockets.on("connection", onSocket);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new BareSite(server, sockets);
  }

  /** The page with a plain row for each process of the snapshot that `client` gets now. */
  static async withPlainRows(client: Client): Promise<BareSite> {
    const snapshot = JSON.stringify(await client.ask({ type: "get_snapshot" }));
    return BareSite.serve(PLAIN_ROWS, (ws) => ws.on("message", () => ws.send(snapshot)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const ws of this.sockets.clients) ws.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A page that shows each process of a snapshot as one plain row. */
export const PLAIN_ROWS = `<!doctype html><title>bare</title><body style="margin:0;font:13px sans-serif"><div id="list" style="height:100vh;overflow:auto"></div>
<script>
  const rows = new Map();
  const ws = new WebSocket(location.href.replace("http", "ws"));
  ws.onopen = () => ws.send('{"type":"get_snapshot"}');
  ws.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    for (const process of frame.processes ?? [frame.process]) {
      let row = rows.get(process.name);
      if (!row) rows.set(process.name, (row = list.appendChild(document.createElement("div"))));
      row.dataset.name = process.name;
      row.style.height = "27px";
      row.textContent = process.state + " " + process.name;
    }
  };
</script>`;
