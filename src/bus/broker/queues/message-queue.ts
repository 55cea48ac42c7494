import type { BorrowedMessage } from "../borrowed-message.ts";

/** Messages of at least this many bytes are not copied, so that all queues that hold a large message share its memory. */
const MIN_BY_REFERENCE_BYTES = 16 * 1024;
const MIN_BLOCK_BYTES = 512;
const MAX_BLOCK_BYTES = 64 * 1024;
/** Approximate memory of one queued message beside its bytes, bytes. */
const MESSAGE_OVERHEAD_BYTES = 32;

/** Messages and payload bytes. */
export interface Taken {
  msgs: number;
  /** Bytes of headers and payload, without control lines. */
  payload: number;
  /** Bytes as they are sent. */
  bytes: number;
}

/** Messages in the order of their arrival: copies in one block, or one large message by reference. */
interface Segment {
  readonly block: Buffer;
  /** Offsets up to which the block has been taken, and used. */
  from: number;
  used: number;
  /** Rest of a large message behind the head, which is the block. */
  readonly rest: readonly Buffer[] | null;
  /** Bytes as sent, payload, and time of queueing (monotonic milliseconds), one entry a message. */
  readonly sizes: number[];
  readonly payloads: number[];
  readonly times: number[];
  /** Index of the oldest message that is left. */
  first: number;
}

/** Messages of one publisher and subject that wait for one receiver, in the order of arrival. */
export class MessageQueue {
  count = 0;
  /** Approximate memory use, bytes. */
  bytes = 0;
  /** Bytes of the payloads. */
  payload = 0;
  #segments: Segment[] = [];

  add(head: string | Buffer, message: BorrowedMessage, payload: number, now: number): void {
    const size = head.length + message.length;
    const isLarge = message.rest !== null || message.length >= MIN_BY_REFERENCE_BYTES;
    const segment = isLarge ? this.#reference(head, message) : this.#copy(head, message, size);
    segment.sizes.push(size);
    segment.payloads.push(payload);
    segment.times.push(now);
    this.count++;
    this.bytes += size + MESSAGE_OVERHEAD_BYTES;
    this.payload += payload;
  }

  /** Moves the oldest messages to `output`: as many as fit into `limit` bytes, at least one. */
  take(limit: number, output: Buffer[]): Taken {
    const taken: Taken = { msgs: 0, payload: 0, bytes: 0 };
    for (let segment = this.#segments[0]; segment !== undefined; segment = this.#segments[0]) {
      const from = segment.from;
      while (segment.first < segment.sizes.length) {
        const size = segment.sizes[segment.first] as number;
        if (taken.msgs > 0 && taken.bytes + size > limit) break;
        taken.msgs++;
        taken.bytes += size;
        taken.payload += this.#next(segment);
      }
      if (segment.from > from) output.push(segment.block.subarray(from, segment.from), ...(segment.rest ?? []));
      if (segment.first < segment.sizes.length) break;
      this.#segments.shift();
    }
    return taken;
  }

  /** The messages, oldest first, with their bytes as they are sent. */
  *waiting(): Generator<{ bytes: readonly Buffer[]; size: number; payload: number; time: number }> {
    for (const { block, from, used, rest, sizes, payloads, times, first } of this.#segments)
      for (let index = first, at = from; index < sizes.length; index++) {
        const size = sizes[index] as number;
        const bytes = rest === null ? [block.subarray(at, at + size)] : [block.subarray(0, used), ...rest];
        at += size;
        yield { bytes, size, payload: payloads[index] as number, time: times[index] as number };
      }
  }

  /** Time at which the oldest message was queued; infinite: there is none. */
  get oldestTime(): number {
    const [segment] = this.#segments;
    return segment?.times[segment.first] ?? Number.POSITIVE_INFINITY;
  }

  /** Removes the oldest message and returns the size of its payload. */
  dropOldest(): number {
    const [segment] = this.#segments;
    if (segment === undefined) return 0;
    const payload = this.#next(segment);
    if (segment.first === segment.sizes.length) this.#segments.shift();
    return payload;
  }

  #next(segment: Segment): number {
    const { first, rest } = segment;
    const size = segment.sizes[first] as number;
    segment.from = rest === null ? segment.from + size : segment.used;
    segment.first++;
    this.count--;
    this.bytes -= size + MESSAGE_OVERHEAD_BYTES;
    const payload = segment.payloads[first] as number;
    this.payload -= payload;
    return payload;
  }

  #reference(head: string | Buffer, message: BorrowedMessage): Segment {
    const { bytes, start, rest } = message;
    const block = typeof head === "string" ? Buffer.from(head, "latin1") : head;
    const pieces = rest === null ? [message.whole()] : [start === 0 ? bytes : bytes.subarray(start), ...rest];
    const segment = newSegment(block, pieces);
    segment.used = block.length;
    this.#segments.push(segment);
    return segment;
  }

  #copy(head: string | Buffer, message: BorrowedMessage, size: number): Segment {
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.rest !== null || segment.block.length - segment.used < size) {
      // Blocks grow with the queue, so that a queue of a few messages stays small.
      const blockBytes = Math.min(MAX_BLOCK_BYTES, Math.max(MIN_BLOCK_BYTES, this.bytes));
      segment = newSegment(Buffer.allocUnsafeSlow(Math.max(size, blockBytes)), null);
      this.#segments.push(segment);
    }
    const { block, used } = segment;
    if (typeof head === "string") block.write(head, used, "latin1");
    else head.copy(block, used);
    message.copyTo(block, used + head.length);
    segment.used += size;
    return segment;
  }
}

function newSegment(block: Buffer, rest: readonly Buffer[] | null): Segment {
  return { block, from: 0, used: 0, rest, sizes: [], payloads: [], times: [], first: 0 };
}
