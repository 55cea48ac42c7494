/**
 * Records of a block, little-endian: u32 size of the whole record, u8 kind, u8 flags, u16 topic in its block, u64 time, u64 time of publication, u64
 * sequence, then the payload. Times are in nanoseconds since 1970.
 */

export const HEAD_BYTES = 32;
/** Maximum number of topics of a block: they are numbered with 16 bits. */
export const MAX_BLOCK_TOPICS = 65_535;

export const KIND = {
  /** The payload is JSON of a topic; its number is used by the records after it. */
  topic: 1,
  message: 2,
  /** Messages of a topic that are not in the ring; the sequence is their number. */
  loss: 3,
  /** The ring began: what was published before it was not seen. */
  begin: 4,
} as const;

const PUBLISHED = 1;
const SEQUENCE = 2;

/** A topic as its messages name it. */
export interface RingTopic {
  readonly topic: string;
  readonly definition: string;
  readonly definitionName: string;
  readonly encoding: string;
}

/** A message for the ring; its payload is copied. */
export interface RingMessage extends RingTopic {
  readonly received: bigint;
  readonly published: bigint | null;
  readonly sequence: bigint | null;
  readonly payload: Uint8Array;
}

export function topicBytes({ topic, definition, definitionName, encoding }: RingTopic): Buffer {
  return Buffer.from(JSON.stringify([topic, encoding, definitionName, definition]));
}

/** Null: the bytes are damaged. */
export function topicOf(bytes: Buffer): RingTopic | null {
  try {
    const [topic, encoding, definitionName, definition]: unknown[] = JSON.parse(bytes.toString());
    if (typeof topic !== "string" || typeof encoding !== "string" || typeof definitionName !== "string" || typeof definition !== "string")
      return null;
    return { topic, encoding, definitionName, definition };
  } catch {
    return null;
  }
}

interface Head {
  readonly kind: number;
  readonly topic: number;
  readonly time: bigint;
  readonly published: bigint | null;
  readonly sequence: bigint | null;
}

export function writeRecord(view: DataView, at: number, size: number, { kind, topic, time, published, sequence }: Head): void {
  view.setUint32(at, size, true);
  view.setUint8(at + 4, kind);
  view.setUint8(at + 5, (published === null ? 0 : PUBLISHED) | (sequence === null ? 0 : SEQUENCE));
  view.setUint16(at + 6, topic, true);
  view.setBigUint64(at + 8, time, true);
  view.setBigUint64(at + 16, published ?? 0n, true);
  view.setBigUint64(at + 24, sequence ?? 0n, true);
}

/** Size of the record at `at`; 0: there is no whole record before `end`. */
export function recordSize(view: DataView, at: number, end: number): number {
  if (end - at < HEAD_BYTES) return 0;
  const size = view.getUint32(at, true);
  return size < HEAD_BYTES || size > end - at ? 0 : size;
}

export const recordKind = (view: DataView, at: number): number => view.getUint8(at + 4);
export const recordTopic = (view: DataView, at: number): number => view.getUint16(at + 6, true);
export const recordTime = (view: DataView, at: number): bigint => view.getBigUint64(at + 8, true);
export const recordCount = (view: DataView, at: number): number => Number(view.getBigUint64(at + 24, true));

export function recordPublished(view: DataView, at: number): bigint | null {
  return (view.getUint8(at + 5) & PUBLISHED) === 0 ? null : view.getBigUint64(at + 16, true);
}

export function recordSequence(view: DataView, at: number): bigint | null {
  return (view.getUint8(at + 5) & SEQUENCE) === 0 ? null : view.getBigUint64(at + 24, true);
}
