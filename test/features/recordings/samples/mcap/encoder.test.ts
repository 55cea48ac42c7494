import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McapEncoder } from "../../../../../src/features/recordings/samples/mcap/encoder.ts";
import { REPAIRED, repairMcap } from "../../../../../src/features/recordings/samples/mcap/repair.ts";
import { readMcap } from "./independent-reader.ts";
import { readIndexed } from "./indexed-reader.ts";

const PROPERTY_MS = 1_500;
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-mcap-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Sent {
  readonly topic: string;
  readonly sequence: number;
  readonly logTime: bigint;
  readonly publishTime: bigint;
  readonly data: Buffer;
}

/** Writes `sent` and returns the pieces of the file as they would be appended. `cut`: close the chunk after that many messages. */
function encode(sent: readonly Sent[], cut: number, values: Record<string, string> = { größe: "5 µm" }): Uint8Array[] {
  const encoder = new McapEncoder();
  const pieces: Uint8Array[] = [encoder.begin("test"), encoder.addMetadata("mgr.recording", values)];
  const ids = new Map<string, number>();
  for (const [index, { topic, sequence, ...rest }] of sent.entries()) {
    const schema = { name: `määrä/${topic}`, encoding: "jsonschema", text: '{"type":"object"}' };
    const id = ids.get(topic) ?? encoder.addChannel({ topic, encoding: "json", schema, metadata: { host: "hôte" } });
    ids.set(topic, id);
    encoder.addMessage({ channel: id, sequence: BigInt(sequence), ...rest });
    if (index % cut === cut - 1) pieces.push(...encoder.cut());
  }
  pieces.push(...encoder.end());
  return pieces;
}

const message: fc.Arbitrary<Sent> = fc.record({
  topic: fc.constantFrom("arm/state", "größe/Ω", "日本"),
  sequence: fc.integer({ min: 0, max: 0xffff_ffff }),
  logTime: fc.bigInt({ min: 0n, max: 2n ** 63n }),
  publishTime: fc.bigInt({ min: 0n, max: 2n ** 63n }),
  data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});
const byTime = (messages: readonly Sent[]) => [...messages].sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
const bare = ({ topic, sequence, logTime, publishTime, data }: Sent) => ({ topic, sequence, logTime, publishTime, data });
/** Of messages of one time, readers give no order. */
const sorted = (messages: readonly Sent[]) =>
  byTime(messages)
    .map((one) => JSON.stringify({ ...bare(one), logTime: String(one.logTime), publishTime: String(one.publishTime) }))
    .sort();

test("the indexed reader and an independent one read what was written", async () => {
  const path = join(folder, "whole.mcap");
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (sent, cut) => {
      writeFileSync(path, Buffer.concat(encode(sent, cut)));
      const independent = readMcap(readFileSync(path));
      expect(independent.messages.map(bare)).toEqual(sent.map(bare));
      expect(independent.messageCount).toBe(BigInt(sent.length));
      expect(independent.messages.every(({ definition }) => definition === '{"type":"object"}')).toBe(true);
      const indexed = await readIndexed(path);
      expect(sorted(indexed.messages)).toEqual(sorted(sent));
      expect(indexed.metadata).toEqual([{ name: "mgr.recording", values: { größe: "5 µm" } }]);
      expect(await repairMcap(path)).toBeNull();
    }),
    { interruptAfterTimeLimit: PROPERTY_MS, numRuns: 200 },
  );
});

test("a file that ends anywhere is completed: all complete messages before the end are read afterwards", async () => {
  const path = join(folder, "cut.mcap");
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 40 }), fc.nat(), async (sent, place) => {
      const whole = Buffer.concat(encode(sent, 7));
      const end = place % whole.length;
      writeFileSync(path, whole.subarray(0, end));
      const repair = await repairMcap(path);
      expect(repair).not.toBeNull();
      const { messages } = readMcap(readFileSync(path));
      expect(messages.map(bare)).toEqual(sent.slice(0, messages.length).map(bare));
      const indexed = await readIndexed(path);
      expect(indexed.messages).toHaveLength(messages.length);
      expect(sorted(indexed.messages)).toEqual(sorted(sent.slice(0, messages.length)));
      expect(indexed.metadata.at(-1)?.name).toBe(REPAIRED);
      expect(await repairMcap(path)).toBeNull();
    }),
    { interruptAfterTimeLimit: PROPERTY_MS, numRuns: 300 },
  );
});

test("every complete chunk is kept, and the complete messages of a chunk that was cut", async () => {
  const sent = Array.from({ length: 21 }, (_, n) => ({
    topic: "arm/state",
    sequence: n,
    logTime: BigInt(1_000 + n),
    publishTime: 0n,
    data: Buffer.alloc(100, n),
  }));
  const pieces = encode(sent, 7);
  const upTo = (count: number) => pieces.slice(0, count).reduce((bytes, { length }) => bytes + length, 0);
  const whole = Buffer.concat(pieces);
  const path = join(folder, "chunks.mcap");
  const left = async (end: number) => {
    writeFileSync(path, whole.subarray(0, end));
    await repairMcap(path);
    return (await readIndexed(path)).messages.length;
  };
  // Pieces: begin, metadata, then head, records and one index for each chunk.
  expect(await left(upTo(5))).toBe(7);
  expect(await left(upTo(4))).toBe(7);
  expect(await left(upTo(8))).toBe(14);
  expect(await left(upTo(8) + 49 + 2 * 131)).toBe(16);
  expect(await left(upTo(8) + 49 + 2 * 131 + 130)).toBe(16);
  expect(await left(upTo(11))).toBe(21);
  expect(await left(whole.length - 1)).toBe(21);
});

test("a tail of zeros, as after a loss of power, is cut off", async () => {
  const sent = [{ topic: "a", sequence: 1, logTime: 5n, publishTime: 5n, data: Buffer.from("{}") }];
  const pieces = encode(sent, 1);
  const path = join(folder, "zeros.mcap");
  writeFileSync(path, Buffer.concat([...pieces.slice(0, 5), Buffer.alloc(5_000)]));
  expect(await repairMcap(path)).toEqual({ cutBytes: 5_000, messages: 1 });
  expect((await readIndexed(path)).messages).toHaveLength(1);
});

test("a file of another kind is not changed", async () => {
  const path = join(folder, "other.mcap");
  writeFileSync(path, "this is a text, and no recording of ours");
  await expect(repairMcap(path)).rejects.toThrow("it is not an MCAP file");
  expect(readFileSync(path, "utf8")).toBe("this is a text, and no recording of ours");
});
