import { truncate } from "node:fs/promises";
import { basename } from "node:path";
import { cappedSum } from "../../../base/capped-sum.ts";
import { isDiskFull, messageOf } from "../../../base/errors.ts";
import type { TappedMessage } from "../../data-plane/host/index.ts";
import type { RecordingFileReport } from "../contract.ts";
import { channelOf } from "../samples/mcap/channels.ts";
import { McapEncoder } from "../samples/mcap/encoder.ts";
import { LOSSES, lossesText, RECORDING } from "../samples/mcap/losses.ts";
import { repairMcap } from "../samples/mcap/repair.ts";
import { Summary } from "../samples/mcap/summary.ts";
import { type FilePlace, MAX_UNWRITTEN_BYTES, type OpenFile, type WriteFailed, WriteQueue } from "./write-queue.ts";

/** Bytes of the index: it is held in memory until the file is complete. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** The format numbers channels with 16 bits. */
const MAX_CHANNELS = 10_000;
/** Losses are written in between, too, so that a file that was not closed has them; at most so often, milliseconds. */
const LOSSES_MS = 10_000;
/** What is given up first of a file on a full disk, so that its index has room, bytes. */
const ROOM_FOR_INDEX_BYTES = 64 * 1024;

interface FileOptions {
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly channelMetadata: Readonly<Record<string, string>>;
  readonly open: OpenFile;
  readonly failed: WriteFailed;
  readonly now: number;
}

/** Why a file is not complete, or not at its place. */
interface ClosingProblem {
  readonly text: string;
  /** The path leads to nothing, or to a file of another program. */
  readonly isLost: boolean;
  /** Messages of each topic that had been taken and are not in the file. */
  readonly dropped: ReadonlyMap<string, number>;
}

interface TopicInFile {
  id: number;
  definition: string;
  definitionName: string;
  encoding: string;
  missed: number;
  dropped: number;
}

/** One file of a recording while it is written. Messages are taken in the turn in which they come; the disk follows. */
export class RecordingFile {
  readonly name: string;
  readonly path: string;
  /** Of its first message, by a monotonic clock; milliseconds. */
  readonly begunAt: number;
  readonly #options: FileOptions;
  readonly #encoder = new McapEncoder();
  readonly #queue: WriteQueue;
  readonly #topics = new Map<string, TopicInFile>();
  #start: bigint | null = null;
  #end = 0n;
  #messages = 0;
  #missed = 0;
  #dropped = 0;
  #lossesAt: number;
  #writtenLosses = 0;

  constructor(options: FileOptions) {
    this.#options = options;
    this.path = options.path;
    this.name = basename(options.path);
    this.begunAt = options.now;
    this.#lossesAt = options.now;
    this.#queue = new WriteQueue(options.path, options.open, options.failed);
    this.#queue.add([this.#encoder.begin("mgr"), this.#encoder.addMetadata(RECORDING, options.metadata)]);
  }

  /** With what waits for the disk. */
  get size(): number {
    return this.#encoder.bytes;
  }

  get isWritten(): boolean {
    return this.#queue.unwritten === 0;
  }

  get isLong(): boolean {
    return this.#encoder.summary.indexBytes > MAX_INDEX_BYTES || this.#encoder.summary.channels.size > MAX_CHANNELS;
  }

  /** False: too much waits for the disk already; the message is counted as dropped. */
  add(message: TappedMessage, missed: number): boolean {
    const topic = this.#topic(message);
    topic.missed = cappedSum(topic.missed, missed);
    this.#missed = cappedSum(this.#missed, missed);
    if (this.#queue.unwritten > MAX_UNWRITTEN_BYTES) {
      topic.dropped++;
      this.#dropped++;
      return false;
    }
    const { received, published, sequence, payload } = message;
    this.#encoder.addMessage({
      channel: topic.id,
      sequence: sequence ?? 0n,
      logTime: received,
      publishTime: published ?? received,
      data: payload,
    });
    this.#messages++;
    this.#start ??= received;
    if (received > this.#end) this.#end = received;
    if (this.#encoder.isChunkFull) this.#queue.add(this.#encoder.cut());
    return true;
  }

  /** Gives the disk what is collected. */
  flush(now: number): void {
    const pieces = this.#encoder.cut();
    if (pieces.length > 0) this.#queue.add(pieces);
    const losses = cappedSum(this.#missed, this.#dropped);
    if (losses === this.#writtenLosses || now - this.#lossesAt < LOSSES_MS) return;
    this.#lossesAt = now;
    this.#addLosses();
  }

  /** Whether another program removed, replaced or moved the file. */
  async isLost(): Promise<boolean> {
    return (await this.#queue.place()) !== "kept";
  }

  /** Completes the file. Resolves with what went wrong, or null; messages that are not in it are counted as dropped. */
  async close(): Promise<ClosingProblem | null> {
    const last = this.#encoder.cut();
    try {
      await this.#queue.settled();
      const place = await this.#queue.place();
      if (place !== "gone") {
        this.#queue.add(last);
        // Between chunks: metadata has its own place.
        this.#addLosses();
        this.#queue.add(this.#encoder.end());
        if (!(await this.#queue.settled())) return await this.#closeFull();
      }
      await this.#queue.close();
      return place === "kept" ? null : this.#lost(place);
    } catch (error) {
      return {
        text: `${this.path} is not complete: ${messageOf(error)}. It is completed when the host daemon starts the next time`,
        isLost: false,
        dropped: new Map(),
      };
    }
  }

  #lost(place: Exclude<FilePlace, "kept">): ClosingProblem {
    const isGone = place === "gone";
    const done = isGone ? "removed or replaced" : "moved away";
    const result = isGone ? `its ${this.#messages} messages are lost` : "its messages are in the moved file";
    return {
      text: `${this.path} was ${done} by another program while it was being written: ${result}`,
      isLost: true,
      dropped: isGone ? this.#cutOff(new Summary()) : new Map(),
    };
  }

  get report(): RecordingFileReport {
    return {
      file: this.name,
      size: this.size,
      start: this.#start === null ? null : String(this.#start),
      end: this.#start === null ? null : String(this.#end),
      messages: this.#messages,
      topics: this.#topics.size,
      missed: this.#missed,
      dropped: this.#dropped,
      is_growing: true,
      is_repaired: false,
    };
  }

  /** The disk has no room for the end of the file: its last messages make room, more of them if others take what becomes free. */
  async #closeFull(): Promise<ClosingProblem> {
    await this.#queue.giveUp();
    const { written } = this.#queue;
    for (let room = ROOM_FOR_INDEX_BYTES; ; room *= 2) {
      await truncate(this.path, Math.max(0, written - room));
      try {
        let dropped: ReadonlyMap<string, number> = new Map();
        await repairMcap(this.path, {
          note: (kept) => {
            dropped = this.#cutOff(kept);
            const losses = [...this.#topics].map(
              ([name, topic]) => [name, { ...topic, dropped: topic.dropped + (dropped.get(name) ?? 0) }] as const,
            );
            return { name: LOSSES, values: lossesText(new Map(losses)) };
          },
        });
        return { text: `the end of ${this.path} was cut off, because the disk is full`, isLost: false, dropped };
      } catch (error) {
        if (!isDiskFull(error) || room >= written) throw error;
      }
    }
  }

  /** Messages of each topic that are in no chunk of the file. */
  #cutOff(kept: Summary): ReadonlyMap<string, number> {
    const dropped = new Map<string, number>();
    const { summary } = this.#encoder;
    for (const [id, { topic }] of summary.channels) {
      const count = summary.countOf(id) - kept.countOf(id);
      if (count > 0) dropped.set(topic, (dropped.get(topic) ?? 0) + count);
    }
    return dropped;
  }

  #addLosses(): void {
    this.#writtenLosses = cappedSum(this.#missed, this.#dropped);
    this.#queue.add([this.#encoder.addMetadata(LOSSES, lossesText(this.#topics))]);
  }

  #topic({ topic: name, definition, definitionName, encoding }: TappedMessage): TopicInFile {
    const known = this.#topics.get(name);
    if (known?.definition === definition && known.definitionName === definitionName && known.encoding === encoding) return known;
    // Channels cannot change: another definition of a topic is another channel of the same topic.
    const id = this.#encoder.addChannel(channelOf({ topic: name, definition, definitionName, encoding }, this.#options.channelMetadata));
    const topic = { missed: 0, dropped: 0, ...known, id, definition, definitionName, encoding };
    this.#topics.set(name, topic);
    return topic;
  }
}
