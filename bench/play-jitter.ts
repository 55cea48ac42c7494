// How far from its recorded time `mgr play` publishes each message of a recording at 1 kHz: the times at which they reach a subscriber of the same
// machine, less the recorded times, around their median of each second. Peer: a bare timer loop, which sends to the same broker what it has in memory at the same
// times. MGR_BENCH_SECONDS is the length of the recording. `npx tsx bench/play-jitter.ts`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McapWriter } from "@mcap/core";
import { connectClient, type DataClient } from "../src/client/index.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const PROGRAM = process.env.MGR_BENCH_PROGRAM ?? fileURLToPath(new URL("../bin/mgr.js", import.meta.url));
const SECONDS = Number(process.env.MGR_BENCH_SECONDS ?? 20);
const RATE = 1_000;
const INTERVAL_NS = 1_000_000_000n / BigInt(RATE);
const COUNT = SECONDS * RATE;
const ROUNDS = 3;
const START = 1_795_694_400_000_000_000n;
const VALUE = new TextEncoder().encode(JSON.stringify({ position: [0.1, 0.2, 0.3], velocity: [1, 2, 3] }));

async function writeRecording(path: string): Promise<void> {
  const file = await open(path, "wx");
  let position = 0;
  const write = async (bytes: Uint8Array) => {
    await file.write(bytes, 0, bytes.length, position);
    position += bytes.length;
  };
  const writer = new McapWriter({ writable: { write, position: () => BigInt(position) } });
  await writer.start();
  const schemaId = await writer.registerSchema({
    name: "ArmState",
    encoding: "jsonschema",
    data: new TextEncoder().encode('{"type":"object"}'),
  });
  const channelId = await writer.registerChannel({ topic: "arm/state", messageEncoding: "json", schemaId, metadata: new Map() });
  for (let n = 0; n < COUNT; n++) {
    const time = START + BigInt(n) * INTERVAL_NS;
    await writer.addMessage({ channelId, sequence: n, logTime: time, publishTime: time, data: VALUE });
  }
  await writer.end();
  await file.close();
}

/**
 * Milliseconds between the arrival of each message and its recorded time, less the median of the same second: what is the same for all is no jitter,
 * and a play that goes on late after a stall of the machine counts the stall, not what follows.
 */
async function jitterOf(client: DataClient, publish: () => Promise<void>): Promise<number[]> {
  const offsets: number[] = [];
  const subscription = client.subscribe("arm/state", {
    onMessage: ({ time }) => {
      if (time !== null) offsets.push(performance.now() - Number(time - START) / 1e6);
    },
  });
  await client.flush();
  await publish();
  await client.flush();
  subscription.close();
  if (offsets.length !== COUNT) throw new Error(`${offsets.length} of ${COUNT} messages arrived`);
  return Array.from({ length: SECONDS }, (_, second) => offsets.slice(second * RATE, (second + 1) * RATE)).flatMap((within) => {
    const median = percentile(within, 0.5);
    return within.map((offset) => Math.abs(offset - median));
  });
}

/** In a process of its own, as `mgr play` is. */
const TIMER_LOOP = `
  import { connectClient } from "mgr/client";
  const client = await connectClient({ name: "timer loop" });
  const publisher = await client.publisher("arm/state", { type: "object" });
  const value = new Uint8Array(Buffer.from(process.argv[1], "base64"));
  const begin = performance.now();
  let n = 0;
  const step = () => {
    for (; n < ${COUNT} && n * ${1_000 / RATE} <= performance.now() - begin; n++)
      publisher.publishEncoded(value, ${START}n + BigInt(n) * ${INTERVAL_NS}n);
    if (n < ${COUNT}) setTimeout(step, 1);
    else client.flush().then(() => client.close());
  };
  step();`;

await using manager = await BenchManager.up({});
const recording = join(manager.dir, "run1.mcap");
await writeRecording(recording);
const url = readFileSync(join(manager.dir, "state/bus.url"), "utf8").trim();
const client = await connectClient({ name: "subscriber", url });
const root = fileURLToPath(new URL("..", import.meta.url));
const run = async (...words: string[]) => {
  const environment = { ...process.env, MGR_BUS_URL: url };
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "ignore", "inherit"], env: environment });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}`);
};
const ours: number[] = [];
const bare: number[] = [];
try {
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(...(await jitterOf(client, () => run(PROGRAM, "play", recording, "-c", join(manager.dir, "mgr.yaml")))));
    bare.push(...(await jitterOf(client, () => run("--input-type=module", "-e", TIMER_LOOP, Buffer.from(VALUE).toString("base64")))));
  }
} finally {
  await client.close();
}
const figures = (values: readonly number[]) => ({ p50: rounded(percentile(values, 0.5)), worst: rounded(percentile(values, 1)) });
printFigure({
  figure: "play jitter",
  unit: "ms, 99th percentile of the distance to the recorded time at 1 kHz",
  value: rounded(percentile(ours, 0.99)),
  peer: "bare timer loop with the messages in memory",
  peer_value: rounded(percentile(bare, 0.99)),
  ours: figures(ours),
  bare: figures(bare),
  messages: ROUNDS * COUNT,
});
