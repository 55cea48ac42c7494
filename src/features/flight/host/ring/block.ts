import { HEAD_BYTES, KIND, MAX_BLOCK_TOPICS, type RingMessage, type RingTopic, writeRecord } from "./records.ts";

/** Marks a block that is not in the ring. */
const NOT_IN_RING = -1;

/** Memory for records. A block knows the topics of its messages by records of its own, so that it can be read without any other block. */
export class Block {
  readonly buffer: Buffer;
  readonly view: DataView;
  /** Blocks are numbered in the order in which they are filled; the number changes when the memory is used again. */
  number = NOT_IN_RING;
  /** Bytes of records. */
  length = 0;
  messages = 0;
  topics = 0;
  /** Times of the first record, and of the newest one; nanoseconds. */
  first = 0n;
  last = 0n;
  /** Monotonic times of the beginning and of the last record, milliseconds. */
  begunAt = 0;
  lastAt = 0;
  /** Bytes that are on the disk, and messages in them. */
  saved = 0;
  savedMessages = 0;
  /** Whether the memory is being written to the disk: it must not be used again. */
  isBorrowed = false;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  }

  get room(): number {
    return this.topics >= MAX_BLOCK_TOPICS ? 0 : this.buffer.length - this.length;
  }

  begin(number: number, now: number): void {
    this.number = number;
    this.length = this.messages = this.topics = this.saved = this.savedMessages = 0;
    this.first = this.last = 0n;
    this.begunAt = this.lastAt = now;
  }

  /** The ring does not have its records any more. */
  end(): void {
    this.number = NOT_IN_RING;
  }

  /** Adds a topic, whose number it returns. */
  addTopic(bytes: Buffer, time: bigint): number {
    const topic = this.topics++;
    const at = this.#append(HEAD_BYTES + bytes.length, { kind: KIND.topic, topic, time, published: null, sequence: null });
    bytes.copy(this.buffer, at + HEAD_BYTES);
    return topic;
  }

  addMessage(topic: number, { received, published, sequence, payload }: RingMessage, now: number): void {
    const at = this.#append(HEAD_BYTES + payload.length, { kind: KIND.message, topic, time: received, published, sequence });
    this.buffer.set(payload, at + HEAD_BYTES);
    this.messages++;
    this.lastAt = now;
  }

  addLoss(topic: number, count: number, time: bigint): void {
    this.#append(HEAD_BYTES, { kind: KIND.loss, topic, time, published: null, sequence: BigInt(count) });
  }

  addBegin(time: bigint): void {
    this.#append(HEAD_BYTES, { kind: KIND.begin, topic: 0, time, published: null, sequence: null });
  }

  #append(size: number, head: Parameters<typeof writeRecord>[3]): number {
    const at = this.length;
    writeRecord(this.view, at, size, head);
    if (at === 0) this.first = head.time;
    if (head.time > this.last) this.last = head.time;
    this.length += size;
    return at;
  }
}

/** Topics of the open block, by name. */
export class BlockTopics {
  readonly #topics = new Map<string, RingTopic & { readonly id: number }>();

  /** Number of the topic in the open block; null: the block has no such topic, or with another definition. */
  find({ topic, definition, definitionName, encoding }: RingTopic): number | null {
    const known = this.#topics.get(topic);
    if (known === undefined || known.definition !== definition) return null;
    return known.encoding === encoding && known.definitionName === definitionName ? known.id : null;
  }

  add({ topic, definition, definitionName, encoding }: RingTopic, id: number): void {
    this.#topics.set(topic, { topic, definition, definitionName, encoding, id });
  }

  clear(): void {
    this.#topics.clear();
  }
}
