// What the ring of the flight recorder costs a daemon at 10 topics × 1 kHz: in memory, and on the disk as well, beside a recording of the same topics to the disk, and
// beside the same daemon that does neither. The load of a part that is written meanwhile is not included. MGR_BENCH_SECONDS is how long each is measured, MGR_BENCH_ROUNDS how often.
// `npx tsx bench/flight-ring.ts`
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FlightSpec } from "../src/features/flight/contract.ts";
import { cpuMs, residentMib } from "./support/cpu.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const TOPICS = 10;
const RATE = 1_000;
const SETTLE_MS = 1_000;
/** Time until the code of the daemon is compiled, milliseconds. */
const WARM_UP_MS = 5_000;
const ROUNDS = Number(process.env.MGR_BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.MGR_BENCH_SECONDS ?? 8);
const FLEET = new URL("./support/topic-fleet.ts", import.meta.url);
const MIB = 1024 * 1024;
const SPEC: FlightSpec = { memory: 64 * MIB, disk: 0, span_ms: 60_000, topics: ["*"], max_rate: null, terminals: ["*"], triggers: [] };

interface Shares {
  readonly without: number;
  readonly recording: number;
  readonly rss: number;
}

/** The daemon's share of a core, %, with this ring, and with a recording beside it. Null: no ring. */
async function measured(spec: FlightSpec | null): Promise<Shares> {
  const prepare = async (state: string) => {
    if (spec === null) return;
    mkdirSync(join(state, "flight"), { recursive: true, mode: 0o700 });
    writeFileSync(join(state, "flight/flight.json"), JSON.stringify({ spec, next: 1 }), { mode: 0o600 });
  };
  await using manager = await BenchManager.up({}, { prepare });
  const state = join(manager.dir, "state");
  const bus = new URL(readFileSync(join(state, "bus.url"), "utf8").trim());
  const { pid } = JSON.parse(readFileSync(join(state, "daemon.lock"), "utf8")) as { pid: number };
  const client = await manager.connect();
  await using fleet = await Part.start(FLEET, bus.port, bus.username, String(TOPICS), String(RATE));
  const share = async () => {
    await sleep(SETTLE_MS);
    const [before, begin] = [cpuMs(pid), performance.now()];
    await sleep(SECONDS * 1_000);
    return ((cpuMs(pid) - before) * 100) / (performance.now() - begin);
  };
  await sleep(WARM_UP_MS);
  const without = await share();
  const rss = residentMib(pid);
  const start = await client.ask({ type: "start_recording", name: "bench", min_free_space: 0 });
  if (start.ok !== true) throw new Error(String(start.message));
  const recording = await share();
  await client.ask({ type: "stop_recording", name: "bench" });
  await fleet.ask({});
  // The manager may have configured it otherwise: then something else was measured.
  if (spec !== null && !isDeepStrictEqual(JSON.parse(readFileSync(join(state, "flight/flight.json"), "utf8")).spec, spec))
    throw new Error("the ring was configured by the manager: nothing was measured");
  return { without, recording, rss };
}

const all: Record<"none" | "memory" | "disk", Shares[]> = { none: [], memory: [], disk: [] };
for (let round = 0; round < ROUNDS; round++) {
  all.none.push(await measured(null));
  all.memory.push(await measured(SPEC));
  all.disk.push(await measured({ ...SPEC, disk: 256 * MIB }));
}
const median = (of: keyof typeof all, key: keyof Shares) =>
  percentile(
    all[of].map((one) => one[key]),
    0.5,
  );
const base = median("none", "without");
const ring = median("memory", "without") - base;
const recording = median("none", "recording") - base;
printFigure({
  figure: "flight ring",
  unit: `% of a core for the ring in memory, ${TOPICS} topics at ${RATE} Hz`,
  value: rounded(ring),
  peer: "a recording of the same topics to the disk",
  peer_value: rounded(recording),
  ratio: rounded(ring / recording),
  ring_on_disk_percent: rounded(median("disk", "without") - base),
  daemon_percent_without: rounded(base),
  resident_mib: {
    without: rounded(median("none", "rss"), 0),
    memory: rounded(median("memory", "rss"), 0),
    disk: rounded(median("disk", "rss"), 0),
  },
});
