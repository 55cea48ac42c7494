// What the ring of the flight recorder costs a daemon at 10 topics × 1 kHz: in memory, and on the disk as well, beside a recording of the same topics to the disk, and
// beside the same daemon that does neither. The load of a part that is written meanwhile is not included. Peer: a bare nats-server with the same topics, and a program that
// subscribes to them and writes them with McapWriter. MGR_BENCH_SECONDS is how long each is measured, MGR_BENCH_ROUNDS how often.
// `npx tsx bench/flight-ring.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { cpuMs, residentMib } from "./support/cpu.ts";
import { medianOf, percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const TOPICS = 10;
const RATE = 1_000;
/** Time until the code of the daemon is compiled, milliseconds. */
const WARM_UP_MS = 5_000;
const ROUNDS = Number(process.env.MGR_BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.MGR_BENCH_SECONDS ?? 8);
const FLEET = new URL("./support/topic-fleet.ts", import.meta.url);
const RECORDER = new URL("./support/bare-recorder.ts", import.meta.url);
const MIB = 1024 * 1024;
const MEMORY = 64 * MIB;

interface Shares {
  /** The daemon's share of a core, %. */
  readonly cpu: number;
  /** MiB. */
  readonly rss: number;
}

/** Each case has a daemon of its own and the same time to warm up: one that has run for longer is faster. `disk`: bytes of the ring there; null: no ring at all. */
async function measured(disk: number | null, isRecording = false): Promise<Shares> {
  const flight = disk === null ? {} : { flight: { memory: MEMORY, seconds: 60, disk: disk === 0 ? "none" : disk, triggers: {} } };
  await using manager = await BenchManager.up({}, flight);
  const state = join(manager.dir, "state");
  const bus = new URL(readFileSync(join(state, "bus.url"), "utf8").trim());
  const { pid } = JSON.parse(readFileSync(join(state, "daemon.lock"), "utf8")) as { pid: number };
  const client = await manager.connect();
  await using fleet = await Part.start(FLEET, bus.port, bus.username, String(TOPICS), String(RATE));
  if (isRecording) {
    const start = await client.ask({ type: "start_recording", name: "bench", min_free_space: 0 });
    if (start.ok !== true) throw new Error(String(start.message));
  }
  await sleep(WARM_UP_MS);
  const [before, begin] = [cpuMs(pid), performance.now()];
  await sleep(SECONDS * 1_000);
  const cpu = ((cpuMs(pid) - before) * 100) / (performance.now() - begin);
  const rss = residentMib(pid);
  await fleet.ask({});
  if (disk !== null) {
    const { spec } = JSON.parse(readFileSync(join(state, "flight/flight.json"), "utf8")) as { spec: { memory: number; disk: number } };
    if (spec.memory !== MEMORY || spec.disk !== disk) throw new Error(`another ring was measured: ${JSON.stringify(spec)}`);
  }
  return { cpu, rss };
}

/** The peer's shares of a core, %: nats-server and, if it records, the program that subscribes and writes. */
async function measuredPeer(isRecording: boolean): Promise<number> {
  await using server = await NatsServer.start();
  await using _fleet = await Part.start(FLEET, String(server.port), "", String(TOPICS), String(RATE));
  await using recorder = isRecording ? await Part.start(RECORDER, String(server.port), join(server.folder, "peer.mcap")) : null;
  const cpu = () => cpuMs(server.pid) + (recorder === null ? 0 : cpuMs(recorder.pid));
  await sleep(WARM_UP_MS);
  const [before, begin] = [cpu(), performance.now()];
  await sleep(SECONDS * 1_000);
  const share = ((cpu() - before) * 100) / (performance.now() - begin);
  if (recorder !== null && (await recorder.ask<{ messages: number }>({})).messages === 0) throw new Error("the peer has recorded nothing");
  return share;
}

const peers: Record<"none" | "recording", number[]> = { none: [], recording: [] };
const all: Record<"none" | "memory" | "disk" | "recording", Shares[]> = { none: [], memory: [], disk: [], recording: [] };
for (let round = 0; round < ROUNDS; round++) {
  all.none.push(await measured(null));
  all.memory.push(await measured(0));
  all.disk.push(await measured(256 * MIB));
  all.recording.push(await measured(null, true));
  peers.none.push(await measuredPeer(false));
  peers.recording.push(await measuredPeer(true));
}
const median = (of: keyof typeof all, key: keyof Shares) => medianOf(all[of], key);
const beyondNone = (of: keyof typeof all) => rounded(median(of, "cpu") - median("none", "cpu"));
const peerShare = (of: keyof typeof peers) => rounded(percentile(peers[of], 0.5));
const peerBeyond = rounded(peerShare("recording") - peerShare("none"));
const resident = (of: keyof typeof all) => rounded(median(of, "rss"), 0);
printFigure({
  figure: "flight-ring",
  unit: `% of a core for the ring in memory, ${TOPICS} topics at ${RATE} Hz`,
  value: beyondNone("memory"),
  peer: "nats-server with a program that writes the same topics to a file with McapWriter: beyond nats-server without it",
  peer_value: peerBeyond,
  ratio: rounded(beyondNone("memory") / peerBeyond),
  ring_on_disk_percent: beyondNone("disk"),
  recording_percent: beyondNone("recording"),
  daemon_percent_without: rounded(median("none", "cpu")),
  nats_server_percent_without: peerShare("none"),
  resident_mib: { without: resident("none"), memory: resident("memory"), disk: resident("disk"), recording: resident("recording") },
});
