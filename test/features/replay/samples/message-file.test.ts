import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type MessageFile, openMessageFile } from "../../../../src/features/recordings/samples/mcap/message-file.ts";
import { PlaySource } from "../../../../src/features/replay/player/play-source.ts";
import { folder, mcapBytes, mcapFile, numbered, timeAt } from "../mcap-files.ts";

const dir = folder();
afterAll(() => rmSync(dir, { recursive: true }));
const all = () => true;

async function numbersOf(file: Pick<MessageFile, "messages">, from = 0n): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { data } of file.messages(from, all)) numbers.push((JSON.parse(new TextDecoder().decode(data)) as { n: number }).n);
  return numbers;
}

const upTo = (count: number, first = 0) => Array.from({ length: count }, (_, n) => n + first);

test("a file is read by its index, from any time on", async () => {
  const file = await openMessageFile(await mcapFile(join(dir, "indexed.mcap"), numbered("arm/state", 200, 1)));
  expect(file.problem).toBeNull();
  expect(file.times).toEqual({ start: timeAt(0), end: timeAt(199) });
  expect(await numbersOf(file)).toEqual(upTo(200));
  expect(await numbersOf(file, timeAt(150))).toEqual(upTo(50, 150));
  await file.close();
});

test("a file without chunks is read without an index", async () => {
  const file = await openMessageFile(await mcapFile(join(dir, "flat.mcap"), numbered("arm/state", 50, 1), { useChunks: false }));
  expect(file.problem).toBeNull();
  expect(file.times).toEqual({ start: timeAt(0), end: timeAt(49) });
  expect(await numbersOf(file, timeAt(10))).toEqual(upTo(40, 10));
  await file.close();
});

test("a file that is torn at its end is read as far as it goes, and says so", async () => {
  const path = await mcapFile(join(dir, "torn.mcap"), numbered("arm/state", 200, 1));
  truncateSync(path, 8_000);
  const file = await openMessageFile(path);
  const read = await numbersOf(file);
  expect(read.length).toBeGreaterThan(20);
  expect(read).toEqual(upTo(read.length));
  expect(file.times?.end).toBe(timeAt(read.length - 1));
  expect(file.channels.map(({ topic }) => topic)).toEqual(["arm/state"]);
  expect(file.problem).toMatch(/^has no index and no end, .*; the last \d+ bytes are an incomplete record$/);
  await file.close();
});

test("a chunk that is damaged ends the reading there, and is told", async () => {
  const path = join(dir, "damaged.mcap");
  const bytes = await mcapBytes(numbered("arm/state", 200, 1));
  // In the middle of the records, so that the index is whole.
  bytes.fill(0xff, 6_000, 6_010);
  writeFileSync(path, bytes);
  const file = await openMessageFile(path);
  expect(file.problem).toBeNull();
  const read = await numbersOf(file);
  expect(read).toEqual(upTo(read.length));
  expect(read.length).toBeLessThan(200);
  expect(file.problem).toMatch(/^is damaged: /);
  await file.close();
});

test("chunks that are compressed with zstd are read, those with lz4 are refused with what to do", async () => {
  // A zstd frame of one raw block, as RFC 8878 describes it: there is no compressor for Node 20.
  const zstd = (bytes: Uint8Array) => {
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32LE(bytes.length, 5);
    header.writeUIntLE((bytes.length << 3) | 1, 9, 3);
    return { compression: "zstd", compressedData: Buffer.concat([header, bytes]) };
  };
  const file = await openMessageFile(await mcapFile(join(dir, "zstd.mcap"), numbered("arm/state", 100, 1), { compressChunk: zstd }));
  expect(await numbersOf(file)).toEqual(upTo(100));
  await file.close();
  const lz4 = (bytes: Uint8Array) => ({ compression: "lz4", compressedData: bytes });
  const other = await openMessageFile(await mcapFile(join(dir, "lz4.mcap"), numbered("arm/state", 9, 1), { compressChunk: lz4 }));
  expect(await numbersOf(other)).toEqual([]);
  expect(other.problem).toContain("compressed with lz4, which cannot be read here: rewrite it with 'mcap decompress");
  await other.close();
});

test("what is no MCAP file is refused by name", async () => {
  const path = join(dir, "text.mcap");
  writeFileSync(path, "this is a text, and it is long enough for the magic bytes of a file");
  await expect(openMessageFile(path)).rejects.toMatchObject({
    code: "bad_field",
    message: expect.stringContaining(`${path} is not an MCAP file`),
  });
  writeFileSync(path, "");
  await expect(openMessageFile(path)).rejects.toMatchObject({ code: "bad_field" });
  await expect(openMessageFile(join(dir, "none.mcap"))).rejects.toMatchObject({ code: "not_found" });
});

test("several files are merged by time, whether or not they overlap", async () => {
  const paths = [
    await mcapFile(join(dir, "second.mcap"), numbered("arm/state", 10, 10, 100)),
    await mcapFile(join(dir, "first.mcap"), numbered("arm/state", 10, 10)),
    await mcapFile(join(dir, "beside.mcap"), numbered("arm/torque", 20, 10, 5)),
  ];
  await using source = await PlaySource.open(paths);
  const times: bigint[] = [];
  for await (const { logTime } of source.messages(0n, all)) times.push(logTime);
  expect(times).toEqual(upTo(40).map((n) => timeAt(n * 5)));
  const late: bigint[] = [];
  for await (const { logTime } of source.messages(timeAt(150), all)) late.push(logTime);
  expect(late).toEqual(upTo(10).map((n) => timeAt(150 + n * 5)));
});
