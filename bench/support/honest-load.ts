// Publishers at a steady rate, or the subscribers of their topics, each with a connection of its own: `honest-load.ts publishers|subscribers`.
import type { Socket } from "node:net";
import { percentile } from "./figure.ts";
import { natsSocket } from "./nats-socket.ts";

const PONG = "PONG\r\n";
const [, , role = ""] = process.argv;

export interface HonestQuestion {
  /** Connects to the server at this port. */
  readonly connect?: { readonly port: number; readonly count: number };
  /** Messages a second of each publisher; 0: the end. */
  readonly rate?: number;
  /** Closes all connections. */
  readonly close?: true;
  /** "forget": those so far do not count. "tell": they are in the answer. */
  readonly delays?: "forget" | "tell";
}
export interface HonestAnswer {
  readonly sent: number;
  readonly received: number;
  /** Milliseconds; not a number unless asked for. */
  readonly p50: number;
  readonly p99: number;
  readonly closed: number;
}

let sockets: Socket[] = [];
let [sent, received, closed] = [0, 0, 0];
let delays: number[] = [];
let timer: ReturnType<typeof setInterval> | undefined;

async function connectAll(port: number, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const socket = await natsSocket(port, `honest-${role}-${n}`);
    if (role === "subscribers") {
      socket.write(`SUB topic.honest.t${n} 1\r\n`);
      receive(socket);
    } else
      socket.setEncoding("latin1").on("data", (chunk: string) => {
        if (chunk.includes("PING")) socket.write(PONG);
        if (chunk.includes("-ERR")) console.error(`an honest publisher was told: ${chunk.trim()}`);
      });
    socket.on("close", () => closed++);
    sockets.push(socket);
  }
}

function receive(socket: Socket): void {
  let rest = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    // The clock of the machine is the same in both processes.
    const now = Number(process.hrtime.bigint() / 1_000n);
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines)
      if (line === "PING") socket.write(PONG);
      else if (line.startsWith("-ERR")) console.error(`an honest subscriber was told: ${line}`);
      else if (line !== "" && !line.startsWith("M")) {
        received++;
        delays.push((now - Number(line)) / 1_000);
      }
  });
}

function publish(rate: number): void {
  clearInterval(timer);
  if (rate === 0) return;
  const begin = performance.now();
  let rounds = 0;
  timer = setInterval(() => {
    const due = ((performance.now() - begin) * rate) / 1_000;
    for (; rounds < due; rounds++)
      for (const [n, socket] of sockets.entries()) {
        const text = String(process.hrtime.bigint() / 1_000n);
        socket.write(`PUB topic.honest.t${n} ${text.length}\r\n${text}\r\n`);
        sent++;
      }
  }, 1);
}

process.on("message", async ({ connect, rate, close, delays: wanted }: HonestQuestion) => {
  if (connect !== undefined) {
    await connectAll(connect.port, connect.count);
    [sent, received, closed] = [0, 0, 0];
  }
  if (rate !== undefined) publish(rate);
  // Sorting takes long: pings would not be answered meanwhile.
  const told = wanted === "tell" ? delays : [];
  if (connect !== undefined || wanted === "forget") delays = [];
  process.send?.({ sent, received, closed, p50: percentile(told, 0.5), p99: percentile(told, 0.99) } satisfies HonestAnswer);
  if (!close) return;
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
process.on("disconnect", () => process.exit());
process.send?.({});
