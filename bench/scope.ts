// Processor time of `mgr scope` in a terminal of 40 × 120 while it shows 20 traces at 1 kHz, of one topic with 20 fields and of 20 topics, and the
// longest pause between two pictures. Peer: a program that subscribes to the same topics with mgr/client, and reads the values. `npx tsx bench/scope.ts`
import { fileURLToPath } from "node:url";
import { cpuMs } from "./support/cpu.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const TRACES = 20;
/** The window of the scope is full then. */
const SETTLE_MS = 12_000;
const MEASURE_MS = 8_000;
const PROGRAM = fileURLToPath(new URL("../bin/mgr.js", import.meta.url));
const WAVES = fileURLToPath(new URL("./support/waves.js", import.meta.url));
const READER = fileURLToPath(new URL("./support/reader.js", import.meta.url));
/** What the screen sends before each picture. */
const PICTURE = "\x1b[?2026h";

interface Load {
  /** Of a processor, percent. */
  readonly cpu: number;
  readonly peer_cpu: number;
  readonly pictures_s: number;
  /** Between two pictures, milliseconds. */
  readonly longest_pause: number;
}

async function ofTopics(topics: number): Promise<Load> {
  const fields = TRACES / topics;
  const traces = Array.from({ length: TRACES }, (_, n) => `waves/${Math.floor(n / fields)}.x${n % fields}`);
  const subjects = Array.from({ length: topics }, (_, n) => `waves/${n}`);
  const shown = { autostart: true, depends_on: ["waves"], terminal: { rows: 40, cols: 120 } };
  await using manager = await BenchManager.up({
    waves: {
      command: [process.execPath, WAVES, String(topics), String(fields)],
      autostart: true,
      ready: { regex: "publishing" },
    },
    scope: { ...shown, command: [process.execPath, PROGRAM, "scope", ...traces] },
    reader: { ...shown, command: [process.execPath, READER, ...subjects] },
  });
  const client = await manager.connect();
  await sleep(SETTLE_MS);
  const pid = async (name: string) => Number((await client.ask({ type: "get_process_output", name, lines: 1 })).pid);
  const [scope, reader] = [await pid("scope"), await pid("reader")];
  await client.ask({ type: "subscribe_process_output", patterns: ["scope"] });
  const pictures: number[] = [];
  client.ws.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString());
    if (frame.type === "process_output" && frame.name === "scope" && frame.output.includes(PICTURE)) pictures.push(performance.now());
  });
  const [before, peerBefore, begin] = [cpuMs(scope), cpuMs(reader), performance.now()];
  await sleep(MEASURE_MS);
  const percent = (milliseconds: number) => rounded((100 * milliseconds) / (performance.now() - begin), 1);
  return {
    cpu: percent(cpuMs(scope) - before),
    peer_cpu: percent(cpuMs(reader) - peerBefore),
    pictures_s: rounded((1_000 * pictures.length) / (performance.now() - begin), 1),
    longest_pause: rounded(Math.max(...pictures.slice(1).map((at, index) => at - (pictures[index] ?? at))), 0),
  };
}

const one = await ofTopics(1);
const many = await ofTopics(TRACES);

printFigure({
  figure: "scope",
  unit: `% of a processor that mgr scope takes for ${TRACES} traces at 1 kHz of one topic`,
  value: one.cpu,
  pictures_s: one.pictures_s,
  longest_pause_ms: one.longest_pause,
  of_20_topics: many,
  peer: "a program with mgr/client that subscribes to the same topic and decodes every message",
  peer_value: one.peer_cpu,
});
