import { MAX_PART_BYTES } from "../../../contract/pages.ts";
import { RECORD_HEADER_BYTES, recordHeader } from "../../recordings/samples/sample-record.ts";
import type { SampleRing } from "./sample-ring.ts";

export interface RecordRange {
  readonly from: number;
  /** Bytes of the first record that were read before. */
  readonly skip: number;
  readonly until: number;
}

export interface RecordPart {
  readonly from: number;
  readonly next: number;
  readonly next_skip: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

/**
 * Records of a ring: little-endian `u32 length | u64 received | i64 published (-1: none) | i64 sequence (-1: none) | payload`. A record that is
 * larger than an answer is split; if its sample is evicted meanwhile, the answer begins at a later sample.
 */
export function readRecords(ring: SampleRing, { from, skip, until }: RecordRange): RecordPart {
  const begin = Math.max(from, ring.first);
  const end = Math.min(until, ring.end);
  const parts: Uint8Array[] = [];
  let room = MAX_PART_BYTES;
  let at = begin;
  /** Offset within the record of sample `at`, bytes. */
  let offset = begin === from ? skip : 0;
  while (at < end && room > 0) {
    const sample = ring.get(at);
    if (sample === null) break;
    const size = sample.payload?.bytes.length ?? 0;
    const length = RECORD_HEADER_BYTES + size;
    const stop = Math.min(length, offset + room);
    parts.push(recordHeader(sample, size).subarray(offset, stop));
    if (sample.payload !== null)
      parts.push(sample.payload.bytes.subarray(Math.max(0, offset - RECORD_HEADER_BYTES), Math.max(0, stop - RECORD_HEADER_BYTES)));
    room -= Math.max(0, stop - offset);
    offset = stop;
    if (stop < length) break;
    at += 1;
    offset = 0;
  }
  return { from: begin, next: at, next_skip: offset, data: Buffer.concat(parts) };
}
