import { describe, expect, test } from "vitest";
import type { OutputReader } from "../../../../src/actors/control.ts";
import { type OutputFormat, outputBytes } from "../../../../src/features/output-runs/manager/output-bytes.ts";

/** Output from `start` on, read in parts of this size. `lost`: before a read, older bytes than this offset are dropped. */
function ringOf(text: string, { start = 0, size = 4, lost = [] as number[], fails = "" } = {}): OutputReader {
  const bytes = Buffer.from(text);
  return {
    streamId: "s",
    start,
    end: start + bytes.length,
    async *parts(from, end) {
      let oldest = start;
      for (let position = from, read = 0; position < end; read++) {
        oldest = Math.max(oldest, lost[read] ?? 0);
        const first = Math.max(position, oldest);
        if (fails !== "" && read === 1) throw new Error(fails);
        const data = bytes.subarray(first - start, Math.min(first - start + size, end - start));
        yield { from: first, data };
        if (data.length === 0) return;
        position = first + data.length;
      }
    },
  };
}

async function read(reader: OutputReader, { begin = reader.start, end = reader.end, format = "text" as OutputFormat } = {}) {
  const pieces: Uint8Array[] = [];
  for await (const piece of outputBytes(reader, { begin, end }, format)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const COLOURED = "\x1b[31mred\x1b[0m ü🚀\r\nnext\r\n\x1b]0;title\x07end";

describe("the text of an output", () => {
  test.each([1, 2, 3, 4, 7, 100])("has no escape sequences and the line ends of files, however it is cut (%d bytes)", async (size) => {
    expect(await read(ringOf(COLOURED, { size }))).toBe("red ü🚀\nnext\nend");
  });

  test("shows other controls, and what is not UTF-8, in visible form; a lone CR stays", async () => {
    const text = await read(ringOf("a\u0007b\r50%\r"));
    expect(text).not.toContain("\u0007");
    expect(text).toMatch(/^a.+b\r50%\r$/u);
  });

  test("with colours has the bytes as they are", async () => {
    expect(await read(ringOf(COLOURED, { size: 3 }), { format: "raw" })).toBe(COLOURED);
  });

  test("is that of a part of the output", async () => {
    expect(await read(ringOf("one\ntwo\nthree\n"), { begin: 4, end: 8 })).toBe("two\n");
  });
});

describe("bytes that are missing are named in the file", () => {
  test("at the beginning of a run that is no longer kept whole", async () => {
    expect(await read(ringOf("kept\n", { start: 1_500 }), { begin: 0 })).toBe(
      "\n[mgr: 1,500 bytes are not here: newer output had taken their place]\nkept\n",
    );
  });

  test("where newer output replaced them while the file was written; an escape sequence that was cut there is shown", async () => {
    const text = await read(ringOf("aaaa\x1b[31bbbbbcccc", { lost: [0, 0, 12] }));
    expect(text).toMatch(/^aaaa[^\n]+\n\[mgr: 4 bytes are not here: newer output took their place while this file was written\]\nbcccc$/u);
  });

  test("at the end, if all of it is gone", async () => {
    expect(await read(ringOf("gone", { lost: [4] }))).toBe("\n[mgr: 4 bytes are not here: they are no longer kept]\n");
  });

  test("after a host is lost, with the reason, which acts on no terminal", async () => {
    const text = await read(ringOf("aaaabbbb", { fails: "host \x1b[2J lost" }));
    expect(text).toMatch(/^aaaa\n\[mgr: the rest could not be read: host .+ lost\]\n$/);
    expect(text).not.toContain("\x1b");
  });
});
