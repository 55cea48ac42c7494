// Pause of each terminal while a daemon replaces its program, milliseconds, p99 of 200 processes that write 10 MB/s together; lost bytes and
// changed pids. Peer: the longest pause of the same terminals in as much time without a replacement. `npx tsx bench/upgrade.ts`
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBroker } from "../src/bus/broker/broker.ts";
import { connectBus } from "../src/bus/client/connect-bus.ts";
import type { ResponseOf } from "../src/contract/messages.ts";
import type { RunReport } from "../src/contract/run.ts";
import { builtDaemon, type Greeted, greetHost, startDaemonProgram } from "../test/daemon/support/built-daemon.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";

const PROCESSES = Number(process.argv[2] ?? 200);
const BYTES_PER_SECOND = 10_000_000;
/** Length of a line as the terminal gives it out, bytes: the program's newline becomes two. */
const LINE_BYTES = 1_026;
const WARM_UP_MS = 3_000;
const WRITER = join(import.meta.dirname, "support/numbered-output.py");

const built = await builtDaemon();
const folder = mkdtempSync(join(tmpdir(), "mgr-bench-"));
const broker = createBroker();
await broker.listenUnix(join(folder, "bus.sock"));
const bus = await connectBus({ server: { kind: "memory", broker }, name: "bench" });
const options = { state_dir: join(folder, "state"), host: "bench", bus: { socket: join(folder, "bus.sock") } };
const daemon = startDaemonProgram(join(built, "dist/daemon.cjs"), options);
let manager = await greetHost(bus, "bench");
const heart = setInterval(() => manager.link.heartbeat(manager.session), 1_000);

/** Runs the processes; calls `during` in the middle. Returns the longest pause of each terminal, lost bytes and changed pids. */
async function measured(prefix: string, during: () => Promise<void>): Promise<{ pauses: number[]; lost: number; changed: number }> {
  const pace = BYTES_PER_SECOND / PROCESSES / LINE_BYTES;
  const names = Array.from({ length: PROCESSES }, (_, index) => `${prefix}${index}`);
  const before = new Map<string, number>();
  for (const name of names) before.set(name, (await manager.spawn(name, `stty -echo; exec python3 ${WRITER} ${pace}`)).pid);
  await sleep(WARM_UP_MS);
  await during();
  await sleep(WARM_UP_MS);
  const pauses: number[] = [];
  let [lost, changed] = [0, 0];
  for (const run of await runsOf(manager)) {
    if (!before.has(run.name)) continue;
    if (run.pid !== before.get(run.name) || run.exit !== null) changed++;
    await manager.link.request("write", { session: manager.session, run_id: run.run_id, text: "\n" });
    let text = "";
    let from = 0;
    while (!text.includes(" ms")) {
      ({ from, text } = await tailOf(manager, run.name));
    }
    pauses.push(Number(/longest ([\d.]+) ms/.exec(text)?.[1]));
    lost += lostBytes(from, text);
    await manager.link.request("stop", { session: manager.session, run_id: run.run_id, steps: [{ signal: "SIGKILL", timeout_ms: 1_000 }] });
  }
  return { pauses, lost, changed };
}

async function runsOf({ link, session }: Greeted): Promise<RunReport[]> {
  const runs: RunReport[] = [];
  for (let after: string | null = null; ; ) {
    const page: ResponseOf<"report"> = await link.request("report", { session, after });
    runs.push(...page.runs);
    if (page.next === null) return runs;
    after = page.next;
  }
}

async function tailOf({ link, session }: Greeted, name: string): Promise<{ from: number; text: string }> {
  const { from, data } = await link.request("read", { session, name, from: 0, max: 256 * 1024 });
  return { from, text: Buffer.from(data).toString("latin1") };
}

/** Compares each number with the offset of its line. */
function lostBytes(from: number, text: string): number {
  const lines = [...text.matchAll(/(\d{10}) x{1013}\r\n/g)];
  const [first] = lines;
  if (first === undefined) return Number.NaN;
  const expected = (Number(first[1]) - 1) * LINE_BYTES;
  const gaps = lines.filter((line, index) => Number(line[1]) !== Number(first[1]) + index).length;
  return expected - (from + first.index) + gaps * LINE_BYTES;
}

const log = () => readFileSync(join(folder, "state/daemon.log"), "utf8");
const usual = await measured("peer", () => sleep(1_000));
const replaced = await measured("upgraded", async () => {
  await manager.link.request("replace_program", { session: manager.session, program: null, node: null });
  while (!log().includes("this program has replaced")) await sleep(5);
  manager = await greetHost(bus, "bench", 2);
});
clearInterval(heart);
daemon.daemon.kill("SIGTERM");
await once(daemon.daemon, "exit");
await bus.close();
await broker.close();
for (const path of [built, folder]) rmSync(path, { recursive: true });
printFigure({
  figure: "pause of a terminal while the daemon replaces its program, p99",
  unit: "ms",
  value: rounded(percentile(replaced.pauses, 0.99)),
  p50: rounded(percentile(replaced.pauses, 0.5)),
  processes: PROCESSES,
  lost_bytes: replaced.lost,
  changed_pids: replaced.changed,
  peer: "longest pause of the same terminals without it, p99",
  peer_value: rounded(percentile(usual.pauses, 0.99)),
});
