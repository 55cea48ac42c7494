import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fitting, restOfCharacter, rotate } from "../../../src/daemon/output/log-rotation.ts";

const MAX = 64;

/** Files that come of writing `pieces` one after the other. */
function written(pieces: readonly Buffer[], maxSize: number): Buffer[] {
  const files: Buffer[] = [Buffer.alloc(0)];
  for (let piece of pieces) {
    while (piece.length > 0) {
      const current = files.at(-1) ?? Buffer.alloc(0);
      const length = fitting(piece, { size: current.length, maxSize, isAtLineStart: current.length === 0 || current.at(-1) === 0x0a });
      if (length === 0) files.push(Buffer.alloc(0));
      else files[files.length - 1] = Buffer.concat([current, piece.subarray(0, length)]);
      piece = piece.subarray(length);
    }
  }
  return files;
}

const cuttable = (text: Buffer, cuts: readonly number[]) => {
  const ends = [...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return ends.map((end, index) => text.subarray(ends[index - 1] ?? 0, end));
};

test("no byte is lost, no file is too large and no character is cut, whatever the sizes of the writes", () => {
  const character = fc.constantFrom("a", "b", "\n", "ü", "✓", "🚀");
  fc.assert(
    fc.property(fc.array(character, { maxLength: 300 }), fc.array(fc.nat(), { maxLength: 20 }), (characters, cuts) => {
      const text = Buffer.from(characters.join(""));
      const files = written(cuttable(text, cuts), MAX);
      expect(Buffer.concat(files)).toEqual(text);
      for (const file of files) {
        expect(file.length).toBeLessThanOrEqual(MAX);
        expect(Buffer.from(file.toString())).toEqual(file);
      }
    }),
    { numRuns: 500 },
  );
});

test("bytes that are not text are split as well, and none is lost", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500, min: 0x80, max: 0xbf }), fc.array(fc.nat(), { maxLength: 9 }), (bytes, cuts) => {
      const text = Buffer.from(bytes);
      const files = written(cuttable(text, cuts), MAX);
      expect(Buffer.concat(files)).toEqual(text);
      for (const file of files) expect(file.length).toBeLessThanOrEqual(MAX);
    }),
  );
});

test("files end with a line where lines are short", () => {
  const text = Buffer.from(Array.from({ length: 50 }, (_, n) => `line ${n}\n`).join(""));
  for (const file of written(cuttable(text, [3, 50, 51, 200, 333]), MAX).slice(0, -1)) expect(file.at(-1)).toBe(0x0a);
});

test("the rest of a character is at most three bytes", () => {
  const rocket = Buffer.from("🚀x");
  expect([0, 1, 2, 3, 4].map((from) => restOfCharacter(rocket.subarray(from)))).toEqual([0, 3, 2, 1, 0]);
  expect(restOfCharacter(Buffer.alloc(9, 0x80))).toBe(3);
  expect(restOfCharacter(Buffer.alloc(0))).toBe(0);
});

test("rotation renames each file and keeps the configured number, also if that is smaller than before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-rotate-"));
  try {
    const path = join(folder, "p.log");
    for (const name of ["p.log", "p.log.1", "p.log.2", "p.log.3", "p.log.4", "p.log.x"]) writeFileSync(join(folder, name), name);
    await rotate(path, 3);
    expect(readdirSync(folder).sort()).toEqual(["p.log.1", "p.log.2", "p.log.x"]);
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(`${path}.1`, "utf8")).toBe("p.log");
    expect(readFileSync(`${path}.2`, "utf8")).toBe("p.log.1");
    writeFileSync(path, "new");
    await rotate(path, 1);
    expect(readdirSync(folder).sort()).toEqual(["p.log.x"]);
    await rotate(path, 5);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
