/** Number of samples in one block. */
const BLOCK_SAMPLES = 256;
/** Size of a block, bytes: three columns of 8 bytes and a reference to each payload. */
const BLOCK_BYTES = BLOCK_SAMPLES * 32;
/** Approximate size of an object that holds a payload, without the payload, bytes. */
const PAYLOAD_OVERHEAD_BYTES = 128;
const NONE = -1n;
const MAX_INT64 = 2n ** 63n - 1n;

/** A copy of a published payload, shared by the rings of several loggers. */
export interface SharedPayload {
  readonly bytes: Uint8Array;
  /** Number of rings that hold it. */
  holders: number;
}

export interface RingSample {
  /** Time of receipt, nanoseconds since 1970. */
  readonly received: bigint;
  readonly published: bigint | null;
  readonly sequence: bigint | null;
  /** Null: only times are kept. */
  readonly payload: SharedPayload | null;
}

interface Block {
  readonly received: BigInt64Array;
  readonly published: BigInt64Array;
  readonly sequence: BigInt64Array;
  readonly payloads: (SharedPayload | null)[];
}

/** The last samples of one topic, numbered from 0 over the life of the ring; those from `first` to before `end` are held. */
export class SampleRing {
  first: number;
  end: number;
  /** Memory of the ring, bytes, including payloads that other rings also hold. */
  bytes = 0;
  readonly #size: number;
  readonly #grow: (bytes: number) => void;
  readonly #blocks = new Map<number, Block>();

  /** `grow` receives each change of the memory that the host's rings use, bytes. `first`: number of the first sample. */
  constructor(size: number, grow: (bytes: number) => void, first = 0) {
    this.first = first;
    this.end = first;
    this.#size = size;
    this.#grow = grow;
  }

  get count(): number {
    return this.end - this.first;
  }

  push({ received, published, sequence, payload }: RingSample): void {
    const block = this.#blocks.get(Math.floor(this.end / BLOCK_SAMPLES)) ?? this.#addBlock();
    const at = this.end % BLOCK_SAMPLES;
    block.received[at] = received;
    // A value that exceeds a signed 64-bit number is not a time.
    block.published[at] = published === null || published > MAX_INT64 ? NONE : published;
    block.sequence[at] = sequence ?? NONE;
    block.payloads[at] = payload;
    if (payload !== null) {
      payload.holders += 1;
      this.bytes += costOf(payload);
      if (payload.holders === 1) this.#grow(costOf(payload));
    }
    this.end += 1;
    if (this.count > this.#size) this.dropOldest();
  }

  /** Null if the sample is not held. */
  get(index: number): RingSample | null {
    const block = this.#blocks.get(Math.floor(index / BLOCK_SAMPLES));
    if (index < this.first || index >= this.end || block === undefined) return null;
    const at = index % BLOCK_SAMPLES;
    return {
      received: block.received[at] ?? 0n,
      published: orNull(block.published[at]),
      sequence: orNull(block.sequence[at]),
      payload: block.payloads[at] ?? null,
    };
  }

  dropOldest(): void {
    if (this.count === 0) return;
    const number = Math.floor(this.first / BLOCK_SAMPLES);
    const block = this.#blocks.get(number);
    const at = this.first % BLOCK_SAMPLES;
    const payload = block?.payloads[at] ?? null;
    if (block !== undefined) block.payloads[at] = null;
    if (payload !== null) {
      payload.holders -= 1;
      this.bytes -= costOf(payload);
      if (payload.holders === 0) this.#grow(-costOf(payload));
    }
    this.first += 1;
    if (this.count === 0 || this.first % BLOCK_SAMPLES === 0) this.#removeBlock(number);
  }

  clear(): void {
    while (this.count > 0) this.dropOldest();
  }

  #addBlock(): Block {
    const block: Block = {
      received: new BigInt64Array(BLOCK_SAMPLES),
      published: new BigInt64Array(BLOCK_SAMPLES),
      sequence: new BigInt64Array(BLOCK_SAMPLES),
      payloads: new Array<SharedPayload | null>(BLOCK_SAMPLES).fill(null),
    };
    this.#blocks.set(Math.floor(this.end / BLOCK_SAMPLES), block);
    this.bytes += BLOCK_BYTES;
    this.#grow(BLOCK_BYTES);
    return block;
  }

  #removeBlock(number: number): void {
    if (!this.#blocks.delete(number)) return;
    this.bytes -= BLOCK_BYTES;
    this.#grow(-BLOCK_BYTES);
  }
}

function costOf({ bytes }: SharedPayload): number {
  return bytes.length + PAYLOAD_OVERHEAD_BYTES;
}

function orNull(value: bigint | undefined): bigint | null {
  return value === undefined || value === NONE ? null : value;
}
