// Downloads of a logger: samples a second in each format, beside a copy of the same bytes on the same disk, and what the memory of manager and daemon grows
// by meanwhile. MGR_BENCH_MIB is the size of the samples: with 1024 a run takes some minutes. `npx tsx bench/logger-formats.ts`
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { natsSocket, pong } from "./support/nats-socket.ts";

const MIB = Number(process.env.MGR_BENCH_MIB ?? 32);
const FORMATS = ["raw", "mcap", "pickle", "matlab", "csv"] as const;
/** Numbers in each sample, which are a list of fixed length in JSON: about 1 KiB. */
const NUMBERS = 60;
/** Samples between two looks at whether the broker keeps up. */
const BURST = 1_000;
const CHECK_INTERVAL_MS = 50;

const numbers = Array.from({ length: NUMBERS }, (_, n) => Math.sin(n));
const payload = (n: number) => JSON.stringify({ n, time: n / 1_000, position: numbers });
const SIZE = payload(100_000).length;
const SAMPLES = Math.round((MIB * 2 ** 20) / SIZE);

await using manager = await BenchManager.up({}, { loggers: { max_memory: Math.max(64, MIB * 2) * 2 ** 20 } });
const client = await manager.connect();
const topics = [{ name: "bench/state", log_size: SAMPLES, divisor: 1 }];
for (const frame of [{ type: "configure_logger", only_ts: false, topics }, { type: "start_logger" }]) {
  const answer = await client.ask({ name: "bench", ...frame });
  if (answer.ok !== true) throw new Error(String(answer.message));
}
await publish();

const folder = mkdtempSync(join(tmpdir(), "mgr-bench-downloads-"));
const formats: Record<string, object> = {};
let raw: { bytes: number; seconds: number } | null = null;
try {
  for (const format of FORMATS) {
    const { bytes, seconds, growth, received } = await download(format);
    if (format === "raw") {
      raw = { bytes, seconds };
      writeFileSync(join(folder, "raw"), Buffer.concat(received));
    }
    formats[format] = {
      samples_s: rounded(SAMPLES / seconds, 0),
      mib_s: rounded((SAMPLES * SIZE) / 2 ** 20 / seconds, 1),
      file_mib: rounded(bytes / 2 ** 20, 1),
      growth_mib: growth,
    };
  }
  const begin = performance.now();
  copyFileSync(join(folder, "raw"), join(folder, "copy"));
  readFileSync(join(folder, "copy"));
  const copied = (performance.now() - begin) / 1_000;
  if (raw === null) throw new Error("raw was not downloaded");
  printFigure({
    figure: "logger-formats",
    unit: "MiB of samples a second, downloaded as raw",
    value: rounded((SAMPLES * SIZE) / 2 ** 20 / raw.seconds, 1),
    peer: "a copy of the downloaded file, and reading it",
    peer_value: rounded(raw.bytes / 2 ** 20 / copied, 1),
    samples: SAMPLES,
    sample_bytes: SIZE,
    formats,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Resolves when the logger has all samples. */
async function publish(): Promise<void> {
  const bus = new URL(readFileSync(join(manager.dir, "state", "bus.url"), "utf8").trim());
  const socket = await natsSocket(Number(bus.port), bus.username);
  socket.resume();
  const about = JSON.stringify({ name: "bench", topics: [{ name: "bench/state", encoding: "json", definition: '{"type":"object"}' }] });
  socket.write(`SUB _INBOX.bench 1\r\nPUB mgr.client.register _INBOX.bench ${about.length}\r\n${about}\r\n`);
  await once(socket, "data");
  for (let n = 0; n < SAMPLES; n++) {
    const text = payload(n);
    socket.write(`PUB topic.bench.state ${text.length}\r\n${text}\r\n`);
    if (n % BURST === BURST - 1) await pong(socket);
  }
  await pong(socket);
  for (;;) {
    const { loggers } = await client.ask({ type: "request_loggers" });
    const held = (loggers as { topics: { n_samples: number }[] }[])[0]?.topics[0]?.n_samples;
    if (held === SAMPLES) break;
    await sleep(CHECK_INTERVAL_MS);
  }
  socket.destroy();
}

interface Download {
  readonly bytes: number;
  readonly seconds: number;
  /** Of the resident memory while it was downloaded, beyond what it was before, MiB. */
  readonly growth: { readonly manager: number; readonly daemon: number };
  /** Of `raw` only. */
  readonly received: readonly Uint8Array[];
}

async function download(format: string): Promise<Download> {
  const before = manager.memory();
  const seen: { manager: number; daemon: number }[] = [before];
  const looking = setInterval(() => seen.push(manager.memory()), CHECK_INTERVAL_MS);
  const begin = performance.now();
  const url = `${manager.url.replace(/^ws/, "http")}/mgr/logger-download?name=bench&format=${format}`;
  const response = await fetch(url, { headers: { authorization: manager.authorization } });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status}: ${await response.text()}`);
  let bytes = 0;
  const received: Uint8Array[] = [];
  for await (const part of response.body) {
    bytes += part.length;
    if (format === "raw") received.push(part);
  }
  clearInterval(looking);
  const most = (of: "manager" | "daemon") =>
    percentile(
      seen.map((each) => each[of]),
      1,
    ) - before[of];
  return {
    bytes,
    seconds: (performance.now() - begin) / 1_000,
    growth: { manager: most("manager"), daemon: most("daemon") },
    received,
  };
}
