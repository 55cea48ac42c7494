import { describe, expect, it } from "vitest";
import { OutputChannel } from "../../../src/transport/output/output-channel.ts";
import type { OutputPiece } from "../../../src/transport/output/output-piece.ts";

function openChannel() {
  const pieces: OutputPiece[] = [];
  const channel = new OutputChannel("a", (piece) => pieces.push(piece));
  const put = (offset: number, text: string) => channel.accept({ name: "a", stream_id: "s", offset, gap: 0, data: Buffer.from(text) });
  const lose = (offset: number, gap: number) => channel.accept({ name: "a", stream_id: "s", offset, gap, data: new Uint8Array() });
  const shown = () => pieces.map(({ text, offset, skipped }) => ({ text, offset, skipped }));
  put(0, "");
  return { channel, put, lose, shown };
}

describe("output after bytes that the host no longer has", () => {
  it("starts at a line start, and what stood before it counts as skipped", () => {
    const { channel, put, lose, shown } = openChannel();
    lose(0, 100);
    put(100, "half a line\r\nwhole\r\n");
    channel.flush();
    expect(shown()).toEqual([{ text: "whole\r\n", offset: 120, skipped: 113 }]);
  });

  it("does so as well where the loss was reported before anything followed", () => {
    const { channel, put, lose, shown } = openChannel();
    lose(0, 100);
    channel.flush();
    put(100, "half a line\r\nwhole\r\n");
    channel.flush();
    put(120, "and so on");
    channel.flush();
    expect(shown()).toEqual([
      { text: "", offset: 100, skipped: 100 },
      { text: "whole\r\n", offset: 120, skipped: 13 },
      { text: "and so on", offset: 129, skipped: 0 },
    ]);
  });

  it("starts where it can where no line begins", () => {
    const { channel, put, lose, shown } = openChannel();
    lose(0, 100);
    put(100, "no end");
    channel.flush();
    put(106, "less\r\nline\r\n");
    channel.flush();
    expect(shown()).toEqual([
      { text: "no end", offset: 106, skipped: 100 },
      { text: "less\r\nline\r\n", offset: 118, skipped: 0 },
    ]);
  });
});
