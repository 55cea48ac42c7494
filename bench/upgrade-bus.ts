// Samples that programs on the bus lose while a daemon replaces its program, and the longest gap between two samples: five topics at 1 kHz of a
// Python client, with a recording; the program is replaced three times. Peer: the same without a replacement. `npx tsx bench/upgrade-bus.ts`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createBroker } from "../src/bus/broker/broker.ts";
import { connectBus } from "../src/bus/client/connect-bus.ts";
import { builtDaemon, greetHost, startDaemonProgram } from "../test/daemon/support/built-daemon.ts";
import { SPEC } from "../test/features/recordings/host/recording-rig.ts";
import { readMcap } from "../test/features/recordings/samples/mcap/independent-reader.ts";
import { printFigure, sleep } from "./support/figure.ts";

const PROGRAM = join(import.meta.dirname, "../test/fixtures/numbered-samples.py");
const [TOPICS, RATE, COUNT, REPLACEMENTS] = [5, 1_000, 15_000, 3];

interface Result {
  readonly lost: number;
  readonly double: number;
  readonly longest_gap_ms: number;
  readonly problems: readonly string[];
}

const built = await builtDaemon();
try {
  const beside = await measure(0);
  const result = await measure(REPLACEMENTS);
  printFigure({
    figure: "samples lost while a daemon replaces its program three times",
    unit: "samples",
    value: result.lost,
    peer: "without a replacement",
    peer_value: beside.lost,
    of: TOPICS * COUNT,
    double: result.double,
    reconnects: result.problems.length,
    not_recorded: result.notRecorded,
    longest_gap_ms: result.longest_gap_ms,
    longest_gap_without_ms: beside.longest_gap_ms,
  });
} finally {
  rmSync(built, { recursive: true });
}

async function measure(replacements: number): Promise<Result & { readonly notRecorded: number }> {
  const folder = mkdtempSync(join(tmpdir(), "mgr-bench-upgrade-"));
  const state = join(folder, "state");
  const broker = createBroker();
  await broker.listenUnix(join(folder, "bus.sock"));
  const bus = await connectBus({ server: { kind: "memory", broker }, name: "bench" });
  const options = { state_dir: state, host: "bench", bus: { socket: join(folder, "bus.sock") } };
  const { daemon, exit } = startDaemonProgram(join(built, "dist/daemon.cjs"), options);
  try {
    let manager = await greetHost(bus, "bench");
    await manager.request("record_start", { spec: SPEC });
    const env = { ...process.env, MGR_BUS_URL: readFileSync(join(state, "bus.url"), "utf8").trim() };
    const client = spawn("python3", [PROGRAM, `${TOPICS}`, `${RATE}`, `${COUNT}`], { env, stdio: ["ignore", "pipe", "inherit"] });
    const output = text(client.stdout);
    await once(client.stdout, "data");
    for (let n = 1; n <= replacements; n++) {
      await sleep(3_000);
      await manager.request("replace_program", { program: null, node: null });
      while (readFileSync(join(state, "daemon.log"), "utf8").split("has replaced").length <= n) await sleep(20);
      manager = await greetHost(bus, "bench", n + 1);
    }
    const result: Result = JSON.parse((await output).split("\n").at(-2) ?? "");
    await manager.request("record_stop", { name: SPEC.name });
    const files = readdirSync(join(state, "recordings", SPEC.name)).filter((name) => name.endsWith(".mcap"));
    const recorded = files.reduce(
      (sum, file) => sum + readMcap(readFileSync(join(state, "recordings", SPEC.name, file))).messages.length,
      0,
    );
    return { ...result, notRecorded: TOPICS * COUNT - recorded };
  } finally {
    daemon.kill("SIGTERM");
    await exit;
    await bus.close();
    await broker.close();
    rmSync(folder, { recursive: true });
  }
}
