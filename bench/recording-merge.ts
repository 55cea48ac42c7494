// Files of two hosts merged into one, beside the indexed readers and the writer of @mcap/core in one program. Both merge the same files from the
// same disk; they are compared by processor time. `npx tsx bench/recording-merge.ts`
import { mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McapIndexedReader, type McapWriter } from "@mcap/core";
import { mergeMcap } from "../src/features/recordings/samples/merge/merge.ts";
import { medianOf, printFigure, rounded } from "./support/figure.ts";
import { bareMcapFile } from "./support/mcap-file.ts";

const HOSTS = ["rt1", "rt2"];
const MESSAGES = 200_000;
const BYTES = 128;
const ROUNDS = 3;
const SCHEMA = { name: "ArmState", encoding: "jsonschema", data: Buffer.from('{"type":"object"}') };

interface Round {
  /** Messages for each second of processor time, of all threads. */
  readonly perCore: number;
  readonly ms: number;
}

const folder = mkdtempSync(join(tmpdir(), "mgr-bench-merge-"));
const ours: Round[] = [];
const bare: Round[] = [];
try {
  const paths = HOSTS.map((host) => join(folder, `${host}.mcap`));
  for (const [index, path] of paths.entries()) await writeHost(path, index);
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await measured(() => mergeOurs(paths, join(folder, `ours-${round}.mcap`))));
    bare.push(await measured(() => mergeBare(paths, join(folder, `bare-${round}.mcap`))));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const [value, peerValue] = [rounded(medianOf(ours, "perCore"), 0), rounded(medianOf(bare, "perCore"), 0)];
printFigure({
  figure: "recording-merge",
  unit: `messages of ${BYTES} bytes for each second of processor time, files of ${HOSTS.length} hosts merged into one`,
  value,
  peer: "indexed readers and McapWriter of @mcap/core, same files and disk",
  peer_value: peerValue,
  ratio: rounded(value / peerValue),
  ms: { ours: rounded(medianOf(ours, "ms"), 0), bare: rounded(medianOf(bare, "ms"), 0) },
  messages: HOSTS.length * MESSAGES,
});

async function measured(run: () => Promise<number>): Promise<Round> {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  const messages = await run();
  const ms = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpu);
  if (messages !== HOSTS.length * MESSAGES) throw new Error(`${messages} of ${HOSTS.length * MESSAGES} messages were merged`);
  return { perCore: messages / ((user + system) / 1e6), ms };
}

/** A file with messages of one millisecond each; those of the hosts alternate. */
async function writeHost(path: string, index: number): Promise<void> {
  const { writer, end } = await bareMcapFile(path);
  const channelId = await channelOf(writer, `${HOSTS[index]}/state`);
  const data = Buffer.alloc(BYTES, "x");
  for (let n = 0; n < MESSAGES; n++) {
    const time = BigInt(n) * 1_000_000n + BigInt(index) * 500_000n;
    await writer.addMessage({ channelId, sequence: n, logTime: time, publishTime: time, data });
  }
  await end();
}

async function mergeOurs(paths: readonly string[], path: string): Promise<number> {
  const parts = paths.map((part, index) => ({ path: part, host: HOSTS[index] ?? "", offset: null, excluded: [] }));
  await mergeMcap({ path, parts, metadata: [], recording: { name: "bench", files: [...HOSTS] } });
  return countOf(path);
}

async function mergeBare(paths: readonly string[], path: string): Promise<number> {
  const { writer, end } = await bareMcapFile(path);
  const files = await Promise.all(paths.map((part) => open(part, "r")));
  const sources = [];
  for (const file of files) {
    const reader = await McapIndexedReader.Initialize({ readable: await readableOf(file) });
    const channels = new Map<number, number>();
    for (const { id, topic } of reader.channelsById.values()) channels.set(id, await channelOf(writer, topic));
    const messages = reader.readMessages();
    sources.push({ messages, channels, next: await messages.next() });
  }
  while (true) {
    const [first, ...others] = sources.filter(({ next }) => next.done !== true);
    if (first === undefined) break;
    let least = first;
    for (const other of others) if (timeOf(other.next) < timeOf(least.next)) least = other;
    const { next, channels } = least;
    if (next.done !== true) await writer.addMessage({ ...next.value, channelId: channels.get(next.value.channelId) ?? 0 });
    least.next = await least.messages.next();
  }
  for (const file of files) await file.close();
  await end();
  return countOf(path);
}

function timeOf(next: IteratorResult<{ logTime: bigint }, void>): bigint {
  return next.done === true ? 0n : next.value.logTime;
}

function channelOf(writer: McapWriter, topic: string): Promise<number> {
  return writer
    .registerSchema(SCHEMA)
    .then((schemaId) => writer.registerChannel({ topic, messageEncoding: "json", schemaId, metadata: new Map() }));
}

async function readableOf(file: FileHandle) {
  const { size } = await file.stat();
  const read = async (offset: bigint, length: bigint) => {
    const bytes = Buffer.alloc(Number(length));
    await file.read(bytes, 0, bytes.length, Number(offset));
    return bytes;
  };
  return { size: async () => BigInt(size), read };
}

async function countOf(path: string): Promise<number> {
  await using file = await open(path, "r");
  const reader = await McapIndexedReader.Initialize({ readable: await readableOf(file) });
  return Number(reader.statistics?.messageCount ?? 0n);
}
