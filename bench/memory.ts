// Memory of manager and daemon with 1,000 processes, 20 s after their start: resident, proportional (what programs share is divided among them), and
// live after a collection of garbage, with the contents of rings apart. Peer: two Node programs that load xstate, ws and zod and do nothing.
// Port 9229, that of Node's inspector, has to be free. `npx tsx bench/memory.ts`; MGR_BENCH_COUNT is the number of processes, MGR_BENCH_SETTLE_S how long it waits.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { residentMib } from "./support/cpu.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";
import { liveMemory } from "./support/inspected-heap.ts";
import { BenchManager } from "./support/manager.ts";

const COUNT = Number(process.env.MGR_BENCH_COUNT ?? 1_000);
const SETTLE_S = Number(process.env.MGR_BENCH_SETTLE_S ?? 20);
const MIB = 1_048_576;
const LIBRARIES = ["xstate", "ws", "zod"];
const ROOT = fileURLToPath(new URL("..", import.meta.url));

const mib = (bytes: number) => rounded(bytes / MIB, 1);

/** Resident memory in which pages that several programs share are divided among them, MiB. */
function proportionalMib(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1]) / 1_024;
}

/** Resident memory of two Node programs with these libraries, MiB. */
async function bare(libraries: readonly string[]): Promise<{ resident: number; proportional: number }> {
  const program = `Promise.all(${JSON.stringify(libraries)}.map((name) => import(name))).then(() => console.log("loaded")); setInterval(() => {}, 60_000);`;
  const children: ChildProcess[] = [];
  try {
    for (let index = 0; index < 2; index++) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
      children.push(child);
      await once(child.stdout, "data");
    }
    await sleep(2_000);
    const sum = (measure: (pid: number) => number) =>
      rounded(
        children.reduce((total, { pid = 0 }) => total + measure(pid), 0),
        1,
      );
    return { resident: sum(residentMib), proportional: sum(proportionalMib) };
  } finally {
    for (const child of children) {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    }
  }
}

async function ours() {
  const names = Array.from({ length: COUNT }, (_, index) => `g/p${index}`);
  const settings = { command: ["sleep", "1000"] };
  await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, settings])));
  const client = await manager.connect();
  client.send({ type: "start_group", name: "g" });
  await client.untilAll(names, "started");
  await sleep(SETTLE_S * 1_000);
  const { hosts = [] } = (await client.ask({ type: "request_flight_hosts" })) as { hosts?: readonly { bytes: number }[] };
  const pids = manager.programs();
  const resident = pids.map((pid) => rounded(residentMib(pid), 1));
  const proportional = pids.map((pid) => rounded(proportionalMib(pid), 1));
  const live = [];
  for (const pid of pids) live.push(await liveMemory(pid));
  return { resident, proportional, live, flight: hosts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const nothing = await bare([]);
const libraries = await bare(LIBRARIES);
const { resident, proportional, live, flight } = await ours();
const sum = (values: readonly number[]) =>
  rounded(
    values.reduce((total, value) => total + value, 0),
    1,
  );
printFigure({
  figure: "memory",
  unit: `MiB resident of manager and daemon with ${COUNT} processes`,
  value: sum(resident),
  resident_mib: resident,
  proportional_mib: proportional,
  live_heap_mib: live.map(({ heap }) => mib(heap)),
  // Memory of all buffers: the rings of output and load history in the daemon, messages and files of the page in the manager.
  live_buffers_mib: live.map(({ buffers }) => mib(buffers)),
  flight_ring_mib: mib(flight),
  peer: `two Node programs that load ${LIBRARIES.join(", ")}`,
  peer_value: libraries.resident,
  peer_proportional_mib: libraries.proportional,
  peer_that_loads_nothing_mib: nothing,
});
