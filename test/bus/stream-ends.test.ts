import { once } from "node:events";
import type { Duplex } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { StreamEnds } from "../../src/bus/streams/stream-ends.ts";
import type { StreamFrame } from "../../src/contract/streams.ts";

/** Two sides, and between them a way that loses what it is told to. */
function sides(loses: (frame: StreamFrame, from: "a" | "b") => boolean) {
  const a: StreamEnds = new StreamEnds((frame) => void (loses(frame, "a") || setImmediate(() => b.receive(frame))));
  const b: StreamEnds = new StreamEnds((frame) => void (loses(frame, "b") || setImmediate(() => a.receive(frame))));
  return { a, b };
}

/** Reads to the end and says nothing more. */
async function finish(end: Duplex): Promise<string> {
  let text = "";
  end.on("data", (chunk) => {
    text += chunk;
  });
  await once(end, "end");
  return text;
}

/** Also with an error. */
async function closed(end: Duplex): Promise<void> {
  if (!end.closed) await new Promise<void>((resolve) => void end.once("close", resolve));
}

/** What is on its way has come. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("the streams of one side", () => {
  it("confirm the data of a stream that is closed, if the first confirmation was lost", async () => {
    let isLost = true;
    const { a, b } = sides(({ kind, offset }, from) => isLost && from === "b" && kind === "credit" && offset === 6);
    const [writer, reader] = [a.open("s"), b.open("s")];
    const received = finish(reader);
    const heard = finish(writer);
    reader.end("hello");
    expect(await heard).toBe("hello");
    writer.end("world");
    expect(await received).toBe("world");
    // The reader has said and heard everything, and goes.
    await closed(reader);
    expect(b.has("s")).toBe(false);
    expect(writer.writableFinished).toBe(false);
    isLost = false;
    await closed(writer);
    expect(writer.errored).toBeNull();
    expect(a.has("s")).toBe(false);
  });

  it("check after a silence whether the other end still exists: its notice of the end may have been lost", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    try {
      let probes = 0;
      const { a, b } = sides(({ kind }, from) => {
        if (kind === "probe") probes++;
        return isLost && from === "b" && kind === "reset";
      });
      let isLost = true;
      const [reader, writer] = [a.open("s"), b.open("s")];
      let error: unknown = null;
      reader.on("error", (failure) => {
        error = failure;
      });
      // Both are there and say nothing: they ask now and then, and nothing more happens.
      await vi.advanceTimersByTimeAsync(60_000);
      await settled();
      expect(reader.destroyed).toBe(false);
      expect(probes).toBeGreaterThan(0);
      writer.on("error", () => {});
      writer.destroy(new Error("it was too much"));
      await closed(writer);
      isLost = false;
      await vi.advanceTimersByTimeAsync(12_000);
      await closed(reader);
      expect(error).toMatchObject({ code: "host_unavailable" });
    } finally {
      vi.useRealTimers();
    }
  });

  it("do not confirm a stream that has failed, or never existed", async () => {
    const { a, b } = sides(({ kind }, from) => from === "b" && kind === "reset" && isLost);
    let isLost = true;
    const [writer, reader] = [a.open("s"), b.open("s")];
    reader.on("error", () => {});
    writer.write("world");
    reader.destroy(new Error("it was too much"));
    await closed(reader);
    isLost = false;
    const [error] = await once(writer, "error");
    expect(error).toMatchObject({ code: "host_unavailable", message: expect.stringContaining("not open") });
    // Heard to its end, and thrown away unread.
    const [giver, taker] = [a.open("u"), b.open("u")];
    taker.end();
    giver.resume().end("world");
    while (taker.readableLength < 5 || !taker.writableFinished) await settled();
    taker.destroy();
    expect((await once(giver, "error"))[0]).toMatchObject({ code: "host_unavailable" });
    const unknown = a.open("t");
    unknown.end("anybody?");
    expect((await once(unknown, "error"))[0]).toMatchObject({ code: "host_unavailable" });
  });
});
