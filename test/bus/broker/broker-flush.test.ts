import { describe, expect, it } from "vitest";
import { createBroker } from "../../../src/bus/broker/broker.ts";
import type { ByteStream, ByteStreamHandlers } from "../../../src/bus/carriers/byte-stream.ts";

/** A carrier that takes everything at once, or nothing until it is told to; notes each write. */
class Recorder implements ByteStream {
  unsent = 0;
  isStuck = false;
  readonly writes: Buffer[] = [];
  handlers: ByteStreamHandlers | null = null;

  write(chunks: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(chunks);
    this.writes.push(bytes);
    if (this.isStuck) this.unsent += bytes.length;
  }

  open(handlers: ByteStreamHandlers): void {
    this.handlers = handlers;
  }

  say(text: string): void {
    this.handlers?.data(Buffer.from(text));
  }

  drain(): void {
    this.isStuck = false;
    this.unsent = 0;
    this.handlers?.drained();
  }

  pause(): void {}
  resume(): void {}
  end(): void {
    this.destroy();
  }
  destroy(): void {
    queueMicrotask(() => this.handlers?.closed(null));
  }
}

const HELLO = 'CONNECT {"verbose":false,"pedantic":false}\r\n';
const MAX_PIECE_BYTES = (256 + 2 * 64) * 1024;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("messages that wait for a subscriber", () => {
  it("are sent in pieces, some of them each turn, also when all could be sent at once", async () => {
    const broker = createBroker();
    const [subscribers, publisher] = [Array.from({ length: 8 }, () => new Recorder()), new Recorder()];
    for (const stream of [...subscribers, publisher]) broker.accept(stream, { kind: "memory" });
    for (const stream of subscribers) {
      stream.say(`${HELLO}SUB a 1\r\n`);
      await turn();
      stream.isStuck = true;
      stream.unsent = 300 * 1024;
      stream.writes.length = 0;
    }
    publisher.say(HELLO);
    const message = `PUB a 8000\r\n${"x".repeat(8_000)}\r\n`;
    for (let n = 0; n < 400; n++) {
      publisher.say(message);
      await turn();
    }
    expect(subscribers.map(({ writes }) => writes.length)).toEqual(subscribers.map(() => 0));
    for (const stream of subscribers) stream.drain();
    const sizeOf = ({ writes }: Recorder) => writes.reduce((sum, { length }) => sum + length, 0);
    // One piece each at most within the events themselves: they may come from a hundred sockets at once.
    expect(Math.max(...subscribers.map(sizeOf))).toBeLessThanOrEqual(MAX_PIECE_BYTES);
    const expected = 400 * (`MSG a 1 8000\r\n`.length + 8_002);
    while (subscribers.some((stream) => sizeOf(stream) < expected)) await turn();
    for (const stream of subscribers) {
      expect(Math.max(...stream.writes.map(({ length }) => length))).toBeLessThanOrEqual(MAX_PIECE_BYTES);
      expect(Buffer.concat(stream.writes).equals(Buffer.from(`MSG a 1 8000\r\n${"x".repeat(8_000)}\r\n`.repeat(400)))).toBe(true);
    }
    expect(broker.stats().dropped_msgs).toBe(0);
    await broker.close();
  });
});
