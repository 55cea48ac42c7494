import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeRecords, recordHeader } from "../../../../src/features/recordings/samples/sample-record.ts";
import type { Sample } from "../../../../src/features/recordings/samples/samples.ts";

const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const sample: fc.Arbitrary<Sample> = fc.record({
  received: nanoseconds,
  published: fc.option(nanoseconds),
  sequence: fc.option(nanoseconds),
  payload: fc.uint8Array({ maxLength: 60 }),
});

function encodeRecord(sample: Sample): Buffer {
  const payload = sample.payload ?? new Uint8Array(0);
  return Buffer.concat([recordHeader(sample, payload.length), payload]);
}

/** The pieces come in one buffer, which the next one overwrites. */
async function read(pieces: readonly Uint8Array[], onlyTimes = false): Promise<Sample[]> {
  const samples: Sample[] = [];
  async function* given() {
    const buffer = new Uint8Array(Math.max(0, ...pieces.map(({ length }) => length)));
    for (const piece of pieces) {
      buffer.set(piece);
      yield buffer.subarray(0, piece.length);
      buffer.fill(0xee);
    }
  }
  for await (const each of decodeRecords(given(), onlyTimes)) samples.push({ ...each, payload: each.payload?.slice() ?? null });
  return samples;
}

describe("records of samples", () => {
  it("are read back from pieces of any size", async () => {
    const cases = fc.asyncProperty(fc.array(sample, { maxLength: 8 }), fc.integer({ min: 1, max: 70 }), async (samples, size) => {
      const bytes = Buffer.concat(samples.map(encodeRecord));
      const pieces = Array.from(
        { length: Math.ceil(bytes.length / size) },
        (_, at) => new Uint8Array(bytes.subarray(at * size, (at + 1) * size)),
      );
      expect(await read(pieces)).toEqual(samples);
    });
    await fc.assert(cases, { interruptAfterTimeLimit: 2_000 });
  });

  it("have the layout of docs/recordings.md", () => {
    const record = encodeRecord({ received: 1n, published: null, sequence: 258n, payload: Uint8Array.of(9) });
    expect(Buffer.from(record).toString("hex")).toBe(`01000000${"0100000000000000"}${"ffffffffffffffff"}${"0201000000000000"}09`);
  });

  it("are refused when cut off", async () => {
    const record = encodeRecord({ received: 1n, published: 2n, sequence: 3n, payload: Uint8Array.of(1, 2, 3) });
    await expect(read([record, record.subarray(0, -1)])).rejects.toThrow("an incomplete record at the end");
    await expect(read([new Uint8Array(28).fill(255)])).rejects.toThrow("a payload of 4294967295 bytes");
  });

  it("without payloads have times only", async () => {
    const times: Sample = { received: 5n, published: 4n, sequence: 0n, payload: null };
    expect(await read([encodeRecord(times)], true)).toEqual([times]);
  });
});
