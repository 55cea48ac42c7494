import { z } from "zod";
import { loggerSpec } from "../contract.ts";
import type { SampleRing, SharedPayload } from "./sample-ring.ts";

const count = z.int().min(0);

/** A ring of one topic; its samples are rows of the large bytes. */
const ringState = z.object({
  topic: z.string(),
  countdown: count,
  kind: z.object({ definition: z.string(), definitionName: z.string(), encoding: z.string() }).nullable(),
  sequence: z
    .string()
    .regex(/^\d{1,20}$/)
    .nullable(),
  missed: count,
  evicted: count,
  first: count,
  count,
});
export type RingState = z.infer<typeof ringState>;

/** State of the loggers of a host for the next program. */
export const ringsState = z.object({
  maxBytes: z.number().min(0),
  loggers: z.array(z.object({ spec: loggerSpec, rings: z.array(ringState) })),
});

/** Names of the large bytes: the rows of all samples, the sizes of the payloads (u32), the payloads. */
const NAMES = { rows: "rows", sizes: "sizes", payloads: "payloads" } as const;
/** Times of receipt and publication, sequence (i64, -1: none), index of the payload (i32, -1: none). */
const ROW_BYTES = 28;
const NONE = -1;

/** Collects the samples of rings. Payloads that several rings share are written once. */
export class SampleWriter {
  readonly #rows: Buffer[] = [];
  readonly #payloads: Uint8Array[] = [];
  readonly #indexes = new Map<SharedPayload, number>();

  add(ring: SampleRing): void {
    const rows = Buffer.alloc(ring.count * ROW_BYTES);
    for (let at = 0; at < ring.count; at++) {
      const sample = ring.get(ring.first + at);
      if (sample === null) break;
      const { received, published, sequence, payload } = sample;
      const row = at * ROW_BYTES;
      rows.writeBigInt64LE(received, row);
      rows.writeBigInt64LE(published ?? BigInt(NONE), row + 8);
      rows.writeBigInt64LE(sequence ?? BigInt(NONE), row + 16);
      rows.writeInt32LE(payload === null ? NONE : this.#indexOf(payload), row + 24);
    }
    this.#rows.push(rows);
  }

  get bytes(): Record<string, Uint8Array> {
    const sizes = Buffer.alloc(this.#payloads.length * 4);
    for (const [index, { length }] of this.#payloads.entries()) sizes.writeUInt32LE(length, index * 4);
    return { [NAMES.rows]: Buffer.concat(this.#rows), [NAMES.sizes]: sizes, [NAMES.payloads]: Buffer.concat(this.#payloads) };
  }

  #indexOf(payload: SharedPayload): number {
    const known = this.#indexes.get(payload);
    if (known !== undefined) return known;
    const index = this.#payloads.push(payload.bytes) - 1;
    this.#indexes.set(payload, index);
    return index;
  }
}

/** Fills rings again, in the order in which they were written. */
export class SampleReader {
  readonly #rows: Buffer;
  readonly #payloads: readonly SharedPayload[];
  #at = 0;

  constructor(bytes: Readonly<Record<string, Uint8Array>>) {
    const [rows, sizes, payloads] = [NAMES.rows, NAMES.sizes, NAMES.payloads].map((name) => Buffer.from(bytes[name] ?? [])) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    this.#rows = rows;
    let at = 0;
    this.#payloads = Array.from({ length: sizes.length / 4 }, (_, index) => {
      const size = sizes.readUInt32LE(index * 4);
      // In memory of its own: a slice would keep all of them.
      const copy = Buffer.allocUnsafeSlow(size);
      payloads.copy(copy, 0, at, at + size);
      at += size;
      return { bytes: copy, holders: 0 };
    });
  }

  fill(ring: SampleRing, count: number): void {
    for (const end = this.#at + count * ROW_BYTES; this.#at < end; this.#at += ROW_BYTES) {
      const [received, published, sequence] = [0, 8, 16].map((offset) => this.#rows.readBigInt64LE(this.#at + offset)) as [
        bigint,
        bigint,
        bigint,
      ];
      const index = this.#rows.readInt32LE(this.#at + 24);
      const orNull = (value: bigint) => (value === BigInt(NONE) ? null : value);
      ring.push({ received, published: orNull(published), sequence: orNull(sequence), payload: this.#payloads[index] ?? null });
    }
  }
}
