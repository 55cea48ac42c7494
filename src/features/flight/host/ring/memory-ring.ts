import type { Clock } from "../../../../base/timing/clock.ts";
import type { KernelTimes } from "../../../../daemon/handover/kernel-times.ts";
import { Block, BlockTopics } from "./block.ts";
import { HEAD_BYTES, type RingMessage, type RingTopic, topicBytes } from "./records.ts";
import type { BlockState } from "./ring-state.ts";

/** Size of a block, bytes: at most this, and a share of the ring, so that dropping the oldest one drops little. */
const MAX_BLOCK_BYTES = 1024 * 1024;
const MIN_BLOCK_BYTES = 16 * 1024;
const BLOCKS_OF_RING = 16;
/** A block is closed after this share of the ring's time, so that messages are dropped soon after it. */
const BLOCKS_OF_TIME = 8;

export interface RingBounds {
  /** Bytes. */
  readonly memory: number;
  /** Age after which messages are dropped, milliseconds. */
  readonly spanMs: number;
}

export interface MemoryRingOptions {
  readonly clock: Clock;
  /** The wall clock, nanoseconds since 1970. */
  readonly now: () => bigint;
  /** Called with each block that is dropped, before its memory is used again. */
  readonly dropped: (block: Block) => void;
}

/** The newest messages, encoded in blocks of memory that are used again and again. */
export class MemoryRing {
  readonly #options: MemoryRingOptions;
  #bounds: RingBounds = { memory: 0, spanMs: 1_000 };
  /** Oldest first; the last one is open. */
  readonly #blocks: Block[] = [];
  #open: Block | null = null;
  readonly #free: Block[] = [];
  readonly #topics = new BlockTopics();
  /** Memory of all blocks, bytes. */
  #allocated = 0;
  #next = 0;

  constructor(options: MemoryRingOptions) {
    this.#options = options;
  }

  /** Blocks in the ring, oldest first. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** The block that is being filled; null: there is none. */
  get open(): Block | null {
    return this.#open;
  }

  /** Memory that the ring occupies, bytes. */
  get allocated(): number {
    return this.#allocated;
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, { length }) => sum + length, 0);
  }

  get messages(): number {
    return this.#blocks.reduce((sum, { messages }) => sum + messages, 0);
  }

  /** Number of the next block; no block before it is filled any more, except for the open one. */
  get next(): number {
    return this.#next;
  }

  /** Blocks of earlier programs have the numbers before `number`. */
  skipTo(number: number): void {
    this.#next = Math.max(this.#next, number);
  }

  /** Drops what is over the new bounds. */
  setBounds(bounds: RingBounds): void {
    this.#bounds = bounds;
    while (this.#allocated > bounds.memory && this.#shrink());
    this.expire();
  }

  /** Says in the ring that it begins now. */
  begin(): void {
    const block = this.#begin(HEAD_BYTES);
    block?.addBegin(this.#options.now());
  }

  /** Returns false if the message is larger than the ring. */
  put(message: RingMessage): boolean {
    const { payload, received } = message;
    const size = HEAD_BYTES + payload.length;
    const now = this.#options.clock.monotonic();
    const known = this.#topics.find(message);
    if (known !== null && this.#open !== null && this.#open.room >= size) {
      this.#open.addMessage(known, message, now);
      return true;
    }
    const place = this.#place(message, size, received);
    place?.block.addMessage(place.topic, message, now);
    return place !== null;
  }

  /** Says in the ring that messages of a topic are missing. */
  lost(topic: RingTopic, count: number, time: bigint): void {
    const place = this.#place(topic, HEAD_BYTES, time);
    place?.block.addLoss(place.topic, count, time);
  }

  /** Closes the open block if it is old, and drops blocks whose messages are too old. */
  expire(): void {
    const { spanMs } = this.#bounds;
    const now = this.#options.clock.monotonic();
    if (this.#open !== null && this.#open.messages > 0 && now - this.#open.begunAt >= spanMs / BLOCKS_OF_TIME) this.#close();
    for (let [oldest] = this.#blocks; oldest !== undefined && oldest !== this.#open; [oldest] = this.#blocks) {
      if (now - oldest.lastAt <= spanMs) break;
      this.#dropOldest();
    }
  }

  /** Forgets everything. */
  clear(): void {
    while (this.#blocks.length > 0) this.#dropOldest();
    while (this.#shrink());
  }

  /** The block with the lowest number that is at least `number`; null: there is none. */
  blockFrom(number: number): Block | null {
    return this.#blocks.find((block) => block.number >= number) ?? null;
  }

  handOver(times: KernelTimes): { states: BlockState[]; bytes: Record<string, Uint8Array> } {
    const bytes: Record<string, Uint8Array> = {};
    const states = this.#blocks.map((block): BlockState => {
      bytes[blockName(block.number)] = block.buffer.subarray(0, block.length);
      const { number, messages, saved, savedMessages, first, last } = block;
      const { begunAt, lastAt } = { begunAt: times.toKernel(block.begunAt), lastAt: times.toKernel(block.lastAt) };
      return { number, messages, saved, savedMessages, first: String(first), last: String(last), begunAt, lastAt };
    });
    return { states, bytes };
  }

  /** Continues the ring of the program before this one, in the memory of `bytes`. */
  adopt(states: readonly BlockState[], next: number, bytes: Readonly<Record<string, Uint8Array>>, times: KernelTimes): void {
    this.#next = next;
    for (const { number, messages, saved, savedMessages, first, last, begunAt, lastAt } of states) {
      const content = bytes[blockName(number)];
      if (content === undefined) continue;
      const block = new Block(Buffer.from(content.buffer, content.byteOffset, content.length));
      block.begin(number, times.fromKernel(begunAt));
      Object.assign(block, { length: content.length, messages, saved, savedMessages, first: BigInt(first), last: BigInt(last) });
      block.lastAt = times.fromKernel(lastAt);
      this.#allocated += block.buffer.length;
      this.#blocks.push(block);
    }
  }

  /** A block with room for a record of `size` bytes, and the number of its topic there; null: the record is larger than the ring. */
  #place(topic: RingTopic, size: number, time: bigint): { block: Block; topic: number } | null {
    const known = this.#topics.find(topic);
    if (known !== null && this.#open !== null && this.#open.room >= size) return { block: this.#open, topic: known };
    const described = topicBytes(topic);
    const needed = size + HEAD_BYTES + described.length;
    const block = this.#open !== null && this.#open.room >= needed ? this.#open : this.#begin(needed);
    if (block === null) return null;
    const id = block.addTopic(described, time);
    this.#topics.add(topic, id);
    return { block, topic: id };
  }

  /** Begins a block of at least `needed` bytes; null: that is more than the ring has. */
  #begin(needed: number): Block | null {
    const block = this.#take(needed);
    if (block === null) return null;
    this.#close();
    block.begin(this.#next++, this.#options.clock.monotonic());
    this.#blocks.push(block);
    this.#open = block;
    return block;
  }

  #close(): void {
    this.#open = null;
    this.#topics.clear();
  }

  /** Memory for a block: free, new, or that of the oldest blocks. */
  #take(needed: number): Block | null {
    const { memory } = this.#bounds;
    const usual = Math.min(memory, Math.max(MIN_BLOCK_BYTES, Math.min(MAX_BLOCK_BYTES, Math.floor(memory / BLOCKS_OF_RING))));
    const capacity = Math.max(usual, needed);
    if (capacity > memory) return null;
    for (;;) {
      const fitting = this.#free.findIndex(({ buffer }) => buffer.length >= capacity && buffer.length <= 2 * capacity);
      const [block] = fitting < 0 ? [] : this.#free.splice(fitting, 1);
      if (block !== undefined) return block;
      if (this.#allocated + capacity <= memory) break;
      if (!this.#forgetFree()) this.#dropOldest();
    }
    this.#allocated += capacity;
    return new Block(Buffer.allocUnsafeSlow(capacity));
  }

  /** Gives memory back; returns false if there is none. */
  #shrink(): boolean {
    if (this.#forgetFree()) return true;
    if (this.#blocks.length === 0) return false;
    this.#dropOldest();
    return true;
  }

  #forgetFree(): boolean {
    const free = this.#free.pop();
    this.#allocated -= free?.buffer.length ?? 0;
    return free !== undefined;
  }

  #dropOldest(): void {
    const block = this.#blocks.shift();
    if (block === undefined) return;
    if (block === this.#open) this.#close();
    this.#options.dropped(block);
    block.end();
    // The disk still reads it: its memory is given back afterwards.
    if (block.isBorrowed) this.#allocated -= block.buffer.length;
    else this.#free.push(block);
  }
}

const blockName = (number: number): string => `block ${number}`;
