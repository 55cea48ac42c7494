// Recording from memory beside a bare McapWriter of @mcap/core: both take the same messages in the same bursts and write to the same disk. They are
// compared by processor time, which other work on the machine changes little. And what 10 topics at 1 kHz cost the daemon that records them, with the
// messages that were lost; MGR_BENCH_SECONDS is how long. `npx tsx bench/recording.ts`
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { systemClock } from "../src/base/timing/clock.ts";
import type { TapListener } from "../src/features/data-plane/host/tap.ts";
import { wallClock } from "../src/features/data-plane/wall-clock.ts";
import { OwnClock } from "../src/features/host-clocks/host/own-clock.ts";
import { Recording } from "../src/features/recordings/host/recording.ts";
import { SPEC } from "../test/features/recordings/host/recording-rig.ts";
import { cpuMs } from "./support/cpu.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { bareMcapFile } from "./support/mcap-file.ts";
import { Part } from "./support/part.ts";

const SIZES = { small: { bytes: 68, messages: 100_000 }, large: { bytes: 1_024, messages: 40_000 } };
const ROUNDS = 3;
/** Messages that come in one turn of the event loop, as from a socket; and bytes after which the disk is waited for: it must not drop any. */
const BURST = 500;
const MAX_AHEAD_BYTES = 16 * 1024 * 1024;
const TOPICS = 10;
const RATE = 1_000;
const SETTLE_MS = 2_000;
const SECONDS = Number(process.env.MGR_BENCH_SECONDS ?? 10);
const FLEET = new URL("./support/topic-fleet.ts", import.meta.url);
const ABOUT = { topic: "arm/state", definition: '{"type":"object"}', definitionName: "ArmState", encoding: "json", published: null };

interface Round {
  /** Messages a second. */
  readonly rate: number;
  /** Messages for each second of processor time, of all threads. */
  readonly perCore: number;
}

const folder = mkdtempSync(join(tmpdir(), "mgr-bench-recording-"));
const rounds: Record<string, Round[]> = {};
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { bytes, messages }] of Object.entries(SIZES)) {
      const payload = Buffer.alloc(bytes, "x");
      await measured(`ours ${name}`, messages, () => ours(join(folder, `${name}-${round}`), payload, messages));
      await measured(`bare ${name}`, messages, () => bare(join(folder, `${name}-${round}.mcap`), payload, messages));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measured(name: string, messages: number, run: () => Promise<void>): Promise<void> {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  await run();
  const seconds = (performance.now() - begin) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  rounds[name] = [...(rounds[name] ?? []), { rate: messages / seconds, perCore: messages / ((user + system) / 1e6) }];
}

async function ours(path: string, payload: Buffer, messages: number): Promise<void> {
  let publish: TapListener = () => {};
  const recording = new Recording({ ...SPEC, max_size: 4 * 1024 ** 3 }, path, {
    host: "bench",
    instance: "0f3a9c1b",
    tap: {
      add: (_pattern, listener) => {
        publish = listener;
        return () => {};
      },
    },
    clock: systemClock,
    ownClock: new OwnClock(wallClock),
    log: (_level, msg) => console.error(msg),
    changed: () => {},
  });
  await recording.start(recording.spec);
  let ahead = 0;
  // One object for all messages, as for the peer: what makes them is not measured.
  const message = { ...ABOUT, received: 0n, sequence: 0n, payload };
  for (let n = 0; n < messages; n++) {
    message.received = message.sequence = BigInt(n);
    publish(message, "");
    if (n % BURST !== BURST - 1) continue;
    await turn();
    ahead += BURST * payload.length;
    if (ahead < MAX_AHEAD_BYTES) continue;
    while (!recording.isIdle) await turn();
    ahead = 0;
  }
  await recording.stop();
  if (recording.report.messages !== messages) throw new Error(`${recording.report.dropped} messages were dropped`);
}

async function bare(path: string, payload: Buffer, messages: number): Promise<void> {
  const { writer, end } = await bareMcapFile(path);
  const schemaId = await writer.registerSchema({ name: ABOUT.definitionName, encoding: "jsonschema", data: Buffer.from(ABOUT.definition) });
  const channelId = await writer.registerChannel({ topic: ABOUT.topic, messageEncoding: "json", schemaId, metadata: new Map() });
  const message = { channelId, sequence: 0, logTime: 0n, publishTime: 0n, data: payload };
  for (let n = 0; n < messages; n++) {
    message.sequence = n;
    message.logTime = message.publishTime = BigInt(n);
    await writer.addMessage(message);
    if (n % BURST === BURST - 1) await turn();
  }
  await end();
}

interface Shown {
  readonly messages: number;
  readonly missed: number;
  readonly dropped: number;
}

/** The daemon's share of a core with and without recording, and what was lost. */
async function atOneKilohertz() {
  await using manager = await BenchManager.up({});
  const state = join(manager.dir, "state");
  const bus = new URL(readFileSync(join(state, "bus.url"), "utf8").trim());
  const { pid } = JSON.parse(readFileSync(join(state, "daemon.lock"), "utf8")) as { pid: number };
  const client = await manager.connect();
  await using fleet = await Part.start(FLEET, bus.port, bus.username, String(TOPICS), String(RATE));
  const share = async (seconds: number) => {
    await sleep(SETTLE_MS);
    const [before, begin] = [cpuMs(pid), performance.now()];
    await sleep(seconds * 1_000);
    return rounded(((cpuMs(pid) - before) * 100) / (performance.now() - begin), 1);
  };
  const without = await share(SECONDS / 2);
  const start = await client.ask({ type: "start_recording", name: "bench", min_free_space: 0 });
  if (start.ok !== true) throw new Error(String(start.message));
  const recording = await share(SECONDS);
  await fleet.ask({});
  await client.ask({ type: "stop_recording", name: "bench" });
  const { recordings } = await client.ask({ type: "request_recordings" });
  const [{ messages, missed, dropped } = { messages: 0, missed: -1, dropped: -1 }] = recordings as Shown[];
  return { daemon_percent: recording, daemon_percent_not_recording: without, messages, missed, dropped };
}

const median = (name: string, key: keyof Round, digits: number) =>
  rounded(
    percentile(
      (rounds[name] ?? []).map((one) => one[key]),
      0.5,
    ),
    digits,
  );
const compared = (name: keyof typeof SIZES) => {
  const mib = (rate: number) => rounded((rate * SIZES[name].bytes) / 2 ** 20, 0);
  const of = (key: keyof Round) => ({ ours: median(`ours ${name}`, key, 0), bare: median(`bare ${name}`, key, 0) });
  const [rate, perCore] = [of("rate"), of("perCore")];
  return {
    bytes: SIZES[name].bytes,
    messages_per_core_s: perCore,
    mib_per_core_s: { ours: mib(perCore.ours), bare: mib(perCore.bare) },
    messages_s: rate,
    ratio: rounded(perCore.ours / perCore.bare),
  };
};
const small = compared("small");
printFigure({
  figure: "recording",
  unit: `messages of ${SIZES.small.bytes} bytes for each second of processor time, recorded from memory`,
  value: small.messages_per_core_s.ours,
  peer: "McapWriter of @mcap/core, same messages and disk",
  peer_value: small.messages_per_core_s.bare,
  ratio: small.ratio,
  small,
  large: compared("large"),
  ten_topics_at_1_khz: await atOneKilohertz(),
});
