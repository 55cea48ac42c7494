import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HARD_LIMIT_BYTES, Outbox, type OutboxSocket, SOFT_LIMIT_BYTES } from "../../src/transport/outbox.ts";
import { OutputPiece } from "../../src/transport/output/output-piece.ts";

const KIB = 1024;

/** A socket whose kernel takes bytes only when the test says so. */
class SlowSocket implements OutboxSocket {
  readonly messages: string[] = [];
  /** Messages of each cork: what becomes one write. */
  readonly writes: number[] = [];
  #parts: Buffer[] = [];
  readonly #untaken: (() => void)[] = [];
  #corked = 0;

  send(data: Buffer, { fin }: { fin: boolean }, done: () => void): void {
    this.#corked++;
    this.#parts.push(data);
    this.#untaken.push(done);
    if (!fin) return;
    this.messages.push(Buffer.concat(this.#parts).toString());
    this.#parts = [];
  }

  cork(): void {
    this.#corked = 0;
  }

  uncork(): void {
    if (this.#corked > 0) this.writes.push(this.#corked);
  }

  get bufferedAmount(): number {
    return this.#untaken.length;
  }

  get untaken(): number {
    return this.#untaken.length;
  }

  /** The kernel takes `count` sends. */
  async take(count: number): Promise<void> {
    for (const done of this.#untaken.splice(0, count)) done();
    await Promise.resolve();
    // The rest of a long answer follows in the next turn.
    await nextTurn();
  }

  async takeAll(): Promise<void> {
    await Promise.resolve();
    while (this.#untaken.length > 0) await this.take(1);
  }
}

function open() {
  const socket = new SlowSocket();
  const observed: string[] = [];
  const note = (what: string) => () => void observed.push(what);
  const observer = { congested: note("congested"), progress: note("progress"), drained: note("drained"), overflow: note("overflow") };
  const outbox = new Outbox(socket, observer);
  const frames = () => socket.messages.map((message) => JSON.parse(message));
  return { socket, observed, outbox, frames };
}

const event = (text: string, mergeKey: string | null = null) => ({ bytes: Buffer.from(JSON.stringify(text)), mergeKey });
const filler = (bytes: number) => event("x".repeat(bytes - 2));

function output(name: string, offset: number, data: string, skipped = 0): OutputPiece {
  return new OutputPiece({ name, streamId: "s", offset: offset + data.length, data: Buffer.from(data), skipped });
}

describe("a reader that keeps up", () => {
  it("gets everything in order, what was queued in one turn in one write", async () => {
    const { socket, outbox, frames } = open();
    outbox.push(event("one", "process:a"));
    outbox.output(output("a", 0, "two"));
    outbox.push(event("three", "process:a"));
    expect(socket.messages).toEqual([]);
    await Promise.resolve();
    expect(frames()).toEqual(["one", { type: "process_output", name: "a", output: "two", offset: 3, stream_id: "s" }, "three"]);
    expect(socket.writes).toEqual([3]);
  });

  it("never loses a state to merging", async () => {
    const { socket, outbox, frames } = open();
    const states = Array.from({ length: 100 }, (_, index) => `state ${index}`);
    for (const state of states) outbox.push(event(state, "process:a"));
    await socket.takeAll();
    expect(frames()).toEqual(states);
  });
});

describe("a reader that is behind", () => {
  it("misses output beyond the soft limit, learns how much, and continues at a line start", async () => {
    const { socket, outbox, frames } = open();
    const line = `${"x".repeat(64 * KIB - 1)}\n`;
    let offset = 0;
    const write = (data: string) => {
      outbox.output(output("a", offset, data));
      offset += data.length;
    };
    while (outbox.waitingBytes <= SOFT_LIMIT_BYTES) write(line);
    const delivered = offset;
    write("lost, and cut in the mid");
    await socket.takeAll();
    write("dle of a line\nnext line");
    await socket.takeAll();
    const [declaration, next] = frames().slice(delivered / line.length);
    expect(declaration).toEqual({ type: "process_output", name: "a", output: "", offset: delivered + 24, stream_id: "s", skipped: 24 });
    expect(next).toEqual({ type: "process_output", name: "a", output: "next line", offset, stream_id: "s", skipped: 14 });
  });

  it("learns what it missed from the next output, in one frame, if that comes before everything was read", async () => {
    const { socket, outbox, frames } = open();
    const line = `${"x".repeat(64 * KIB - 1)}\n`;
    let offset = 0;
    const write = (data: string) => {
      outbox.output(output("a", offset, data));
      offset += data.length;
    };
    while (outbox.waitingBytes <= SOFT_LIMIT_BYTES) write(line);
    write("lost, and cut in the mid");
    const delivered = offset - 24;
    while (outbox.waitingBytes > SOFT_LIMIT_BYTES / 4) await socket.take(1);
    write("dle of a line\nnext line");
    await socket.takeAll();
    const [next, ...others] = frames().slice(delivered / line.length);
    expect(next).toEqual({ type: "process_output", name: "a", output: "next line", offset, stream_id: "s", skipped: 24 + 14 });
    expect(others).toEqual([]);
  });

  it("accounts for every byte: what it received and what it was reported to have missed add up", async () => {
    const { socket, outbox, frames } = open();
    let offset = 0;
    for (let round = 0; round < 400; round++) {
      const data = `${"é".repeat(4 * KIB)}${round % 3 === 0 ? "\n" : ""}`;
      const length = Buffer.byteLength(data);
      outbox.output(new OutputPiece({ name: "a", streamId: "s", offset: offset + length, data: Buffer.from(data), skipped: 0 }));
      offset += length;
      if (round % 5 === 0) await socket.take(2);
    }
    await socket.takeAll();
    let position = 0;
    for (const frame of frames()) {
      position += (frame.skipped ?? 0) + Buffer.byteLength(frame.output);
      expect(frame.offset).toBe(position);
    }
    expect(position).toBe(offset);
    expect(frames().some((frame) => frame.skipped > 0)).toBe(true);
  });

  it("gets the newest upsert of each name, never before the output that was queued ahead of it", async () => {
    const { socket, outbox, frames } = open();
    outbox.push(filler(SOFT_LIMIT_BYTES / 2));
    outbox.output(output("a", 0, "the last words\n"));
    outbox.push(event("a started", "process:a"));
    outbox.push(filler(SOFT_LIMIT_BYTES));
    outbox.push(event("a stopping", "process:a"));
    outbox.push(event("b started", "process:b"));
    outbox.push(event("a stopped", "process:a"));
    await socket.takeAll();
    const said = frames().map((frame) => (frame.type === "process_output" ? frame.output : frame));
    expect(said.filter((frame) => frame.length < 100)).toEqual(["the last words\n", "b started", "a stopped"]);
  });

  it("is closed beyond the hard limit, and then nothing more is kept", async () => {
    const { outbox, observed } = open();
    for (let size = 0; size <= HARD_LIMIT_BYTES; size += 512 * KIB) outbox.push(filler(512 * KIB));
    outbox.push(event("after"));
    expect(observed.filter((what) => what === "overflow")).toHaveLength(1);
    expect(outbox.waitingBytes).toBeLessThanOrEqual(512 * KIB);
  });

  it("is seen as congested, then as making progress, then as drained", async () => {
    const { socket, outbox, observed } = open();
    for (let count = 0; count < 4; count++) outbox.push(filler(128 * KIB));
    await Promise.resolve();
    expect(observed).toEqual(["congested"]);
    await socket.takeAll();
    expect(observed).toEqual(["congested", "progress", "progress", "progress", "drained"]);
  });
});

describe("a requested answer", () => {
  it("is made no further than the socket has come, and is one message whole", async () => {
    const { socket, outbox, frames } = open();
    let made = 0;
    const parts = (function* () {
      for (; made < 100; made++) yield Buffer.from(`${"y".repeat(100 * KIB)}${made === 99 ? '"' : ""}`);
    })();
    const sent: string[] = [];
    outbox.answer(Buffer.from('"'), () => void sent.push("answer"), parts);
    outbox.push({ bytes: Buffer.from('"event"'), mergeKey: null });
    await Promise.resolve();
    // 256 KiB are handed over ahead of the network.
    expect(made).toBeLessThanOrEqual(4);
    await socket.take(2);
    expect(made).toBeLessThanOrEqual(6);
    await socket.takeAll();
    expect(frames()).toEqual(["y".repeat(100 * 100 * KIB), "event"]);
    expect(sent).toEqual(["answer"]);
  });

  it("of 20 MiB passes in slices, is exempt from the limits, and keeps its place between events", async () => {
    const { socket, outbox, frames, observed } = open();
    const answer = JSON.stringify("y".repeat(20 * KIB * KIB));
    outbox.push(event("before"));
    outbox.answer(Buffer.from(answer));
    outbox.push(event("after"));
    await Promise.resolve();
    expect(socket.untaken).toBeLessThan(8);
    expect(outbox.waitingBytes).toBeLessThan(100);
    await socket.takeAll();
    expect(frames().map((frame) => frame.length)).toEqual([6, answer.length - 2, 5]);
    expect(observed).not.toContain("overflow");
  });

  it("does not make an event or output behind it count as slow", async () => {
    const { socket, outbox, frames } = open();
    outbox.answer(Buffer.from(JSON.stringify("y".repeat(2 * SOFT_LIMIT_BYTES))));
    outbox.output(output("a", 0, "not skipped"));
    await socket.takeAll();
    expect(frames()[1].output).toBe("not skipped");
  });
});

describe("a burst of events, one in each turn", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  async function burst(outbox: Outbox, from: number, to: number): Promise<void> {
    for (let count = from; count < to; count++) {
      outbox.push(event(String(count)));
      await Promise.resolve();
    }
  }
  const numbers = (to: number) => Array.from({ length: to }, (_, index) => String(index));

  it("is sent at once while it is short, then together, in order and without a loss", async () => {
    const { socket, outbox, frames } = open();
    await burst(outbox, 0, 200);
    expect(frames()).toEqual(numbers(200));
    await burst(outbox, 200, 300);
    const early = socket.writes.length;
    expect(frames().length).toBeLessThan(205);
    vi.advanceTimersByTime(5);
    expect(frames()).toEqual(numbers(300));
    expect(socket.writes.length).toBe(early + 1);
  });

  it("is sent at once again after a pause", async () => {
    const { socket, outbox, frames } = open();
    await burst(outbox, 0, 300);
    vi.advanceTimersByTime(1_000);
    const before = socket.writes.length;
    outbox.push(event("300"));
    await Promise.resolve();
    expect(frames()).toEqual(numbers(301));
    expect(socket.writes.length).toBe(before + 1);
  });

  it.each([
    ["a response", (outbox: Outbox) => outbox.reply(Buffer.from('"it"'))],
    ["an answer", (outbox: Outbox) => outbox.answer(Buffer.from('"it"'))],
  ])("takes %s along without a wait, behind what came before", async (_, send) => {
    const { outbox, frames } = open();
    await burst(outbox, 0, 300);
    expect(frames().length).toBeLessThan(300);
    send(outbox);
    await Promise.resolve();
    expect(frames()).toEqual([...numbers(300), "it"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no timer when the connection closes", async () => {
    const { outbox } = open();
    await burst(outbox, 0, 300);
    expect(vi.getTimerCount()).toBe(1);
    outbox.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
