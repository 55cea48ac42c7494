// The peer's manager: passes what a WebSocket says to a unix socket, and back as text frames.
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { WebSocketServer } from "ws";

const [, , path = ""] = process.argv;
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
server.on("connection", (ws) => {
  const terminal = connect(path);
  terminal.setNoDelay(true);
  terminal.on("data", (bytes) => ws.send(JSON.stringify({ type: "process_output", output: bytes.toString() })));
  ws.on("message", (data: Buffer) => terminal.write((JSON.parse(data.toString()) as { text: string }).text));
  ws.on("close", () => terminal.destroy());
});
await once(server, "listening");
process.on("message", () => process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` }));
process.on("disconnect", () => process.exit());
process.send?.({});
