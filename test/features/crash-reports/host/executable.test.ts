import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildIdOf, describeExecutable, seeExecutable } from "../../../../src/features/crash-reports/host/executable.ts";
import { parseLimits } from "../../../../src/features/crash-reports/host/process-limits.ts";

/** A file in memory. */
const file = (content: Buffer) =>
  ({
    read: async (buffer: Buffer, _at: number, length: number, position: number) => ({
      bytesRead: position > content.length ? 0 : content.copy(buffer, 0, position, position + length),
      buffer,
    }),
  }) as unknown as Parameters<typeof buildIdOf>[0];

/** An ELF file of 64 bits with two notes: one of another owner, then the build id. */
function elf(id: Buffer): Buffer {
  const note = (name: string, type: number, content: Buffer) => {
    const head = Buffer.alloc(12);
    head.writeUInt32LE(name.length, 0);
    head.writeUInt32LE(content.length, 4);
    head.writeUInt32LE(type, 8);
    const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    return Buffer.concat([head, padded(Buffer.from(name)), padded(content)]);
  };
  const notes = Buffer.concat([note("xyz\0", 3, Buffer.from("other")), note("GNU\0", 3, id)]);
  const bytes = Buffer.alloc(64 + 56);
  bytes.write("\x7fELF\x02\x01", 0, "latin1");
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  bytes.writeUInt32LE(4, 64);
  bytes.writeBigUInt64LE(BigInt(bytes.length), 64 + 8);
  bytes.writeBigUInt64LE(BigInt(notes.length), 64 + 32);
  return Buffer.concat([bytes, notes]);
}

test("the build id is found among the notes of a program", async () => {
  const id = Buffer.from("5b601c62ef5b9d82bc0aa2efde0d915561fd3ef2", "hex");
  expect(await buildIdOf(file(elf(id)))).toBe(id.toString("hex"));
  expect(await buildIdOf(file(Buffer.from("#!/bin/sh\nexit 3\n")))).toBeNull();
});

test("a damaged program has no build id, and does no harm", async () => {
  const whole = elf(Buffer.alloc(20, 7));
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), async (at, value, length) => {
      const damaged = Buffer.from(whole);
      damaged[at] = value;
      const id = await buildIdOf(file(damaged.subarray(0, length)));
      expect(id === null || /^[0-9a-f]+$/.test(id)).toBe(true);
    }),
  );
});

test("a program that was replaced since the run began is marked, and its new build id is not taken for the old one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-exe-"));
  try {
    const seen = seeExecutable(process.pid);
    expect(seen).not.toBeNull();
    if (seen === null) return;
    expect(await describeExecutable(seen)).toMatchObject({ path: seen.path, replaced: false });
    const path = join(folder, "program");
    copyFileSync("/bin/true", path);
    expect(await describeExecutable({ ...seen, path })).toMatchObject({ build_id: null, replaced: true });
    expect(await describeExecutable({ ...seen, path: join(folder, "gone") })).toMatchObject({ build_id: null, replaced: true });
    writeFileSync(join(folder, "other"), "");
    expect(await describeExecutable({ ...seen, path: folder })).toMatchObject({ build_id: null });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("limits are read as the kernel writes them, without the one that marks runs", () => {
  const text = [
    "Limit                     Soft Limit           Hard Limit           Units     ",
    "Max cpu time              unlimited            unlimited            seconds   ",
    "Max open files            1024                 524288               files     ",
    "Max address space         18446744073709551615 unlimited            bytes     ",
    "Max file locks            123                  123                  locks     ",
    "Max nice priority         0                    0                    ",
  ].join("\n");
  expect(parseLimits(text)).toEqual({
    cpu: { soft: null, hard: null },
    nofile: { soft: 1_024, hard: 524_288 },
    as: { soft: null, hard: null },
    nice: { soft: 0, hard: 0 },
  });
});
