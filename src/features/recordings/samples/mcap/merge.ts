import { type FileHandle, open } from "node:fs/promises";
import type { Channel, McapIndexedReader, Schema } from "@mcap/core";
import { messageOf } from "../../../../base/errors.ts";
import { McapEncoder } from "./encoder.ts";
import { type IndexedFile, openIndexed } from "./indexed-file.ts";
import { repairMcap } from "./repair.ts";
import { schemaText } from "./schema-data.ts";

/** Channels of one file: MCAP numbers them with 16 bits. */
const MAX_CHANNELS = 65_000;

/** A file whose messages go into the merged one. Plain data. Times are nanoseconds since 1970, as text. */
export interface MergedPart {
  readonly path: string;
  /** Host of the channels that name none themselves; null: all do. */
  readonly host: string | null;
  /** Clock of the part's host minus the clock of the merged file, nanoseconds: subtracted from all times. */
  readonly offset: string;
  /** Ranges of times, by the clock of its host and with both ends, which other parts have already. */
  readonly excluded: readonly { readonly from: string; readonly until: string }[];
}

/** Plain data, which can be sent to a worker thread. */
export interface MergeJob {
  readonly path: string;
  readonly parts: readonly MergedPart[];
  readonly metadata: readonly { readonly name: string; readonly values: Readonly<Record<string, string>> }[];
}

export interface Merged {
  readonly messages: number;
  /** Bytes. */
  readonly size: number;
  /** Parts that could not be read, by their index, with the reason. */
  readonly damaged: readonly { readonly part: number; readonly reason: string }[];
  /** Messages that were left out, because their topics are more than a file can have. */
  readonly refused: number;
}

type Message = ReturnType<McapIndexedReader["readMessages"]> extends AsyncGenerator<infer M> ? M : never;

/**
 * Writes one MCAP file with the messages of several ones in the order of their times, after their clocks were put right. The file is on disk when the
 * promise is resolved. A part without an index is repaired; one that is damaged otherwise is left out.
 */
export async function mergeMcap({ path, parts, metadata }: MergeJob): Promise<Merged> {
  const readings: Reading[] = [];
  const damaged: { part: number; reason: string }[] = [];
  await using file = await open(path, "w", 0o600);
  try {
    for (const [index, part] of parts.entries()) {
      try {
        const reading = new Reading(part, await opened(part.path));
        readings.push(reading);
        await reading.next();
      } catch (error) {
        damaged.push({ part: index, reason: messageOf(error) });
      }
    }
    const { size, messages, refused } = await write(file, readings, metadata);
    for (const { part, problem } of readings)
      if (problem !== null && !damaged.some((each) => parts[each.part] === part))
        damaged.push({ part: parts.indexOf(part), reason: problem });
    await file.sync();
    return { messages, size, damaged, refused };
  } finally {
    for (const reading of readings) await reading.close();
  }
}

async function write(file: FileHandle, readings: readonly Reading[], metadata: MergeJob["metadata"]) {
  const encoder = new McapEncoder();
  const put = async (pieces: readonly Uint8Array[]) => {
    for (const piece of pieces) await file.writeFile(piece);
  };
  await put([encoder.begin("mgr")]);
  const channels = new Map<string, number>();
  let [messages, refused] = [0, 0];
  const open = readings.filter(({ current }) => current !== null);
  while (open.length > 0) {
    const reading = open.reduce((a, b) => (b.time < a.time ? b : a));
    const message = reading.current;
    if (message !== null) {
      const channel = reading.channelIn(encoder, channels, message.channelId);
      if (channel === null) refused++;
      else {
        const { sequence, publishTime, data } = message;
        encoder.addMessage({
          channel,
          sequence: BigInt(sequence),
          logTime: reading.time,
          publishTime: reading.shifted(publishTime),
          data,
        });
        messages++;
      }
      if (encoder.isChunkFull) await put(encoder.cut());
    }
    await reading.next();
    if (reading.current === null) open.splice(open.indexOf(reading), 1);
  }
  await put(encoder.cut());
  for (const { name, values } of metadata) await put([encoder.addMetadata(name, values)]);
  await put(encoder.end());
  return { size: encoder.position, messages, refused };
}

async function opened(path: string): Promise<IndexedFile> {
  await repairMcap(path);
  return openIndexed(path);
}

/** The messages of one part, one after the other. */
class Reading {
  readonly part: MergedPart;
  current: Message | null = null;
  /** Why its rest could not be read. */
  problem: string | null = null;
  readonly #file: IndexedFile;
  readonly #messages: AsyncIterator<Message>;
  readonly #offset: bigint;
  readonly #excluded: readonly { from: bigint; until: bigint }[];
  /** Channels of the merged file by those of this one; null: it has no room for them. */
  readonly #channels = new Map<number, number | null>();

  constructor(part: MergedPart, file: IndexedFile) {
    this.part = part;
    this.#file = file;
    this.#offset = BigInt(part.offset);
    this.#excluded = part.excluded.map(({ from, until }) => ({ from: BigInt(from), until: BigInt(until) }));
    this.#messages = file.reader.readMessages()[Symbol.asyncIterator]();
  }

  /** Time of the current message in the merged file. */
  get time(): bigint {
    return this.shifted(this.current?.logTime ?? 0n);
  }

  shifted(time: bigint): bigint {
    const shifted = time - this.#offset;
    return shifted < 0n ? 0n : shifted;
  }

  async next(): Promise<void> {
    this.current = null;
    try {
      for (;;) {
        const next = await this.#messages.next();
        if (next.done) return;
        const { logTime } = next.value;
        if (this.#excluded.some(({ from, until }) => logTime >= from && logTime <= until)) continue;
        this.current = next.value;
        return;
      }
    } catch (error) {
      this.problem = messageOf(error);
    }
  }

  /** The channel of the merged file; null: it has no room for another one. */
  channelIn(encoder: McapEncoder, known: Map<string, number>, id: number): number | null {
    const found = this.#channels.get(id);
    if (found !== undefined) return found;
    const { channelsById, schemasById } = this.#file.reader;
    const channel = channelsById.get(id);
    const added = channel === undefined ? null : this.#add(encoder, known, channel, schemasById.get(channel.schemaId));
    this.#channels.set(id, added);
    return added;
  }

  #add(encoder: McapEncoder, known: Map<string, number>, { topic, messageEncoding, metadata }: Channel, schema: Schema | undefined) {
    const about = Object.fromEntries(metadata);
    const added = {
      topic,
      encoding: messageEncoding,
      schema: schema === undefined ? null : { name: schema.name, encoding: schema.encoding, text: schemaText(schema) },
      metadata: this.part.host === null || about.host !== undefined ? about : { ...about, host: this.part.host },
    };
    const key = JSON.stringify(added);
    const same = known.get(key);
    if (same !== undefined) return same;
    if (known.size >= MAX_CHANNELS) return null;
    const id = encoder.addChannel(added);
    known.set(key, id);
    return id;
  }

  async close(): Promise<void> {
    await this.#messages.return?.();
    await this.#file.close();
  }
}
