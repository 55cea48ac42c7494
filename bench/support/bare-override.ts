// The peer of a command override: the least that a server does with such a request. It checks a JSON frame, has a sealed line on the disk before it
// takes effect and the request after it, sends an upsert and an entry of the log, and writes that entry to a file with others.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type WebSocket, WebSocketServer } from "ws";

/** Each write is on the disk when it returns, as in the manager. */
const DURABLE = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_DSYNC;
/** Interval between writes of the log, ms, as in the manager. */
const LOG_MS = 50;
const KEY = Buffer.alloc(32, 1);
/** Bytes of a resource besides what the request changes. */
const RESOURCE = { state: "stopped", others: "x".repeat(800) };

const [folder = "."] = process.argv.slice(2);
const audit = await open(join(folder, "bare-audit"), DURABLE);
const requested = await open(join(folder, "bare-requested"), DURABLE);
const log = await open(join(folder, "bare-log"), "a");
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
await once(server, "listening");
server.on("connection", (client) => client.on("message", (data: Buffer) => void override(client, data)));
const { port } = server.address() as AddressInfo;
process.on("message", () => process.send?.({ url: `ws://127.0.0.1:${port}/` }));
process.on("disconnect", () => process.exit());
process.send?.({});

let mac = "";
/** The outcome of the request before, which is written with the next one. */
let outcome = "";
let entries: string[] = [];

async function override(client: WebSocket, data: Buffer): Promise<void> {
  const { type, name, override: command } = JSON.parse(data.toString()) as { type: unknown; name: unknown; override: unknown };
  if (type !== "set_process_command_override" || typeof name !== "string" || typeof command !== "string") throw new Error("unknown frame");
  const who = { user: "bench", role: "admin", via: "websocket", address: "127.0.0.1" };
  const lines =
    outcome + sealed({ event: "requested", ...who, command: type, target: name, args: { which: "primary", override: command } });
  outcome = "";
  await audit.writeFile(lines);
  const entry = {
    ts: new Date().toISOString(),
    level: "info",
    source: "manager",
    msg: `'bench' overrides the command of '${name}': ${command}`,
  };
  if (entries.length === 0) setTimeout(() => void writeLog(), LOG_MS);
  entries.push(`${JSON.stringify(entry)}\n`);
  client.send(
    JSON.stringify({ type: "process_upsert", process: { name, ...RESOURCE, command_override: command, current_command: command } }),
  );
  client.send(JSON.stringify({ type: "log_batch", entries: [entry] }));
  await requested.writeFile(`${JSON.stringify({ name, settings: { override: command } })}\n`);
  outcome = sealed({ event: "accepted", id: 1 });
}

function sealed(record: object): string {
  const text = JSON.stringify({ seq: 1, time: new Date().toISOString(), ...record });
  mac = createHmac("sha256", KEY).update(mac).update(text).digest("hex");
  return `${text.slice(0, -1)},"mac":"${mac}"}\n`;
}

function writeLog(): Promise<void> {
  const text = entries.join("");
  entries = [];
  return log.writeFile(text);
}
