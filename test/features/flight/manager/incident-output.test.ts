import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_OUTPUT_BYTES } from "../../../../src/features/flight/limits.ts";
import { outputBefore } from "../../../../src/features/flight/manager/incident-output.ts";
import { McapEncoder } from "../../../../src/features/recordings/samples/mcap/encoder.ts";

const BEGIN = 1_767_225_600_000_000_000n;
const SECOND = 1_000_000_000n;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "mgr-incident-output-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A file in which processes write a text each second; `from`: the position of the first one in the whole output. */
function fileOf(name: string, output: Readonly<Record<string, readonly string[]>>, from = 0): string {
  const encoder = new McapEncoder();
  const pieces = [encoder.begin("test")];
  for (const [process, texts] of Object.entries(output)) {
    const channel = encoder.addChannel({ topic: `mgr/terminal/${process}`, encoding: "raw", schema: null, metadata: {} });
    let offset = from;
    for (const [second, text] of texts.entries()) {
      const time = BEGIN + BigInt(second) * SECOND;
      const bytes = Buffer.from(text);
      const data = Buffer.alloc(8 + bytes.length);
      data.writeBigUInt64LE(BigInt(offset));
      data.set(bytes, 8);
      encoder.addMessage({ channel, sequence: 0n, logTime: time, publishTime: time, data });
      offset += bytes.length;
    }
  }
  pieces.push(...encoder.end());
  const path = join(dir, `${name}.mcap`);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

test("the output of a process is that until a time, in the order in which it was written", async () => {
  const path = fileOf("two", { "sim/camera": ["one\n", "two\n", "three\n"], other: ["x"] });
  expect(await outputBefore(path, "sim/camera", null)).toEqual({ text: "one\ntwo\nthree\n", is_cut: false });
  expect(await outputBefore(path, "sim/camera", BEGIN + SECOND)).toEqual({ text: "one\ntwo\n", is_cut: false });
  expect(await outputBefore(path, "sim/camera", BEGIN - 1n)).toEqual({ text: "", is_cut: false });
});

test("output that is longer than an answer, or that began before the incident, is cut at its beginning", async () => {
  const half = "é".repeat(MAX_OUTPUT_BYTES / 4);
  const path = fileOf("long", { a: ["first", half, half, "a"] });
  const { text, is_cut } = await outputBefore(path, "a", null);
  expect([is_cut, text.length, text.at(0), text.at(-1)]).toEqual([true, MAX_OUTPUT_BYTES / 2, "é", "a"]);
  expect(await outputBefore(fileOf("later", { a: ["late"] }, 10), "a", null)).toEqual({ text: "late", is_cut: true });
});

test("a process without output is refused, and those that have some are named", async () => {
  const path = fileOf("named", Object.fromEntries(Array.from({ length: 22 }, (_, n) => [`p${String(n).padStart(2, "0")}`, ["x"]])));
  await expect(outputBefore(path, "none", null)).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringMatching(/no output of 'none': it has that of p00, p01, .*p19 and 2 more$/),
  });
  await expect(outputBefore(fileOf("empty", {}), "none", null)).rejects.toMatchObject({
    message: expect.stringContaining("of no process"),
  });
});
