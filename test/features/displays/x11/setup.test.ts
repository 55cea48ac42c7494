import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAuthorized, MAX_SETUP_BYTES, parseSetup, setupFailed, setupPacket } from "../../../../src/features/displays/x11/setup.ts";

const bytes = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
const authorization = fc.record({
  name: bytes(64, 1).map((name) => String.fromCharCode(...name)),
  data: bytes(256).map((data) => new Uint8Array(data)),
});
const packet = fc.record({
  isBigEndian: fc.boolean(),
  major: fc.nat(0xffff),
  minor: fc.nat(0xffff),
  authorization: fc.option(authorization),
});
const bounded = { interruptAfterTimeLimit: 2_000 };

/** As xcb writes it: little-endian, version 11.0, a cookie of 16 times the same byte. */
const REAL = Buffer.from(`6c000b00000012001000000${"0"}4d49542d4d414749432d434f4f4b49452d3100${"00"}${"ab".repeat(16)}`, "hex");

describe("the setup packet of an X client", () => {
  it("is read as written by xcb", () => {
    const setup = parseSetup(REAL);
    expect(setup).toEqual({
      isBigEndian: false,
      major: 11,
      minor: 0,
      authorization: { name: "MIT-MAGIC-COOKIE-1", data: new Uint8Array(16).fill(0xab) },
      length: REAL.length,
    });
    if (setup) expect(Buffer.from(setupPacket(setup))).toEqual(REAL);
  });

  it("is the same after writing and reading, in both byte orders, whatever follows it", () => {
    fc.assert(
      fc.property(packet, bytes(64), (wanted, rest) => {
        const written = setupPacket(wanted);
        expect(written.length).toBeLessThanOrEqual(MAX_SETUP_BYTES);
        expect(written.length % 4).toBe(0);
        expect(parseSetup(new Uint8Array([...written, ...rest]))).toEqual({ ...wanted, length: written.length });
      }),
      bounded,
    );
  });

  it("is incomplete until its last byte", () => {
    fc.assert(
      fc.property(packet, fc.nat(), (wanted, at) => {
        const written = setupPacket(wanted);
        expect(parseSetup(written.subarray(0, at % written.length))).toBeNull();
      }),
      bounded,
    );
  });

  it("of any bytes is read, refused, or needs fewer bytes than the bound", () => {
    fc.assert(
      fc.property(bytes(MAX_SETUP_BYTES, MAX_SETUP_BYTES), fc.constantFrom(0x42, 0x6c, 0), (data, order) => {
        if (order !== 0) data[0] = order;
        try {
          expect(parseSetup(data)?.length).toBeLessThanOrEqual(MAX_SETUP_BYTES);
        } catch (error) {
          expect(String(error)).toMatch(/no byte order|is longer than/);
        }
      }),
      bounded,
    );
  });

  it("is authorized by the same method and the same bytes only", () => {
    fc.assert(
      fc.property(authorization, fc.nat(), fc.integer({ min: 1, max: 255 }), (wanted, at, change) => {
        expect(isAuthorized({ authorization: { ...wanted, data: wanted.data.slice() } }, wanted)).toBe(true);
        expect(isAuthorized({ authorization: null }, wanted)).toBe(false);
        expect(isAuthorized({ authorization: { ...wanted, name: `${wanted.name}x` } }, wanted)).toBe(false);
        expect(isAuthorized({ authorization: { ...wanted, data: new Uint8Array([...wanted.data, 0]) } }, wanted)).toBe(false);
        if (wanted.data.length === 0) return;
        const other = wanted.data.slice();
        other[at % other.length] = (other[at % other.length] ?? 0) ^ change;
        expect(isAuthorized({ authorization: { ...wanted, data: other } }, wanted)).toBe(false);
      }),
      bounded,
    );
  });
});

describe("the refusal of an X client", () => {
  it("has its lengths in the client's byte order, and at most 255 bytes of the reason", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.string({ unit: "grapheme", maxLength: 400 }), (isBigEndian, reason) => {
        const answer = setupFailed({ isBigEndian }, reason);
        const view = new DataView(answer.buffer);
        const length = answer[1] ?? 0;
        expect(answer[0]).toBe(0);
        expect(view.getUint16(2, !isBigEndian)).toBe(11);
        expect(8 + 4 * view.getUint16(6, !isBigEndian)).toBe(answer.length);
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        const text = decoder.decode(answer.subarray(8, 8 + length));
        expect(decoder.decode(new TextEncoder().encode(reason)).startsWith(text)).toBe(true);
        expect(length).toBeGreaterThanOrEqual(Math.min(252, new TextEncoder().encode(reason).length));
      }),
      bounded,
    );
  });
});
