import type { TypedMcapRecords } from "@mcap/core";
import { CLOCK, type ClockRecord, clockRecord } from "./clock-records.ts";
import { type IndexedFile, readerOfChunks } from "./indexed-file.ts";
import { type Stretch, stretchesOf, type TimeCorrection } from "./stretch-clock.ts";

export type McapMessageRecord = TypedMcapRecords["Message"];
export type McapChannelRecord = TypedMcapRecords["Channel"];
export type McapSchemaRecord = TypedMcapRecords["Schema"];

/** The stretches of a recorded file, by what it says about its clock. */
export async function stretchesIn({ reader }: IndexedFile): Promise<Stretch[]> {
  // The reader goes through them in this order.
  const positions = reader.metadataIndexes.filter(({ name }) => name === CLOCK).map(({ offset }) => Number(offset));
  const records: ClockRecord[] = [];
  for await (const { metadata } of reader.readMetadata({ name: CLOCK })) {
    const record = clockRecord(positions.shift() ?? 0, metadata);
    if (record !== null) records.push(record);
  }
  return stretchesOf(records.sort((a, b) => a.position - b.position));
}

/** Times of the messages in a stretch by the clock of the host, nanoseconds; null: it has none. */
export function timesIn({ reader }: IndexedFile, stretch: Bytes): { readonly start: bigint; readonly end: bigint } | null {
  const chunks = reader.chunkIndexes.filter((chunk) => isIn(chunk, stretch));
  const [first] = chunks;
  if (first === undefined) return null;
  return chunks.reduce(
    ({ start, end }, { messageStartTime, messageEndTime }) => ({
      start: messageStartTime < start ? messageStartTime : start,
      end: messageEndTime > end ? messageEndTime : end,
    }),
    { start: first.messageStartTime, end: first.messageEndTime },
  );
}

/** The messages of a stretch in the order of their times, which are put right. */
export async function* correctedMessages(
  file: IndexedFile,
  stretch: Bytes & { readonly clock: TimeCorrection | null },
  { topics, wants = () => true }: { topics?: readonly string[]; wants?: (uncorrected: McapMessageRecord) => boolean } = {},
): AsyncGenerator<McapMessageRecord> {
  const { clock } = stretch;
  const isWhole = file.reader.chunkIndexes.every((chunk) => isIn(chunk, stretch));
  const reader = isWhole ? file.reader : await readerOfChunks(file, (chunk) => isIn(chunk, stretch));
  for await (const message of reader.readMessages(topics === undefined ? {} : { topics })) {
    if (!wants(message)) continue;
    const offset = clock?.offsetAt(message.logTime) ?? 0n;
    yield { ...message, logTime: since1970(message.logTime - offset), publishTime: since1970(message.publishTime - offset) };
  }
}

type Bytes = Pick<Stretch, "from" | "until">;

function isIn({ chunkStartOffset }: TypedMcapRecords["ChunkIndex"], { from, until }: Bytes): boolean {
  return chunkStartOffset >= from && chunkStartOffset < until;
}

function since1970(time: bigint): bigint {
  return time < 0n ? 0n : time;
}
