import { deepStrictEqual } from "node:assert";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HandedOver } from "../../../src/base/handed-over.ts";
import { type Handover, readHandover, writeHandover } from "../../../src/daemon/handover/handover-file.ts";
import { openMemoryFile, sealMemoryFile } from "../../../src/daemon/native/memory-file.ts";

/** Parts have fixed names, and prefixes for names of processes. */
const name = fc.string({ minLength: 1 }).filter((text) => text !== "__proto__");
const handedOver = fc.record({
  state: fc.jsonValue({ maxDepth: 3 }),
  descriptors: fc.dictionary(name, fc.constantFrom(0, 1, 2), { maxKeys: 3, noNullPrototype: true }),
  bytes: fc.dictionary(name, fc.uint8Array({ maxLength: 5_000 }), { maxKeys: 4, noNullPrototype: true }),
});
const handover = fc.record({
  program: fc.option(fc.string(), { nil: null }),
  sections: fc.dictionary(name, handedOver, { maxKeys: 4, noNullPrototype: true }),
});

/** Calls `work` with the file of what is handed over. */
function withFile<T>(content: Handover, work: (fd: number) => T): T {
  const fd = openMemoryFile("test");
  try {
    writeHandover(fd, content, { isCopy: false });
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** As plain values: bytes are read into other buffers than those that were written. */
const plain = ({ program, sections }: Handover) => ({
  program,
  sections: Object.entries(sections).map(([name, { state, descriptors, bytes }]) => [
    name,
    JSON.parse(JSON.stringify(state)),
    descriptors,
    Object.entries(bytes).map(([each, data]) => [each, Buffer.from(data).toString("hex")]),
  ]),
});

function changedAt(fd: number, at: number, by: (byte: number) => number): void {
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, at);
  writeSync(fd, Buffer.of(by(byte[0] ?? 0)), 0, 1, at);
}

const SAMPLE: Handover = {
  program: "1.0.0",
  sections: { host: { state: { runs: [1, 2] }, descriptors: { in: 0 }, bytes: { ring: Buffer.alloc(100_000, 7) } } },
};
const lengthOf = (state: Handover) => withFile(state, (fd) => fstatSync(fd).size);

describe("what a daemon hands over", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(handover, (content) => {
        deepStrictEqual(plain(withFile(content, (fd) => readHandover(fd, { isCopy: false }))), plain(content));
      }),
      { numRuns: 200 },
    );
  });

  test("has more buffers than one call of the kernel writes", () => {
    const bytes = Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`block ${n}`, Buffer.alloc(n % 7, n)]));
    const content = { program: null, sections: { host: { state: null, descriptors: {}, bytes } } };
    expect(plain(withFile(content, (fd) => readHandover(fd, { isCopy: false })))).toEqual(plain(content));
  });

  test("is refused if one byte of the state was changed, or any of it is missing", () => {
    const stateEnd = lengthOf(SAMPLE) - 100_000;
    fc.assert(
      fc.property(fc.nat(stateEnd - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        withFile(SAMPLE, (fd) => {
          changedAt(fd, at, (byte) => (byte + change) % 256);
          expect(() => readHandover(fd, { isCopy: false })).toThrow(/^the state of the daemon cannot be taken over: /);
        });
      }),
    );
    fc.assert(
      fc.property(fc.nat(lengthOf(SAMPLE) - 1), (length) => {
        withFile(SAMPLE, (fd) => {
          ftruncateSync(fd, length);
          expect(() => readHandover(fd, { isCopy: false })).toThrow(/^the state of the daemon cannot be taken over: /);
        });
      }),
    );
  });

  test("is refused if a descriptor is open on something else than when it was handed over", () => {
    const descriptor = openSync("/dev/null", "r");
    const section: HandedOver = { state: null, descriptors: { log: descriptor }, bytes: {} };
    try {
      withFile({ program: null, sections: { host: section } }, (fd) => {
        expect(readHandover(fd, { isCopy: false }).sections.host?.descriptors).toEqual({ log: descriptor });
        closeSync(descriptor);
        // The lowest free number is used again.
        expect(openSync("/dev/zero", "r")).toBe(descriptor);
        expect(() => readHandover(fd, { isCopy: false })).toThrow(
          `descriptor ${descriptor} ('log' of 'host') is not the one that was handed over`,
        );
      });
    } finally {
      closeSync(descriptor);
    }
  });

  test("cannot be changed in a sealed file", () => {
    withFile(SAMPLE, (fd) => {
      sealMemoryFile(fd);
      expect(() => changedAt(fd, 0, () => 0)).toThrow("EPERM");
      expect(() => ftruncateSync(fd, 0)).toThrow("EPERM");
    });
  });
});
