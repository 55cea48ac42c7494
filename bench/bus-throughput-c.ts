// The same as bus-throughput.ts with publisher and subscriber in C, each a process of its own: messages a second of 128 bytes and of 64 KiB through the
// manager's broker, and processor time of the server and of the clients for each. Peer: Debian's nats-server with the same load. Needs gcc.
// `npx tsx bench/bus-throughput-c.ts`
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { cpuMs } from "./support/cpu.ts";
import { medianOf, printFigure, rounded, sleep } from "./support/figure.ts";
import { Part } from "./support/part.ts";

const SIZES = [128, 65_536];
/** Of each size, broker and peer in turn; the median counts. */
const ROUNDS = 5;
const SETTLE_MS = 400;
const MEASURE_MS = 1_200;

interface Measured {
  /** A second. */
  readonly messages: number;
  /** Processor time of the server, all threads, and of both clients; microseconds a message. */
  readonly cpu: number;
  readonly clients: number;
}

const dir = mkdtempSync(join(tmpdir(), "mgr-bench-"));
const program = join(dir, "bus-load");
execFileSync("gcc", ["-O2", "-o", program, fileURLToPath(new URL("support/bus-load.c", import.meta.url))]);

async function measure({ port, pid }: { port: number; pid: number }, size: number): Promise<Measured> {
  const load = spawn(program, [String(port), String(size)], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(load, "exit");
  const lines = createInterface(load.stdout)[Symbol.asyncIterator]();
  const count = async () => {
    load.stdin.write("\n");
    const [messages = 0, clients = 0] = String((await lines.next()).value)
      .split(" ")
      .map(Number);
    return { messages, clients, cpu: cpuMs(pid) * 1_000, at: performance.now() };
  };
  await sleep(SETTLE_MS);
  const before = await count();
  await sleep(MEASURE_MS);
  const after = await count();
  load.stdin.end();
  await exited;
  const messages = after.messages - before.messages;
  if (!(messages > 0)) throw new Error("no message arrived");
  return {
    messages: messages / ((after.at - before.at) / 1_000),
    cpu: (after.cpu - before.cpu) / messages,
    clients: (after.clients - before.clients) / messages,
  };
}

try {
  await using broker = await Part.start(new URL("./support/bus-broker.ts", import.meta.url));
  await using natsServer = await NatsServer.start();
  const servers = { ours: await broker.ask<{ port: number; pid: number }>({}), theirs: natsServer };
  const results = [];
  for (const size of SIZES) {
    const rounds: { ours: Measured[]; theirs: Measured[] } = { ours: [], theirs: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const who of ["ours", "theirs"] as const) rounds[who].push(await measure(servers[who], size));
    const median = (who: "ours" | "theirs", key: keyof Measured) => medianOf(rounds[who], key);
    const [ours, theirs] = [median("ours", "messages"), median("theirs", "messages")];
    results.push({
      size,
      ours: rounded(ours),
      theirs: rounded(theirs),
      ratio: rounded(ours / theirs),
      cpu_us: rounded(median("ours", "cpu")),
      peer_cpu_us: rounded(median("theirs", "cpu")),
      clients_us: rounded(median("ours", "clients")),
      peer_clients_us: rounded(median("theirs", "clients")),
    });
  }
  const [small, large] = results;
  const { dropped } = await broker.ask<{ dropped: number }>({});
  printFigure({
    figure: "bus-throughput-c",
    unit: "messages/s of 128 bytes, publisher and subscriber in C",
    value: small?.ours ?? 0,
    peer: "nats-server (Debian), same load",
    peer_value: small?.theirs ?? 0,
    small,
    of_64_kib: large,
    dropped,
  });
} finally {
  rmSync(dir, { recursive: true });
}
