import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeChunk, encodeChunkHead } from "../../../src/bus/host-link/output-codec.ts";
import { MAX_CHUNK_BYTES, type OutputChunk } from "../../../src/contract/messages.ts";

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 255 });
const chunk = fc.oneof(
  fc.record({
    name,
    stream_id: fc.string({ maxLength: 36 }),
    offset: fc.maxSafeNat(),
    gap: fc.constant(0),
    data: fc.uint8Array({ maxLength: 500 }),
  }),
  fc.record({ name, stream_id: fc.uuid(), offset: fc.maxSafeNat(), gap: fc.maxSafeNat(), data: fc.constant(new Uint8Array(0)) }),
);

const encodeChunk = (one: OutputChunk) => Buffer.concat([encodeChunkHead(one), one.data]);

describe("output chunks on the bus", () => {
  it("are decoded to what was encoded", () => {
    fc.assert(
      fc.property(chunk, (one) => {
        const decoded = decodeChunk(encodeChunk(one));
        expect(decoded && { ...decoded, data: [...decoded.data] }).toEqual({ ...one, data: [...one.data] });
      }),
    );
  });

  it("that were cut or changed are refused or are other chunks, and never throw", () => {
    fc.assert(
      fc.property(chunk, fc.nat(), fc.nat(255), (one, place, value) => {
        const bytes = Buffer.from(encodeChunk(one));
        const changed = Buffer.from(bytes);
        changed[place % bytes.length] = value;
        for (const given of [bytes.subarray(0, place % bytes.length), changed]) expect(() => decodeChunk(given)).not.toThrow();
      }),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => void expect(() => decodeChunk(bytes)).not.toThrow()));
  });

  it.each([
    ["of another version", (bytes: Buffer) => bytes.writeUInt8(2, 0)],
    ["whose offset is no safe integer", (bytes: Buffer) => bytes.writeBigUInt64BE(2n ** 53n, 1)],
    ["with data and a gap", (bytes: Buffer) => bytes.writeBigUInt64BE(1n, 9)],
    ["whose name is longer than they are", (bytes: Buffer) => bytes.writeUInt16BE(60_000, 17)],
    ["whose name is not UTF-8", (bytes: Buffer) => bytes.writeUInt8(0xff, 20)],
  ])("%s are refused", (_what, spoil) => {
    const bytes = Buffer.from(encodeChunk({ name: "p", stream_id: "s", offset: 0, gap: 0, data: Buffer.from("x") }));
    expect(decodeChunk(bytes)).not.toBeNull();
    spoil(bytes);
    expect(decodeChunk(bytes)).toBeNull();
  });

  it("without a name, or larger than allowed, are refused", () => {
    expect(decodeChunk(encodeChunk({ name: "", stream_id: "s", offset: 0, gap: 0, data: new Uint8Array(0) }))).toBeNull();
    expect(
      decodeChunk(encodeChunk({ name: "p", stream_id: "s", offset: 0, gap: 0, data: new Uint8Array(MAX_CHUNK_BYTES + 1) })),
    ).toBeNull();
  });
});
