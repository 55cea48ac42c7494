// Processor time of the manager for one command override (ms, all threads), 300 one after the other with a few ms between them, among 1,000
// processes: the change whose cost `many-pages` multiplies. Peer: a bare `ws` server that has the same lines on the disk and sends frames of the same
// sizes. `npx tsx bench/override.ts`; MGR_BENCH_OVERRIDES is their number.
import { Client } from "./support/client.ts";
import { cpuMs } from "./support/cpu.ts";
import { medianOf, percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const PROCESSES = 1_000;
const OVERRIDES = Number(process.env.MGR_BENCH_OVERRIDES ?? 300);
/** Manager and peer in turn; the median counts. */
const ROUNDS = 5;
/** Between overrides, so that each finds what it finds beside other work: caches that are cold. */
const QUIET_MS = 6;

interface Round {
  /** Processor time for each override, ms. */
  readonly cpu: number;
  /** Until its upsert, ms. */
  readonly p50: number;
}

const nameOf = (index: number) => `fleet/process-${index % PROCESSES}`;

async function measure(client: Client, pid: number, round: number): Promise<Round> {
  const times: number[] = [];
  const before = cpuMs(pid);
  for (let index = 0; index < OVERRIDES; index++) {
    const name = nameOf(index);
    const begin = performance.now();
    const changed = client.until(({ type, process }) => type === "process_upsert" && (process as { name: string }).name === name);
    client.send({ type: "set_process_command_override", name, override: `sleep ${round} ${index}` });
    await changed;
    times.push(performance.now() - begin);
    await sleep(QUIET_MS);
  }
  return { cpu: (cpuMs(pid) - before) / OVERRIDES, p50: percentile(times, 0.5) };
}

const settings = Object.fromEntries(
  Array.from({ length: PROCESSES }, (_, index) => [nameOf(index), { command: ["true"], autostart: false }]),
);
await using manager = await BenchManager.up(settings);
const client = await manager.connect();
const [pid = 0] = manager.programs();
await using bare = await Part.start(new URL("./support/bare-override.ts", import.meta.url), manager.dir);
const peer = await Client.open((await bare.ask<{ url: string }>({})).url, {});

// Both have compiled what they will run.
await measure(client, pid, 0);
await measure(peer, bare.pid, 0);
const ours: Round[] = [];
const theirs: Round[] = [];
for (let round = 1; round <= ROUNDS; round++) {
  ours.push(await measure(client, pid, round));
  theirs.push(await measure(peer, bare.pid, round));
}
peer.ws.terminate();

const [value, peerValue] = [medianOf(ours, "cpu"), medianOf(theirs, "cpu")];
printFigure({
  figure: "override",
  unit: "ms of the manager's processor time for one command override",
  value: rounded(value),
  peer: "bare ws server with the same durable writes and frames",
  peer_value: rounded(peerValue),
  ratio: rounded(value / peerValue),
  ms_until_upsert: { p50: rounded(medianOf(ours, "p50"), 1), peer_p50: rounded(medianOf(theirs, "p50"), 1) },
});
