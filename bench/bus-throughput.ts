// Messages a second from one publisher to one subscriber through the manager's broker, of 128 bytes and of 64 KiB.
// Peer: Debian's nats-server with the same load. `npx tsx bench/bus-throughput.ts`
import { NatsServer } from "../test/support/nats/nats-server.ts";
import type { LoadCount } from "./support/bus-load.ts";
import { cpuMs } from "./support/cpu.ts";
import { medianOf, printFigure, rounded, sleep } from "./support/figure.ts";
import { Part } from "./support/part.ts";

const SIZES = [128, 65_536];
/** Of each size, broker and peer in turn; the median counts. */
const ROUNDS = 5;
const SETTLE_MS = 400;
const MEASURE_MS = 1_200;
const BROKER = new URL("./support/bus-broker.ts", import.meta.url);
const LOAD = new URL("./support/bus-load.ts", import.meta.url);

interface Measured {
  /** A second. */
  readonly messages: number;
  /** Processor time of the server, all threads, microseconds a message. */
  readonly cpu: number;
}

async function measure(load: Part, server: { port: number; pid: number }, size: number): Promise<Measured> {
  await load.ask<LoadCount>({ load: { port: server.port, size } });
  await sleep(SETTLE_MS);
  const [before, cpuBefore, begin] = [await load.ask<LoadCount>({}), cpuMs(server.pid), performance.now()];
  await sleep(MEASURE_MS);
  const [after, cpuAfter, end] = [await load.ask<LoadCount>({}), cpuMs(server.pid), performance.now()];
  await load.ask<LoadCount>({ load: null });
  await sleep(SETTLE_MS / 4);
  const count = after.messages - before.messages;
  return { messages: count / ((end - begin) / 1_000), cpu: ((cpuAfter - cpuBefore) * 1_000) / count };
}

await using broker = await Part.start(BROKER);
await using natsServer = await NatsServer.start();
await using load = await Part.start(LOAD);
const servers = { ours: await broker.ask<{ port: number; pid: number }>({}), theirs: natsServer };
const results = [];
for (const size of SIZES) {
  const rounds: { ours: Measured[]; theirs: Measured[] } = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const who of ["ours", "theirs"] as const) rounds[who].push(await measure(load, servers[who], size));
  }
  const median = (who: "ours" | "theirs", key: keyof Measured) => medianOf(rounds[who], key);
  const [ours, theirs] = [median("ours", "messages"), median("theirs", "messages")];
  results.push({
    size,
    ours,
    theirs,
    ratio: rounded(ours / theirs),
    cpu_us: rounded(median("ours", "cpu")),
    peer_cpu_us: rounded(median("theirs", "cpu")),
  });
}
const { dropped, late } = await broker.ask<{ dropped: number; late: number }>({});
const [small, large] = results;
if (!small || !large) throw new Error("nothing was measured");
printFigure({
  figure: "bus-throughput",
  unit: "messages/s of 128 bytes, one publisher, one subscriber",
  value: Math.round(small.ours),
  peer: "nats-server (Debian), same load",
  peer_value: Math.round(small.theirs),
  ratio: small.ratio,
  cpu_us_per_message: small.cpu_us,
  peer_cpu_us_per_message: small.peer_cpu_us,
  of_64_kib: {
    value: Math.round(large.ours),
    peer: Math.round(large.theirs),
    ratio: large.ratio,
    cpu_us: large.cpu_us,
    peer_cpu_us: large.peer_cpu_us,
  },
  dropped,
  // Under both loads: processor time that everything else in the manager would have waited for, at most.
  timers_wait_for_cpu_ms: rounded(late, 1),
});
