import type { DiskRing } from "./disk-ring.ts";
import type { MemoryRing } from "./memory-ring.ts";
import {
  HEAD_BYTES,
  KIND,
  type RingMessage,
  type RingTopic,
  recordCount,
  recordKind,
  recordPublished,
  recordSequence,
  recordSize,
  recordTime,
  recordTopic,
  topicOf,
} from "./records.ts";

/** Maximum amount that is read in one turn of the event loop: some milliseconds. */
const MAX_SLICE_RECORDS = 500;
const MAX_SLICE_BYTES = 4 * 1024 * 1024;

/** A place in the ring: a block, and an offset in its records, bytes. */
export interface RingPosition {
  readonly number: number;
  readonly offset: number;
}

/** Called with the entries of the ring, in order. Messages are valid only during the call. */
export interface RingVisitor {
  message(message: RingMessage): void;
  lost(topic: string, count: number, time: bigint): void;
  /** Nothing is known of the time between these two, in nanoseconds. `isEnded`: the daemon did not run; otherwise the ring was overwritten. */
  gap(from: bigint, until: bigint, isEnded: boolean): void;
}

interface Records {
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Length of the records; those of an open block grow. */
  readonly length: () => number;
  /** Whether they are still those of the block. */
  readonly isValid: () => boolean;
}

/** Reads the ring from a time on, in slices, while it grows: from memory, and older entries from the disk. */
export class RingReader {
  readonly #memory: MemoryRing;
  readonly #disk: DiskRing | null;
  #number: number;
  #offset: number;
  #records: Records | null = null;
  #topics: RingTopic[] = [];
  /** Time of the last record; 0: none was read. */
  #last = 0n;
  #isGapDue = false;

  private constructor(memory: MemoryRing, disk: DiskRing | null, { number, offset }: RingPosition) {
    this.#memory = memory;
    this.#disk = disk;
    this.#number = number;
    this.#offset = offset;
  }

  /** A reader that finds everything from `time` on. */
  static async from(memory: MemoryRing, disk: DiskRing | null, time: bigint): Promise<RingReader> {
    const oldest = memory.blocks[0];
    if (disk !== null && (oldest === undefined || oldest.first > time)) {
      const number = await disk.startingAt(time);
      if (number !== null && number < (memory.blocks[0]?.number ?? Number.POSITIVE_INFINITY))
        return new RingReader(memory, disk, { number, offset: 0 });
    }
    // Times of notes are not in order: a block ends with its newest one.
    const number = memory.blocks.find((block) => block.last >= time)?.number ?? memory.open?.number ?? memory.next;
    return new RingReader(memory, disk, { number, offset: 0 });
  }

  /** A reader that continues at a place. */
  static at(memory: MemoryRing, disk: DiskRing | null, position: RingPosition): RingReader {
    return new RingReader(memory, disk, position);
  }

  get position(): RingPosition {
    return { number: this.#number, offset: this.#offset };
  }

  /** Reads on. Resolves with whether there is more at once. */
  async slice(visitor: RingVisitor): Promise<boolean> {
    if (this.#records === null || !this.#records.isValid()) {
      this.#records = await this.#find();
      if (this.#records === null) return false;
    }
    const records = this.#records;
    // The ring may have gone on while a file was read.
    if (!records.isValid()) return true;
    this.#read(records, visitor);
    if (this.#offset < records.length() && recordSize(records.view, this.#offset, records.length()) > 0) return true;
    if (this.#number === this.#memory.open?.number) return false;
    this.#number++;
    this.#offset = 0;
    this.#records = null;
    return true;
  }

  /** The records of this block, or of the first one after it that is still there; null: the end is reached. */
  async #find(): Promise<Records | null> {
    const wanted = this.#number;
    let inMemory = this.#memory.blockFrom(wanted);
    if (inMemory?.number !== wanted && this.#disk !== null) {
      const onDisk = await this.#disk.from(wanted);
      inMemory = this.#memory.blockFrom(wanted);
      if (onDisk !== null && (inMemory === null || onDisk < inMemory.number)) {
        const bytes = await this.#disk.read(onDisk);
        this.#move(onDisk);
        const found = bytes ?? Buffer.alloc(0);
        return this.#begin({ bytes: found, view: viewOf(found), length: () => found.length, isValid: () => true });
      }
    }
    if (inMemory === null) return null;
    const block = inMemory;
    const { number } = block;
    this.#move(number);
    return this.#begin({ bytes: block.buffer, view: block.view, length: () => block.length, isValid: () => block.number === number });
  }

  #move(number: number): void {
    if (number === this.#number) return;
    this.#isGapDue = true;
    this.#number = number;
    this.#offset = 0;
  }

  /** Learns the topics of the records before the present offset. */
  #begin(records: Records): Records {
    this.#topics = [];
    for (let at = 0; at < this.#offset; ) {
      const size = recordSize(records.view, at, records.length());
      if (size === 0) break;
      if (recordKind(records.view, at) === KIND.topic) this.#addTopic(records, at, size);
      at += size;
    }
    return records;
  }

  #read({ bytes, view, length, ...rest }: Records, visitor: RingVisitor): void {
    const end = length();
    const begin = this.#offset;
    for (let count = 0; count < MAX_SLICE_RECORDS && this.#offset - begin < MAX_SLICE_BYTES; count++) {
      const at = this.#offset;
      const size = recordSize(view, at, end);
      if (size === 0) return;
      const time = recordTime(view, at);
      const kind = recordKind(view, at);
      const topic = this.#topics[recordTopic(view, at)];
      if (this.#last > 0n && (this.#isGapDue || kind === KIND.begin) && time > this.#last)
        visitor.gap(this.#last, time, kind === KIND.begin);
      this.#isGapDue = false;
      if (kind === KIND.topic) this.#addTopic({ bytes, view, length, ...rest }, at, size);
      else if (kind === KIND.loss && topic !== undefined) visitor.lost(topic.topic, recordCount(view, at), time);
      else if (kind === KIND.message && topic !== undefined)
        visitor.message({
          ...topic,
          received: time,
          published: recordPublished(view, at),
          sequence: recordSequence(view, at),
          payload: bytes.subarray(at + HEAD_BYTES, at + size),
        });
      if (time > this.#last) this.#last = time;
      this.#offset = at + size;
    }
  }

  #addTopic({ bytes, view }: Records, at: number, size: number): void {
    const topic = topicOf(bytes.subarray(at + HEAD_BYTES, at + size));
    if (topic !== null) this.#topics[recordTopic(view, at)] = topic;
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);
