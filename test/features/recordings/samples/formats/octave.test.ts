import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { topicCodec } from "../../../../../src/features/data-plane/client/topic-codec.ts";
import { writeMatlab } from "../../../../../src/features/recordings/samples/formats/matlab.ts";
import { recorded, sample } from "./recorded.ts";

const PRINT = `
m = load(getenv("MGR_FILE")); t = m.arm_state; f = t.fields;
printf("%d ", t.time_ns, f.big); printf("%s ", class(t.time_ns), class(f.big), class(f.on));
printf("%dx%d ", size(f.p), size(f.list{1}), size(f.word{2})); printf("%g ", f.p, f.list{2}, f.part_x); printf("%s|%s|%s", f.word{1}, t.topic, t.field_paths{end});
`;

it("Octave reads a MAT-file", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mgr-octave-"));
  try {
    const definition = `int64 big\nbool on\nfloat64[2] p\nint32[] list\nstring word\nt/P part\n${"=".repeat(80)}\nMSG: t/P\nfloat32 x`;
    const codec = topicCodec("cdr", definition);
    const messages = [
      { big: 2n ** 63n - 1n, on: true, p: [1, 2], list: [], word: "word", part: { x: 0.5 } },
      { big: -5n, on: false, p: [3, Number.NaN], list: [7, -8], word: "", part: { x: 1.5 } },
    ];
    const samples = messages.map((message, number) => sample(codec.encode(message), number));
    const path = join(dir, "a.mat");
    await writeMatlab({ name: "logger", topics: [recorded("arm/state", samples, { encoding: "cdr", definition })] }, path);
    const { stdout } = await promisify(execFile)("octave", ["--no-gui", "--no-init-file", "--no-history", "--eval", PRINT], {
      env: { ...process.env, MGR_FILE: path },
    });
    expect(stdout).toBe(
      "1700000000123456789 1700000000123456790 9223372036854775807 -5 int64 int64 logical 2x2 1x0 0x0 1 2 3 NaN 7 -8 0.5 1.5 word|arm/state|part.x",
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
