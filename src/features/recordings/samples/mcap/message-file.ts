import { open } from "node:fs/promises";
import { type Channel, McapStreamReader, type Schema, type TypedMcapRecord } from "@mcap/core";
import { MgrError, messageOf } from "../../../../base/errors.ts";
import { decompressors, MAX_CHUNK_BYTES_READ } from "./decompress.ts";
import { type IndexedFile, openIndexed } from "./indexed-file.ts";
import { schemaText } from "./schema-data.ts";

/** Facts that a file states about the messages of one channel. */
export interface FileChannel {
  readonly topic: string;
  /** Encoding of the messages, and of their definition, as MCAP names them: `cdr` and `ros2msg`. */
  readonly encoding: string;
  readonly schemaEncoding: string;
  /** Text and name of the definition; empty: there is none. */
  readonly definition: string;
  readonly definitionName: string;
}

export interface FileMessage {
  readonly channel: FileChannel;
  /** Nanoseconds since 1970. */
  readonly logTime: bigint;
  readonly publishTime: bigint;
  readonly data: Uint8Array;
}

/** The messages of one MCAP file of any program, read with bounded memory: a chunk, or the chunks that overlap in time. */
export interface MessageFile {
  readonly path: string;
  readonly channels: readonly FileChannel[];
  /** Nanoseconds since 1970; null: there is no message. */
  readonly times: { readonly start: bigint; readonly end: bigint } | null;
  /** Why not everything could be read, as the end of a sentence about the file ("run1.mcap has no index, …"); null: everything can be. */
  readonly problem: string | null;
  /**
   * The messages from a time on, in the order of their log times; those of a file without an index in the order of the file. Ends, with a
   * `problem`, where the file is damaged.
   */
  messages(from: bigint, wants: (topic: string) => boolean): AsyncGenerator<FileMessage>;
  close(): Promise<void>;
}

/** Size of the pieces in which a file without an index is read, bytes. */
const PIECE_BYTES = 256 * 1024;

/** Memory limits of a reader, bytes. */
export interface ReadLimits {
  /** Largest chunk, or record outside of chunks. */
  readonly chunkBytes: number;
  /** Sum of the chunks that overlap in time. */
  readonly overlappingBytes: number;
}

const DEFAULT_LIMITS: ReadLimits = { chunkBytes: MAX_CHUNK_BYTES_READ, overlappingBytes: 1024 ** 3 };

/**
 * Opens a file by its index. A file without one, such as one whose writer was killed, is read once from its beginning to its end. Rejects with
 * `not_found`, `too_large`, `bad_field` for what is no MCAP file, and errors of the system.
 */
export async function openMessageFile(path: string, limits = DEFAULT_LIMITS): Promise<MessageFile> {
  const file = await indexed(path, limits);
  if (file !== null) {
    if (isIndexComplete(file)) {
      try {
        checkChunks(path, file, limits);
        return new IndexedMessages(path, file);
      } catch (error) {
        await file.close();
        throw error;
      }
    }
    await file.close();
  }
  const streamed = new StreamedMessages(path, limits);
  await streamed.scan();
  return streamed;
}

/** Null: the file has no index, or a damaged one. */
async function indexed(path: string, { chunkBytes }: ReadLimits): Promise<IndexedFile | null> {
  try {
    return await openIndexed(path, chunkBytes);
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), "code");
    if (code === "ENOENT") throw new MgrError("not_found", `there is no file ${path}`);
    if (typeof code === "string") throw error;
    return null;
  }
}

/** Whether all messages are found by the index: MCAP allows files without chunks, and chunks without an index of their messages. */
function isIndexComplete({ reader }: IndexedFile): boolean {
  const { statistics, chunkIndexes } = reader;
  if (statistics === undefined) return false;
  if (statistics.messageCount > 0n && chunkIndexes.length === 0) return false;
  return chunkIndexes.every(({ messageIndexLength, messageEndTime }) => messageIndexLength > 0n || messageEndTime === 0n);
}

class IndexedMessages implements MessageFile {
  readonly path: string;
  readonly channels: readonly FileChannel[];
  readonly times: MessageFile["times"];
  problem: string | null = null;
  readonly #file: IndexedFile;
  readonly #byId: ReadonlyMap<number, FileChannel>;

  constructor(path: string, file: IndexedFile) {
    const { channelsById, schemasById, statistics } = file.reader;
    this.path = path;
    this.#file = file;
    this.#byId = new Map([...channelsById].map(([id, channel]) => [id, channelOf(channel, schemasById.get(channel.schemaId))]));
    this.channels = [...this.#byId.values()];
    this.times =
      statistics === undefined || statistics.messageCount === 0n
        ? null
        : { start: statistics.messageStartTime, end: statistics.messageEndTime };
  }

  async *messages(from: bigint, wants: (topic: string) => boolean): AsyncGenerator<FileMessage> {
    const topics = [...new Set(this.channels.map(({ topic }) => topic))].filter(wants);
    try {
      for await (const { channelId, logTime, publishTime, data } of this.#file.reader.readMessages({ topics, startTime: from })) {
        const channel = this.#byId.get(channelId);
        if (channel !== undefined) yield { channel, logTime, publishTime, data };
      }
    } catch (error) {
      this.problem = `is damaged: ${messageOf(error)}`;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Throws `too_large` if chunks, or those that overlap in time, do not fit into memory. */
function checkChunks(path: string, { reader }: IndexedFile, { chunkBytes, overlappingBytes }: ReadLimits): void {
  const edges = reader.chunkIndexes.flatMap(({ messageStartTime, messageEndTime, uncompressedSize }) => {
    if (uncompressedSize > BigInt(chunkBytes))
      throw new MgrError("too_large", `${path} has a chunk of ${uncompressedSize} bytes; at most ${chunkBytes} are read`);
    const bytes = Number(uncompressedSize);
    return [
      { at: messageStartTime, bytes },
      { at: messageEndTime, bytes: -bytes },
    ];
  });
  // Where one ends and another begins, the first one is no longer in memory.
  edges.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.bytes - b.bytes));
  let bytes = 0;
  for (const edge of edges) {
    bytes += edge.bytes;
    if (bytes > overlappingBytes)
      throw new MgrError("too_large", `more than ${overlappingBytes} bytes of ${path} overlap in time: sort it with 'mcap sort' first`);
  }
}

/** A file without an index: its records are read one after the other, from the beginning each time. */
class StreamedMessages implements MessageFile {
  readonly path: string;
  channels: readonly FileChannel[] = [];
  times: MessageFile["times"] = null;
  problem: string | null = null;
  readonly #maxBytes: number;

  constructor(path: string, { chunkBytes }: ReadLimits) {
    this.path = path;
    this.#maxBytes = chunkBytes;
  }

  /** Finds channels and times. */
  async scan(): Promise<void> {
    const channels = new Set<FileChannel>();
    let [start, end]: [bigint | null, bigint] = [null, 0n];
    for await (const { channel, logTime } of this.#read(channels)) {
      channels.add(channel);
      if (start === null || logTime < start) start = logTime;
      if (logTime > end) end = logTime;
    }
    this.channels = [...channels];
    this.times = start === null ? null : { start, end };
  }

  async *messages(from: bigint, wants: (topic: string) => boolean): AsyncGenerator<FileMessage> {
    // The reader uses its buffer again.
    for await (const { data, ...message } of this.#read(new Set(this.channels)))
      if (message.logTime >= from && wants(message.channel.topic)) yield { ...message, data: data.slice() };
  }

  async close(): Promise<void> {}

  /** `known`: channels of an earlier pass, which are yielded again instead of new ones. */
  async *#read(known: ReadonlySet<FileChannel>): AsyncGenerator<FileMessage> {
    const schemas = new Map<number, Schema>();
    const channels = new Map<number, FileChannel>();
    for await (const record of this.#records()) {
      if (record.type === "Schema") schemas.set(record.id, record);
      else if (record.type === "Channel" && !channels.has(record.id)) {
        const channel = channelOf(record, schemas.get(record.schemaId));
        channels.set(record.id, [...known].find((each) => isSame(each, channel)) ?? channel);
      } else if (record.type === "Message") {
        const { channelId, logTime, publishTime, data } = record;
        const channel = channels.get(channelId);
        if (channel !== undefined) yield { channel, logTime, publishTime, data };
      }
    }
  }

  /** Complete records; sets `problem` where they end too early. */
  async *#records(): AsyncGenerator<TypedMcapRecord> {
    const reader = new McapStreamReader({ decompressHandlers: decompressors(this.#maxBytes) });
    const file = await open(this.path, "r");
    let hasBegun = false;
    try {
      const piece = new Uint8Array(PIECE_BYTES);
      while (!reader.done()) {
        const { bytesRead } = await file.read(piece, 0, piece.length);
        if (bytesRead === 0) break;
        reader.append(piece.subarray(0, bytesRead));
        for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
          hasBegun = true;
          yield record;
        }
        if (reader.bytesRemaining() > this.#maxBytes) throw new Error(`a record has more than ${this.#maxBytes} bytes`);
      }
      const cut = reader.bytesRemaining();
      this.problem = reader.done()
        ? null
        : `has no index and no end, as if its writer was killed or still writes it${cut === 0 ? "" : `; the last ${cut} bytes are an incomplete record`}`;
    } catch (error) {
      if (!hasBegun) throw new MgrError("bad_field", `${this.path} is not an MCAP file: ${messageOf(error)}`, { cause: error });
      this.problem = `is damaged: ${messageOf(error)}`;
    } finally {
      await file.close();
    }
    if (!hasBegun) throw new MgrError("bad_field", `${this.path} is not an MCAP file: it has no complete record`);
  }
}

function isSame(one: FileChannel, other: FileChannel): boolean {
  return (
    one.topic === other.topic &&
    one.encoding === other.encoding &&
    one.schemaEncoding === other.schemaEncoding &&
    one.definition === other.definition &&
    one.definitionName === other.definitionName
  );
}

function channelOf({ topic, messageEncoding }: Channel, schema: Schema | undefined): FileChannel {
  return {
    topic,
    encoding: messageEncoding,
    schemaEncoding: schema?.encoding ?? "",
    definition: schemaText(schema),
    definitionName: schema?.name ?? "",
  };
}
