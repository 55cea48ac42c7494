import { truncate } from "node:fs/promises";
import { basename } from "node:path";
import { isDiskFull, messageOf } from "../../../base/errors.ts";
import type { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import type { TappedMessage } from "../../data-plane/host/index.ts";
import { cappedSum } from "../capped-sum.ts";
import type { RecordingFileReport } from "../contract.ts";
import { channelOf } from "../samples/mcap/channels.ts";
import { McapEncoder } from "../samples/mcap/encoder.ts";
import { LOSSES, lossesText } from "../samples/mcap/losses.ts";
import { repairMcap } from "../samples/mcap/repair.ts";
import { Summary } from "../samples/mcap/summary.ts";
import type { FileState, HandedFile } from "./recording-state.ts";
import { type FilePlace, MAX_UNWRITTEN_BYTES, type OpenFile, type WriteFailed, WriteQueue } from "./write-queue.ts";

/** Maximum size of the index, bytes: it is held in memory until the file is complete. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** Maximum number of channels: the format numbers them with 16 bits. */
const MAX_CHANNELS = 10_000;
/** Minimum interval between records of losses, milliseconds. They are also written before the end, so that a file that was not closed has them. */
const LOSSES_MS = 10_000;
/** Bytes that are cut off first from a file on a full disk, to make room for its index. */
const ROOM_FOR_INDEX_BYTES = 64 * 1024;

export interface MetadataRecord {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

export interface RecordingFileOptions {
  readonly path: string;
  /** The first metadata record of the file. */
  readonly about: MetadataRecord;
  readonly channelMetadata: Readonly<Record<string, string>>;
  readonly open: OpenFile;
  readonly failed: WriteFailed;
  readonly now: number;
  /** Writes nothing until `resume`. */
  readonly isHeld?: boolean;
  /** A file that an earlier program has begun. */
  readonly taken?: { readonly file: HandedFile; readonly times: KernelTimes } | undefined;
}

/** The reason why a file is not complete, or not at its path. */
interface ClosingProblem {
  readonly text: string;
  /** Whether the path leads to nothing, or to a file of another program. */
  readonly isLost: boolean;
  /** Messages of each topic that were accepted but are not in the file. */
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

/** One file of a recording while it is written. Messages are accepted in order of arrival, and written later. */
export class RecordingFile {
  readonly name: string;
  readonly path: string;
  /** Time of the first message by a monotonic clock, milliseconds. */
  readonly begunAt: number;
  readonly #options: RecordingFileOptions;
  readonly #encoder: McapEncoder;
  readonly #queue: WriteQueue;
  readonly #topics = new Map<string, TopicInFile>();
  #start: bigint | null = null;
  #end = 0n;
  #messages = 0;
  #missed = 0;
  #dropped = 0;
  #lossesAt: number;
  #writtenLosses = 0;

  constructor(options: RecordingFileOptions) {
    this.#options = options;
    this.path = options.path;
    this.name = basename(options.path);
    this.#queue = new WriteQueue(options.path, options.open, options.failed);
    if (options.isHeld) this.#queue.hold();
    const { taken } = options;
    if (taken !== undefined) {
      const { state, index, ...rest } = taken.file;
      this.begunAt = taken.times.fromKernel(state.begunAt);
      this.#lossesAt = taken.times.fromKernel(state.lossesAt);
      this.#encoder = new McapEncoder(state.position, Summary.restored(index));
      this.#start = state.start === null ? null : BigInt(state.start);
      this.#end = BigInt(state.end);
      this.#messages = state.messages;
      this.#missed = state.missed;
      this.#dropped = state.dropped;
      this.#writtenLosses = state.writtenLosses;
      for (const { name, ...topic } of state.topics) this.#topics.set(name, topic);
      this.#queue.adopt({ written: state.written, ...rest });
      return;
    }
    this.begunAt = options.now;
    this.#lossesAt = options.now;
    this.#encoder = new McapEncoder();
    this.#queue.add([this.#encoder.begin("mgr"), this.#encoder.addMetadata(options.about.name, options.about.values)]);
  }

  /** Size in bytes, including data that waits for the disk. */
  get size(): number {
    return this.#encoder.bytes;
  }

  /** Bytes that wait for the disk. */
  get unwritten(): number {
    return this.#queue.unwritten;
  }

  get isWritten(): boolean {
    return this.#queue.unwritten === 0;
  }

  get isLong(): boolean {
    return this.#encoder.summary.indexBytes > MAX_INDEX_BYTES || this.#encoder.summary.channels.size > MAX_CHANNELS;
  }

  /** Returns false if too much data waits for the disk; the message is counted as dropped then. */
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

  /** Adds a metadata record; the newest one of a name counts. */
  addMetadata({ name, values }: MetadataRecord): void {
    this.#queue.add(this.#encoder.cut());
    this.#queue.add([this.#encoder.addMetadata(name, values)]);
  }

  /** Queues the collected messages for the disk. */
  flush(now: number): void {
    const pieces = this.#encoder.cut();
    if (pieces.length > 0) this.#queue.add(pieces);
    const losses = cappedSum(this.#missed, this.#dropped);
    if (losses === this.#writtenLosses || now - this.#lossesAt < LOSSES_MS) return;
    this.#lossesAt = now;
    this.#addLosses();
  }

  /** Writes the collected messages, and then nothing more until `resume`. Resolves when no write is under way; never rejects. */
  async quiet(now: number): Promise<void> {
    this.flush(now);
    await this.#queue.settled();
    this.#queue.hold();
  }

  resume(): void {
    this.#queue.resume();
  }

  /** Resolves when nothing waits for the disk, or the write failed. */
  async settled(): Promise<void> {
    await this.#queue.settled();
  }

  /** State for the next program: the open chunk is closed. */
  handOver(times: KernelTimes): HandedFile {
    const pieces = this.#encoder.cut();
    if (pieces.length > 0) this.#queue.add(pieces);
    const { written, ...rest } = this.#queue.handOver();
    const { position, summary } = this.#encoder;
    const state: FileState = {
      name: this.name,
      begunAt: times.toKernel(this.begunAt),
      lossesAt: times.toKernel(this.#lossesAt),
      start: this.#start === null ? null : String(this.#start),
      end: String(this.#end),
      ...{ messages: this.#messages, missed: this.#missed, dropped: this.#dropped, writtenLosses: this.#writtenLosses, position, written },
      topics: [...this.#topics].map(([name, topic]) => ({ name, ...topic })),
    };
    return { state, index: Buffer.concat(summary.close(position)), ...rest };
  }

  /** Whether another program removed, replaced or moved the file. */
  async isLost(): Promise<boolean> {
    return (await this.#queue.place()) !== "kept";
  }

  /** Completes the file. Resolves with the problem, or null; messages that are not in the file are counted as dropped. */
  async close(): Promise<ClosingProblem | null> {
    const last = this.#encoder.cut();
    try {
      await this.#queue.settled();
      const place = await this.#queue.place();
      if (place !== "gone") {
        this.#queue.add(last);
        // Losses are metadata, which is written between chunks.
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

  /** Completes a file on a full disk: its last messages make room for its end, more of them if other programs use the freed space. */
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

  /** Number of messages of each topic that are in no chunk of the file. */
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
